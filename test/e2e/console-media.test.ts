import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { needsChromium, type Visit, visit } from '../support/visited-console.ts';

/** What of a page stands in boxes that paper cannot scroll, and would be cut off. */
const CUT_OFF = `[...document.querySelectorAll('main *')]
  .filter((each) => !each.matches('.unseen, .examples, .what small, option, select, input, textarea') && getComputedStyle(each).overflowX !== 'visible')
  .filter((each) => each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1)
  .map((each) => each.outerHTML.slice(0, 80))`;

/** A page is laid out for paper and put onto it before a chart is drawn anew: so it is looked at, at once. */
const CHART_ON_PAPER = `(() => {
  document.querySelector('main').style.width = '680px';
  const right = (selector) => document.querySelector(selector).getBoundingClientRect().right;
  return right('.plot canvas') <= right('.plot') + 1;
})()`;

describe('the console on paper, and in colours of one’s own', function () {
  this.timeout(60_000);
  let api: TestApi;
  let here: Visit;
  let base: string;

  before(async function () {
    needsChromium(this);
    api = await startApi();
    await ensureReportRole(api.pool, api.env);
    base = `${await api.app.listen({ port: 0, host: '127.0.0.1' })}/console/`;
    here = await visit();
    await here.page.goto(base);
    await here.logIn(ADMIN);
  });
  after(async () => {
    await here?.context.close();
    await api?.close();
  });

  it('prints the whole of a wide report, and of what is long', async () => {
    const { page, says } = here;
    await page.goto(`${base}reports/sql/`);
    const columns = Array.from({ length: 14 }, (_, n) => `'neighbourhood ${n}' as precinct_of_the_walk_${n}`).join(', ');
    await page.getByLabel('SQL').fill(`select ${columns}`);
    await page.getByRole('button', { name: 'Run' }).click();
    await says('neighbourhood 13');
    await page.setViewportSize({ width: 718, height: 1000 });
    notEqual(await page.evaluate(`(${CUT_OFF}).length`), 0, 'it is too wide for the page');
    await page.emulateMedia({ media: 'print' });
    deepEqual(await page.evaluate(CUT_OFF), []);
    await page.emulateMedia({ media: null });
    await page.setViewportSize({ width: 1180, height: 800 });
  });

  it('prints the whole of a chart that was drawn for a screen', async () => {
    const { page } = here;
    await page.goto(base);
    await page.locator('.plot canvas').waitFor();
    await page.emulateMedia({ media: 'print' });
    equal(await page.evaluate(CHART_ON_PAPER), true);
    await page.emulateMedia({ media: null });
  });
});
