import { equal } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';

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
});
