import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, enterAs } from '../support/console-visitor.ts';
import { idIn } from '../support/mailings.ts';

const FORM = {
  subject: ['Hello {{ user.first_name }}', 'Second'],
  preview_text: ['', ''],
  from: '"Ann" <ann@example.org>',
  html: '<p>Dear {{ user.first_name }}</p>',
  text: '',
};

describe('help with writing a mailing in the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let uri: string;
  let at: string;
  const mailings = async () => (await api.pool.query('select count(*)::int as n from core_mailing')).rows[0].n as number;

  before(async () => {
    api = await startApi();
    const list = await api.create('list', { name: 'Everyone' });
    await api.create('signuppage', { name: 'join', list });
    for (const first_name of ['Ada', '<Ben>'])
      await api.call('POST', '/rest/v1/action/', { page: 'join', email: `${first_name.length}@example.org`, first_name });
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
    uri = await api.create('mailer', { subjects: ['Stored'], html: '<p>stored</p>' });
    at = `/console/mailings/${idIn(uri)}/`;
  });
  after(() => api.close());

  const send = async (url: string, fields: Record<string, string | string[]>, who = visitor) => {
    const { body } = await who.get(`${at}edit/`);
    const version = /name="version" value="([^"]*)"/.exec(body)?.[1] ?? '';
    return who.post(url, { _csrf: who.token({ body } as never), version, ...FORM, ...fields });
  };

  it('shows what is in the form as a person would get it, and saves nothing', async () => {
    const shown = await send(`${at}edit/preview`, {});
    equal(shown.statusCode, 200, shown.body);
    match(String(shown.headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'self'.*sandbox/);
    match(shown.body, /<strong>Hello Ada<\/strong>.*srcdoc="[^"]*Dear Ada/s);
    match(
      (await send(`${at}edit/preview`, { preview_who: '5@example.org', preview_subject: '1' })).body,
      /<strong>Second<\/strong>.*Dear &amp;lt;Ben/s,
    );
    match((await send(`${at}edit/preview`, { preview_part: 'text' })).body, /<pre>Dear Ada/);
    match((await send(`${at}edit/preview`, { preview_who: 'no@body.example' })).body, /There is no such person/);
    equal((await api.read(uri)).html, '<p>stored</p>');
    const before = await mailings();
    match((await send('/console/mailings/new/preview', {})).body, /Dear Ada/);
    equal(await mailings(), before);
  });

  it('shows the preview text after the chosen subject, as an inbox does', async () => {
    const line = async (fields: Record<string, string | string[]>) =>
      /<dt>Subject<\/dt><dd>(.*?)<\/dd>/s.exec((await send(`${at}edit/preview`, fields)).body)![1]!;
    const two = { preview_text: ['{{ user.first_name }} & <us>, "today"', 'later'] };
    match(await line(two), /<strong>Hello Ada<\/strong> <span[^>]*>– Ada &amp; &lt;us&gt;, (&quot;|")today(&quot;|")<\/span>/);
    match(await line({ ...two, html: '<html><body class="x"><p>Dear</p></body></html>' }), />– Ada &amp; &lt;us&gt;/);
    match(await line({ ...two, preview_subject: '1' }), /<strong>Second<\/strong> <span[^>]*>– later</);
    match(await line({ ...two, preview_who: '5@example.org' }), /– &lt;Ben&gt; &amp; &lt;us&gt;/);
    match(await line({}), /No preview text: inboxes show how the mail begins/);
    await api.call('PATCH', uri, { preview_text: ['in short'] });
    match((await visitor.get(`${at}preview/?user=1`)).body, /<strong>Stored<\/strong> <span[^>]*>– in short</);
  });

  it('says which reports it does not show, and nothing of that where there are none', async () => {
    for (const name of ['raised', 'unused']) await api.create('queryreport', { name, short_name: name, sql: 'select 1204' });
    const html = '<p>{% report "raised" %} of {% report "raised" %}</p>';
    const words = /1 report is not read for a preview: nothing stands in the place of raised here/;
    match((await send(`${at}edit/preview`, { html })).body, words);
    match((await send(`${at}edit/preview`, { html, preview_part: 'text' })).body, words);
    doesNotMatch((await send(`${at}edit/preview`, {})).body, /not read for a preview/);
    doesNotMatch((await visitor.get(`${at}preview/?user=1`)).body, /not read for a preview/);
    const shown = await api.create('mailer', { subjects: ['Stored'], html });
    match((await visitor.get(`/console/mailings/${idIn(shown)}/preview/?user=1`)).body, words);
  });

  it('is there soon, however many addresses stand in the text', async () => {
    const text = 'x@x.com,'.repeat(10_000);
    const began = performance.now();
    match((await send(`${at}edit/preview`, { text, preview_part: 'text' })).body, /<pre>x@x\.com,x@x\.com/);
    ok(performance.now() - began < 5000, `${Math.round(performance.now() - began)} ms`);
  });

  it('shows what is wrong at its line, beside the form and in the preview', async () => {
    const html = '<p>one</p>\n<p>two</p>\n<p>{{ user.first_nam }}</p>\n<p>four</p>';
    match((await send(`${at}edit/preview`, { html })).body, /line 3.*<mark>3 {2}&lt;p&gt;\{\{ user\.first_nam/s);
    const refused = await send(`${at}edit/`, { html });
    equal(refused.statusCode, 400);
    match(refused.body, /<pre class="excerpt"[^>]*>1 {2}&lt;p&gt;one.*<mark>3 {2}&lt;p&gt;\{\{ user\.first_nam/s);
    const [before, stored] = [await mailings(), (await api.read(uri)).html];
    for (const url of [`${at}edit/problems`, '/console/mailings/new/problems']) {
      const told = (await send(url, { html })).json();
      deepEqual(Object.keys(told).sort(), ['html'], url);
      match(told.html[0], /^line 3, column 4, at “\{\{ user\.first_nam \}\}”: /);
      deepEqual((await send(url, {})).json(), {});
    }
    deepEqual([await mailings(), (await api.read(uri)).html], [before, stored]);
  });

  it('saves by itself, and overwrites nobody', async () => {
    const first = await visitor.get(`${at}edit/`);
    const version = /name="version" value="([^"]*)"/.exec(first.body)![1]!;
    const save = (more: Record<string, string>) =>
      visitor.post(`${at}edit/`, { _csrf: visitor.token(first), autosave: '1', ...FORM, version, ...more });
    const saved = await save({ notes: 'one' });
    equal(saved.statusCode, 200, saved.body);
    notEqual(saved.json().version, version);
    equal((await api.read(uri)).notes, 'one');
    const wrong = await save({ version: saved.json().version, html: '{{ user.' });
    equal(wrong.statusCode, 400);
    match(wrong.json().problems.join(), /line 1/);
    await api.call('PATCH', uri, { notes: 'theirs' });
    const overtaken = await save({ version: saved.json().version, notes: 'mine' });
    equal(overtaken.statusCode, 409);
    match(overtaken.json().problems.join(), /Somebody else/);
    equal((await api.read(uri)).notes, 'theirs');
    equal((await save({ version: saved.json().version, _csrf: 'forged' })).statusCode, 403);
  });

  it('has values and snippets to pick, and says that an unsubscribe link is put in', async () => {
    await api.create('snippet', { name: 'foot', html: 'x' });
    const { body } = await visitor.get(`${at}edit/`);
    match(body, /data-insert="\{% include &quot;foot&quot; %\}"/);
    match(body, /data-insert="\{\{ unsubscribe_link \}\}"/);
    match(body, /no link to unsubscribe of its own/);
    await api.call('PATCH', uri, { html: '<a href="{{ unsubscribe_link }}">Leave</a>' });
    doesNotMatch((await visitor.get(`${at}edit/`)).body, /no link to unsubscribe of its own/);
  });

  it('shows and offers to who only reads nothing of it', async () => {
    const reader = await enterAs(api, 'reader', ['mailer:read']);
    doesNotMatch((await reader.get(`${at}edit/`)).body, /write\.js|formaction/);
    for (const action of ['edit/preview', 'edit/problems', 'check-links'])
      equal((await send(at + action, {}, reader)).statusCode, 403, action);
    const writer = await enterAs(api, 'writer', ['mailer:read', 'mailer:write']);
    match((await send(`${at}edit/preview`, {}, writer)).body, /needs the grant user:read/);
  });
});

