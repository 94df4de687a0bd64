import { deepEqual, doesNotMatch, equal, ok } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { idIn, setMailing } from '../support/mailings.ts';
import { needsChromium, type Visit, visit } from '../support/visited-console.ts';

const HTML = '<p>Hello</p>';

describe('the console where what stands behind it is away, in a browser', () => {
  let api: TestApi;
  let here: Visit;
  let base: string;

  before(async function () {
    needsChromium(this);
    api = await startApi();
    base = await api.app.listen({ port: 0, host: '127.0.0.1' });
    here = await visit();
    await here.page.goto(`${base}/console/`);
    await here.logIn(ADMIN);
  });
  after(async () => {
    await here?.context.close();
    await api?.close();
  });

  const draft = () => api.create('mailer', { subjects: ['Walk'], html: HTML });
  const at = (uri: string) => `${base}/console/mailings/${idIn(uri)}/`;

  it('tells whoever saves what they wrote why it could not be, and not that they are logged out', async () => {
    const { page, says } = here;
    const uri = await draft();
    const edit = `${at(uri)}edit/`;
    await page.goto(edit);
    await page.locator('html.editing').waitFor();
    await page.locator('[name="subject"]').first().fill('Written meanwhile');
    const away = JSON.stringify({ problems: ['The database cannot be reached.'] });
    await page.route(edit, (route) =>
      route.request().headers()['accept'] === 'application/json'
        ? route.fulfill({ status: 503, contentType: 'application/json', body: away })
        : route.fulfill({ status: 503, contentType: 'text/html', body: '<p role="alert">The database cannot be reached.</p>' }),
    );
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await says(/^Not saved: /);
    equal(await page.locator('#autosaved').innerText(), 'Not saved: The database cannot be reached.');
    // It was sent by somebody else, before the console tries again by itself: the form comes back with what was written, and says why.
    await setMailing(api, uri, { status: 'completed' });
    await page.unroute(edit);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await says('It was not saved.');
    equal(await page.locator('[name="subject"]').first().inputValue(), 'Written meanwhile');
  });

  it('saves by itself what was written while it could not be reached, once it can', async () => {
    const { page, says } = here;
    const uri = await draft();
    await page.goto(`${at(uri)}edit/`);
    await page.locator('html.editing').waitFor();
    await page.route('**/edit/', (route) => route.abort());
    await page.getByLabel('Notes').fill('in a tunnel');
    await says('Not saved: the console cannot be reached.');
    await page.unroute('**/edit/');
    await says(/^Saved at /);
    equal((await api.read(uri)).notes, 'in a tunnel');
  });

  it('says since when a page is old, also after the machine slept', async () => {
    const { page } = here;
    await page.goto(at(await draft()));
    await page.waitForResponse(/\/live/);
    await page.evaluate(`Object.defineProperty(document, 'hidden', { value: true, configurable: true })`);
    const seen = new Date();
    // Until it has noticed.
    await page.waitForTimeout(6_000);
    await page.route('**/live*', (route) => route.abort());
    await page.clock.setFixedTime(seen.getTime() + 3 * 3_600_000);
    await page.evaluate(`delete document.hidden; document.dispatchEvent(new Event('visibilitychange')); undefined`);
    const note = page.locator('#stale');
    await note.waitFor();
    const said = Date.parse(`${/since (.*): what/.exec(await note.innerText())?.[1]} UTC`);
    ok(Math.abs(said - seen.getTime()) < 120_000, await note.innerText());
    // It stays in sight above what is scrolled, which would be read through it.
    doesNotMatch(await page.evaluate<string>(`getComputedStyle(document.getElementById('stale')).backgroundColor`), /transparent|rgba|\//);
    await page.unroute('**/live*');
  });

  it('says of an account that may not read a page any more that it may not, and not that nothing answers', async () => {
    const { page, says } = here;
    await page.goto(`${at(await draft())}`);
    await page.waitForResponse(/\/live/);
    await page.route('**/live*', (route) => route.fulfill({ status: 403, contentType: 'application/json', body: '{"problems":[]}' }));
    await page.evaluate(`document.dispatchEvent(new Event('input'))`);
    await says(/^Your account may not see this any more: what stands here is of /);
    await page.unroute('**/live*');
  });

  it('says that nothing could be looked for, and keeps what was found', async () => {
    const { page, says, troubles } = here;
    for (let n = 0; n < 12; n++) await api.create('list', { name: `List ${n}` });
    await page.goto(`${at(await draft())}choose/`);
    const search = page.getByLabel(/^Search: .*list/i).first();
    await search.fill('List 1');
    await says('3 found.');
    troubles.length = 0;
    await page.route('**/choices/**', (route) => route.abort());
    await search.fill('List 11');
    await says('Nothing can be looked for just now.');
    deepEqual(
      troubles.filter((each) => !/ERR_FAILED/.test(each)),
      [],
    );
    await page.unroute('**/choices/**');
  });

  it('says of a chart that it could not be had', async () => {
    const { page, says } = here;
    for (const away of ['**/console/growth', '**/uplot.js']) {
      await page.route(away, (route) => route.abort());
      await page.goto(`${base}/console/`);
      await says('The chart could not be loaded.');
      await page.unroute(away);
    }
  });

  it('says so where a script of a page did not arrive', async () => {
    const { page, says } = here;
    const uri = await draft();
    for (const [path, script] of [
      ['audience/', '**/console.js'],
      ['edit/', '**/write.js'],
      ['choose/', '**/choose.js'],
    ] as const) {
      await page.route(script, (route) => route.abort());
      await page.goto(at(uri) + path);
      await says('Part of this page did not load: what it counts, draws, shows anew or saves by itself may be missing.');
      await page.unroute(script);
    }
  });
});
