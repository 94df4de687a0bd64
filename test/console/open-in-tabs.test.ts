import { deepEqual, equal, match } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';

const NEXT = '/console/mailings/?q=spring';

describe('the console in several tabs of one browser', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  /** Two tabs that were opened at once: each was answered before the browser had a cookie of the other's. */
  async function openAtOnce(cookies: [string, string][], url: string) {
    const tabs = [0, 1].map(() => new ConsoleVisitor(api.app, new Map(cookies)));
    const pages = await Promise.all(tabs.map((tab) => tab.get(url)));
    // The browser has one jar, with what the last answer has put into it.
    return { browser: tabs[1]!, tokens: pages.map((page) => tabs[0]!.token(page)) };
  }

  it('takes the forms of all pages that were opened at once, after the browser was closed in between', async () => {
    const before = new ConsoleVisitor(api.app);
    await before.logIn(ADMIN);
    // The session lasts; what a browser keeps for as long as it is open is gone.
    const session = before.cookie.split('; ').filter((each) => each.startsWith('campaign_console='));
    const { browser, tokens } = await openAtOnce(
      session.map((each) => each.split('=', 2) as [string, string]),
      '/console/lists/',
    );
    for (const [n, _csrf] of tokens.entries()) {
      const made = await browser.post('/console/lists/', { _csrf, name: `List of tab ${n}`, notes: '' });
      equal(made.statusCode, 303, made.body);
    }
  });

  it('leads each tab that waits at the login to where it was to go, once somebody has logged in in one of them', async () => {
    const browser = new ConsoleVisitor(api.app);
    const waiting = browser.token(await browser.get(`/console/login?next=${encodeURIComponent(NEXT)}`));
    await browser.logIn(ADMIN);
    const loadedAnew = await browser.get(`/console/login?next=${encodeURIComponent(NEXT)}`);
    deepEqual([loadedAnew.statusCode, loadedAnew.headers.location], [303, NEXT]);
    const pressed = await browser.post('/console/login', { _csrf: waiting, next: NEXT, ...ADMIN });
    deepEqual([pressed.statusCode, pressed.headers.location], [303, NEXT], pressed.body);
    for (const away of ['//evil.test/', 'https://evil.test/', '/rest/v1/', '/console/../click/1.1.aaaaaa/0', '/console/%2e%2E/view/x'])
      equal((await browser.get(`/console/login?next=${encodeURIComponent(away)}`)).headers.location, '/console/');
    // Somebody else is not taken for who is logged in.
    const other = await browser.post('/console/login', { _csrf: waiting, next: NEXT, ...ADMIN, username: 'somebody-else' });
    equal(other.statusCode, 403);
  });

  it('asks once more where the login of another tab was opened at the same time, and keeps where it was to go', async () => {
    const { browser, tokens } = await openAtOnce([], `/console/login?next=${encodeURIComponent(NEXT)}`);
    const refused = await browser.post('/console/login', { _csrf: tokens[0]!, next: NEXT, ...ADMIN });
    equal(refused.statusCode, 403);
    match(refused.body, /role="alert"><p>[^<]*once more/);
    match(refused.body, /name="next" value="\/console\/mailings\/\?q=spring"/);
    equal((await browser.get('/console/')).statusCode, 303, 'nobody is logged in by it');
    const entered = await browser.post('/console/login', { _csrf: browser.token(refused), next: NEXT, ...ADMIN });
    equal(entered.headers.location, NEXT);
  });
});