describe('asking the links of a mailing', () => {
  let server: Server;
  let port: number;
  let asked = 0;
  before(async () => {
    server = createServer((request, response) => {
      asked++;
      response.writeHead(request.url === '/gone' ? 404 : 200).end('x');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    port = (server.address() as AddressInfo).port;
  });
  after(() => void server.close());

  const links = async (settings: Record<string, string>) => {
    const api = await startApi(settings);
    try {
      const visitor = new ConsoleVisitor(api.app);
      await visitor.logIn(ADMIN);
      const url = `http://127.0.0.1:${port}`;
      const many = Array.from({ length: 45 }, (_, n) => `<a href="${url}/many/${n}">m</a>`).join('');
      const html = `<a href="${url}/here?a=1&amp;b=2">a</a> <a href='${url}/gone'>b</a> <a href="${url}/{{ user.id }}">c</a> <a href="http://localhost:${port}/name">d</a>${many}`;
      const uri = await api.create('mailer', { subjects: ['x'], html });
      const at = `/console/mailings/${idIn(uri)}/`;
      const page = await visitor.get(`${at}edit/`);
      const version = /name="version" value="([^"]*)"/.exec(page.body)![1]!;
      const answer = await visitor.post(`${at}check-links`, { _csrf: visitor.token(page), version, subject: 'x', html });
      equal(answer.statusCode, 200, answer.body);
      return answer.body.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    } finally {
      await api.close();
    }
  };

  it('reaches nothing in this network', async () => {
    const page = await links({});
    equal(asked, 0);
    match(page, /127\.0\.0\.1 is an address of this network/);
    match(page, /localhost is an address of this network/);
  });

  it('marks those that are not answered, and asks so many at most', async () => {
    const page = await links({ WEBHOOKS_INSIDE: 'true' });
    match(page, /1 link is not answered/);
    match(page, /\/here\?a=1&amp;b=2 answered.*\/gone it answered 404/);
    match(page, /8 more were not asked/);
    doesNotMatch(page, /user\.id/);
    equal(asked, 40);
  });
});
