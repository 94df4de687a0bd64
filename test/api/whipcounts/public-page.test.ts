import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadTargets } from '../../../core/whipcounts/load-targets.ts';
import { akid } from '../../../domain/akid.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { chromiumPath, startBrowser } from '../../support/browser.ts';
import { legislators, zipDistricts } from '../../support/congress.ts';
import { erase } from '../../support/erasing.ts';
import { idIn } from '../../support/mailings.ts';
import { merge } from '../../support/merging.ts';
import { needsChromium } from '../../support/visited-console.ts';

const originOf = (server: Pick<Server, 'address'>) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

const SCREENSHOTS = new URL('../../../test-output/', import.meta.url).pathname;

describe('the page of a whip count', () => {
  let api: TestApi;
  let zip: string;
  before(async () => {
    api = await startApi();
    await loadTargets(api.pool, legislators());
    const zips = zipDistricts();
    zip = zips.find(({ place }) => place === 'CA_12')!.zip;
    const rows = zips.filter((each) => each.zip === zip);
    for (const { place } of rows)
      await api.pool.query(`insert into geo_zipplace (zip, kind, place) values ($1, 'us_district', $2)`, [zip, place]);
    const targets = (await api.read('/rest/v1/target/?state=CA&_limit=100')).objects.map(
      (each: { resource_uri: string }) => each.resource_uri,
    );
    const group = await api.create('congresstargetgroup', { name: 'California', type: 'congress', targets });
    await api.create('whipcountpage', {
      name: 'save-the-river',
      title: 'Save the <river>',
      target_groups: [group],
      whipcountform: {
        introduction_text: '<p>The bill comes to the floor this week.</p>',
        script_text: '<p>Hello, I am a constituent. Where does the senator stand?</p><script>document.title = "broken"</script>',
        survey_question_text: '<p>What did they say?</p>',
        thank_you_text: '<p>Thank you for calling!</p>',
      },
    });
    await api.app.listen({ port: 0, host: '127.0.0.1' });
  });
  after(() => api.close());

  const get = (path: string) => api.call('GET', path, undefined, { authorization: '' });
  const post = (path: string, fields: Record<string, string>) =>
    api.call('POST', path, new URLSearchParams(fields).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: '',
    });

  it('leads on to addresses beyond ASCII', async () => {
    const page = await api.create('whipcountpage', { name: 'onward', url: 'https://пример.example/спасибо' });
    const { target_groups } = await api.read('/rest/v1/whipcountpage/1/');
    await api.call('PATCH', page, { target_groups: target_groups.map(({ resource_uri }: { resource_uri: string }) => resource_uri) });
    const calls = await get(`/whipcount/onward/?zip=${zip}`);
    const id = /data-target="(\d+)"/.exec(calls.body)![1];
    const done = await post('/whipcount/onward/', { [`response-${id}`]: 'supportive', email: 'caller@example.org', zip });
    assert.deepEqual([done.statusCode, String(done.headers.location).slice(0, 35)], [303, 'https://xn--e1afmkfd.example/%D1%81']);
    await api.call('PATCH', page, { whipcountform: { client_hosted: true, client_url: 'https://пример.example/' } });
    const away = await get('/whipcount/onward/');
    assert.deepEqual([away.statusCode, away.headers.location], [302, 'https://xn--e1afmkfd.example/']);
  });

  it('says of a body that cannot be read what the API reference says it would', async () => {
    const broken = await api.call('POST', '/whipcount/save-the-river/', '\0', { 'content-type': 'application/json', authorization: '' });
    const { responses } = (await api.read('/rest/v1/openapi.json')).paths['/whipcount/{name}/'].post;
    assert.equal(broken.statusCode, 400);
    assert.ok(Object.keys(responses['400'].content).includes(String(broken.headers['content-type']).split(';')[0]!));
  });

  it('asks for a zip, shows whom to call, and takes the answer without any script', async () => {
    const first = await get('/whipcount/save-the-river');
    assert.equal(first.statusCode, 200);
    assert.match(String(first.headers['content-security-policy']), /default-src 'none'/);
    assert.match(first.body, /<label for="zip">/);
    assert.match(first.body, /Save the &lt;river&gt;/);
    const second = await get(`/whipcount/save-the-river/?zip=${zip}`);
    const ids = [...second.body.matchAll(/data-target="(\d+)"/g)].map(([, id]) => Number(id));
    assert.ok(ids.length >= 3);
    const { rows } = await api.pool.query('select seat, phone from core_target where id = any($1)', [ids]);
    assert.ok(rows.some(({ seat }) => seat === 'CA_senior') && rows.some(({ seat }) => seat === 'CA_12'));
    for (const { phone } of rows) assert.ok(second.body.includes(phone));

    const silent = await post('/whipcount/save-the-river/', { zip, email: 'x@example.org' });
    assert.equal(silent.statusCode, 400);
    assert.match(silent.body, /role="alert"><p>Please tell us what they said/);
    const unknown = await post('/whipcount/save-the-river/', { zip, email: '"><img src=x>', [`response-${ids[0]}`]: 'opposed' });
    assert.equal(unknown.statusCode, 400);
    assert.ok(!unknown.body.includes('<img'));
    assert.match(unknown.body, /value="opposed" checked/);
    const done = await post('/whipcount/save-the-river/', { zip, email: 'calm@example.org', [`response-${ids[0]}`]: 'opposed' });
    assert.equal(done.statusCode, 303);
    assert.equal(done.headers.location, '/whipcount/save-the-river/?thanks=1');
    assert.match((await get('/whipcount/save-the-river/?thanks=1')).body, /Thank you for calling!/);
    assert.equal((await api.read('/rest/v1/whipcountactioncalled/?response=opposed')).meta.total_count, 1);
  });

  it('knows who comes from a mail by the akid', async () => {
    const { rows } = await api.pool.query(`select id from core_user where email = 'calm@example.org'`);
    const known = await get(`/whipcount/save-the-river/?akid=${akid(api.env.SECRET_KEY, null, rows[0].id)}`);
    assert.equal(known.statusCode, 200);
    assert.match(known.body, /data-target=/);
    assert.ok(!known.body.includes('name="email"'));
    const other = (await api.read(await api.create('user', { email: 'became@example.org', zip }))).id;
    await merge(api.pool, other, [rows[0].id]);
    const link = `/whipcount/save-the-river/?akid=${akid(api.env.SECRET_KEY, null, rows[0].id)}`;
    assert.match((await get(link)).body, /data-target=/, 'also whom they have become since');
    await erase(api.pool, other);
    assert.match((await get(link)).body, /name="zip"/, 'of nobody the zip is asked');
  });

  it('knows by a login token who is logged in elsewhere, from the page to the report, and tells nobody their akid', async () => {
    const uri = await api.create('user', { email: 'inside@example.org', zip, country: 'United States' });
    const { token } = (await api.call('POST', `${uri}logintoken/`)).json();
    const { token: own } = await api.read(uri);
    const page = '/whipcount/save-the-river/';
    const known = await get(`${page}?i=${token}&l=1`);
    const [, id] = /data-target="(\d+)"/.exec(known.body)!;
    assert.match(known.body, new RegExp(`name="i" value="${token}"`));
    assert.ok(!known.body.includes('name="email"') && !known.body.includes(own), known.body);
    assert.match((await get(`${page}?i=${token.slice(0, -1)}!&l=1`)).body, /name="zip"/);

    assert.match((await get(`${page}?akid=.1.aaaaaa&i=${token}`)).body, /data-target=/, 'also where the akid is nobody’s');

    const odd = await api.call('POST', page, { i: { toString: 1 }, [`response-${id}`]: 'x' }, { authorization: '' });
    assert.equal(odd.statusCode, 400);
    const silent = await post(page, { i: token });
    assert.deepEqual([silent.statusCode, silent.body.includes(`name="i" value="${token}"`)], [400, true]);
    const done = await post(page, { i: token, [`response-${id}`]: 'opposed — said so' });
    assert.deepEqual([done.statusCode, done.headers.location], [303, `${page}?thanks=1`]);
    const { objects } = await api.read(`/rest/v1/whipcountactioncalled/?whipcountaction__user=${idIn(uri)}`);
    assert.deepEqual([objects.length, objects[0]?.response], [1, 'opposed — said so']);
    await api.pool.query(`update core_logintoken set expires_at = now() - interval '1 second'`);
    const late = await post(page, { i: token, [`response-${id}`]: 'supportive' });
    assert.equal(late.statusCode, 400);
    assert.match(late.body, /name="zip"/, 'whoever they are is asked again');
  });

  it('asks for what it requires, of whoever it does not know and of whoever comes from a mail', async () => {
    const { target_groups } = await api.read('/rest/v1/whipcountpage/1/');
    await api.create('whipcountpage', {
      name: 'demanding',
      target_groups: target_groups.map(({ resource_uri }: { resource_uri: string }) => resource_uri),
      required_fields: ['email', 'first_name', 'zip', 'user_union', 'action_"why"'],
    });
    const page = '/whipcount/demanding/';
    const asked = (html: string) => [...html.matchAll(/<input id="([^"]+)"[^>]* required>/g)].map(([, name]) => name);
    const stranger = (await get(`${page}?zip=${zip}`)).body;
    assert.deepEqual(asked(stranger), ['name', 'email', 'user_union', 'action_&quot;why&quot;']);
    const { token } = await api.read(await api.create('user', { email: 'pressed@example.org', zip, country: 'United States' }));
    const known = (await get(`${page}?akid=${token}`)).body;
    assert.deepEqual(asked(known), ['first_name', 'zip', 'user_union', 'action_&quot;why&quot;']);
    const report = { [`response-${/data-target="(\d+)"/.exec(known)![1]}`]: 'supportive', user_union: 'UAW', 'action_"why"': 'so' };
    const lacking = await post(page, { ...report, akid: token, zip });
    assert.deepEqual([lacking.statusCode, asked(lacking.body)[0], lacking.body.includes('value="UAW"')], [400, 'first_name', true]);
    assert.equal((await post(page, { ...report, akid: token, zip, first_name: 'Pam' })).statusCode, 303);
    assert.equal((await post(page, { ...report, zip, email: 'pressed2@example.org', name: 'Pat' })).statusCode, 303);
  });

  it('says when nobody is to be called, and is not there for other pages', async () => {
    assert.match((await get('/whipcount/save-the-river/?zip=00000')).body, /nobody to call for 00000/);
    assert.match((await get('/whipcount/save-the-river/?zip=%3Cb%3E%00')).body, /nobody to call for &lt;b&gt;/);
    await api.create('signuppage', { name: 'a-signup' });
    for (const name of ['a-signup', 'nothing', '%00', 'x'.repeat(400)])
      assert.equal((await get(`/whipcount/${name}/`)).statusCode, 404, name);
  });

  it('takes a caller in a browser from the zip to the stored response', async function () {
    if (!chromiumPath) {
      console.log('      no Chromium on this machine (set CHROMIUM_PATH): the page was tested without a browser only');
      return this.skip();
    }
    const browser = await startBrowser();
    const page = await browser.newPage({ viewport: { width: 420, height: 900 } });
    const { port } = api.app.server.address() as AddressInfo;
    await page.goto(`http://127.0.0.1:${port}/whipcount/save-the-river/`);
    await page.getByLabel('Your zip code').fill(zip);
    await page.getByRole('button', { name: 'Find whom to call' }).press('Enter');
    await page.getByRole('heading', { name: 'What to say' }).waitFor();
    assert.equal(await page.title(), 'Save the <river>');
    const senator = page.getByRole('group', { name: /CA senior/ });
    const dial = await senator.getByRole('link').getAttribute('href');
    assert.match(String(dial), /^tel:\d{10}$/);
    // By keyboard alone: every control has a name and can be reached.
    await senator.getByRole('radio', { name: 'Has not decided' }).focus();
    await page.keyboard.press('Space');
    await page.getByLabel('Your name').fill('Robin Caller');
    await page.getByLabel('Your email address').fill('robin@example.org');
    mkdirSync(SCREENSHOTS, { recursive: true });
    await page.screenshot({ path: `${SCREENSHOTS}whipcount-page.png`, fullPage: true });
    await page.getByRole('button', { name: 'Report my calls' }).click();
    await page.getByRole('status').waitFor();
    assert.match(await page.getByRole('status').innerText(), /Thank you for calling!/);
    await page.close();

    const { objects } = await api.read('/rest/v1/whipcountactioncalled/?whipcountaction__user__email=robin@example.org');
    assert.deepEqual(
      objects.map(({ response, target }: { response: string; target: { seat: string } }) => [target.seat, response]),
      [['CA_senior', 'uncommitted']],
    );
    const { objects: people } = await api.read('/rest/v1/user/?email=robin@example.org');
    assert.deepEqual([people[0].first_name, people[0].last_name, people[0].zip], ['Robin', 'Caller', zip]);
  });

  it('leads a caller in a browser on to another site, by the ways that one has', async function () {
    needsChromium(this);
    const there = createServer((_request, reply) => reply.end('<h1>Thank you there</h1>')).listen(0, '127.0.0.1');
    const site = createServer((_request, reply) => reply.writeHead(302, { location: originOf(there) }).end()).listen(0, '127.0.0.1');
    await Promise.all([once(there, 'listening'), once(site, 'listening')]);
    const { target_groups } = await api.read('/rest/v1/whipcountpage/1/');
    await api.create('whipcountpage', {
      name: 'led-on',
      url: originOf(site),
      target_groups: target_groups.map(({ resource_uri }: { resource_uri: string }) => resource_uri),
    });
    const page = await (await startBrowser()).newPage();
    try {
      await page.goto(`${originOf(api.app.server)}whipcount/led-on/?zip=${zip}`);
      await page.getByRole('radio', { name: 'Has not decided' }).first().check();
      await page.getByLabel('Your email address').fill('led@example.org');
      await page.getByRole('button', { name: 'Report my calls' }).click();
      await page.getByRole('heading', { name: 'Thank you there' }).waitFor();
    } finally {
      await page.close();
      site.close();
      there.close();
    }
  });

  it('is as wide as a phone, however long the words on it are', async function () {
    needsChromium(this);
    const long = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';
    const target = await api.create('target', { type: 'other', first: 'Minister', last: `${long}${long}` });
    const group = await api.create('specialtargetgroup', { name: 'Ministers', targets: [target] });
    const whipcountform = { script_text: `<p>${long}</p>`, survey_question_text: `<p>${long}</p>` };
    await api.create('whipcountpage', { name: 'long', title: long, target_groups: [group], whipcountform });
    const page = await (await startBrowser()).newPage({ viewport: { width: 360, height: 700 } });
    try {
      await page.goto(`${originOf(api.app.server)}whipcount/long/?zip=${zip}`);
      await page.getByRole('group', { name: long }).waitFor();
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
    } finally {
      await page.close();
    }
  });
});
