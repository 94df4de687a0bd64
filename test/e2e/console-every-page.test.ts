import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { openConsole } from '../../bench/support/console-walk.ts';
import { growWhole } from '../../bench/support/grown-data.ts';
import { type ServedApi, serveApi } from '../../bench/support/served-api.ts';
import { useConsole } from '../../bench/support/used-console.ts';
import { findings } from '../support/axe.ts';
import { PATIENCE_MS } from '../support/browser.ts';
import { tabTroubles } from '../support/tab-order.ts';
import { needsChromium } from '../support/visited-console.ts';

const PEOPLE = 20_000;
const MAILINGS = 120;
const DESK = { width: 1280, height: 720 };
const PHONE = { width: 360, height: 800 };
/** Charts that are not as wide as their place, a moment after it has changed. */
const ILL_FITTING = `new Promise((resolve) => {
  const illFitting = () => [...document.querySelectorAll('.plot .uplot')].filter((each) => each.offsetWidth > each.parentElement.clientWidth + 1);
  const end = performance.now() + 5_000;
  const look = () => (illFitting().length && performance.now() < end ? requestAnimationFrame(look) : resolve(illFitting().map((each) => each.outerHTML.slice(0, 80))));
  requestAnimationFrame(look);
})`;
/** What reaches over the right edge of a page that scrolls sideways; not what scrolls in a box of its own. */
const TOO_WIDE = `(() => {
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const isBoxed = (each) => each !== null && each !== document.body && (getComputedStyle(each).overflowX !== 'visible' || isBoxed(each.parentElement));
  return [...document.body.querySelectorAll('*')]
    .filter((each) => each.getBoundingClientRect().right > clientWidth + 1 && !isBoxed(each.parentElement))
    .map((each) => each.outerHTML.slice(0, 80))
    .concat('by ' + (scrollWidth - clientWidth) + ' pixels');
})()`;

describe('every page of the console', function () {
  this.timeout(1_200_000);
  let served: ServedApi;
  let page: Page;
  let base: string;
  let pages: string[];

  before(async function () {
    needsChromium(this);
    served = await serveApi({ RATE_LIMIT_PER_MINUTE: '0' }, async (pool) => {
      await growWhole(pool, PEOPLE);
      await useConsole(pool, MAILINGS);
    });
    ({ page, base, pages } = await openConsole(served));
    page.setDefaultTimeout(PATIENCE_MS);
  });
  after(() => served?.close());

  const open = async (path: string) => {
    await page.goto(base + path);
    // A frame that loads takes the focus out of it.
    if (await page.locator('iframe').count()) await page.waitForLoadState('networkidle');
    await page.locator('[aria-busy]').waitFor({ state: 'detached' });
  };

  it('has everything within reach of Tab, in the order in which it is read, shows where it is, can be read by everybody, in light and dark, and fits a phone', async () => {
    const troubles: string[] = [];
    for (const path of pages) {
      await open(path);
      troubles.push(...(await tabTroubles(page)), ...(await findings(page)));
      await page.emulateMedia({ colorScheme: 'dark' });
      for (const each of await findings(page, 'color-contrast')) troubles.push(`in the dark: ${each}`);
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize(PHONE);
      const wide = await page.evaluate<string[]>(TOO_WIDE);
      if (wide.length) troubles.push(`${path} scrolls sideways: ${wide}`);
      const illFitting = await page.evaluate<string[]>(ILL_FITTING);
      if (illFitting.length) troubles.push(`${path} has charts wider than their place: ${illFitting}`);
      await page.setViewportSize(DESK);
    }
    assert.deepEqual(troubles, []);
  });
});
