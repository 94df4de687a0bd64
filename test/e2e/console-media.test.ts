import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { idIn } from '../support/mailings.ts';
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

const LOOKS = `(each) => {
  const { backgroundColor, color, borderBottomColor, borderBottomWidth, fontWeight, outlineStyle } = getComputedStyle(each);
  return [backgroundColor, color, borderBottomColor, borderBottomWidth, fontWeight, outlineStyle].join();
}`;

describe('the console on paper, and in colours of one’s own', () => {
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

  it('shows in forced colours where one is, what is pressed, and what the arrows have come to', async () => {
    const { page } = here;
    for (let n = 0; n < 3; n++)
      await api.call('POST', '/rest/v1/user/', {
        email: `p${n}@example.org`,
        city: `Springfield ${n}`,
        state: 'NY',
        country: 'United States',
      });
    const at = `${base}mailings/${idIn(await api.create('mailer', { subjects: ['Walk'], html: '<p>Hello</p>' }))}/`;
    await page.emulateMedia({ forcedColors: 'active' });
    const looks = async (selector: string) => {
      await page.locator(selector).first().waitFor();
      return page.evaluate<string>(`(${LOOKS})(document.querySelector(${JSON.stringify(selector)}))`);
    };
    const tellApart = async (one: string, other: string) => notEqual(await looks(one), await looks(other), `${one} looks like another`);
    await page.goto(at);
    await tellApart('.tabs [aria-current]', '.tabs a:not([aria-current])');
    await tellApart('.top nav [aria-current]', '.top nav a:not([aria-current])');
    await page.goto(`${base}mailings/`);
    await tellApart('.filters nav [aria-current]', '.filters nav a:not([aria-current])');
    await page.goto(`${at}edit/`);
    await page.locator('html.editing').waitFor();
    await tellApart('[aria-pressed="true"]', '[aria-pressed="false"]');
    await page.getByRole('textbox', { name: 'HTML' }).press('ControlOrMeta+a');
    await tellApart('.cm-selectionBackground', '.cm-scroller');
    await page.goto(`${at}choose/`);
    await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`);
    await page.locator('[data-offers="states"]').first().pressSequentially('N');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await tellApart('[role="option"][aria-selected="true"]', '.offered');
    await page.emulateMedia({ forcedColors: null });
  });
});
