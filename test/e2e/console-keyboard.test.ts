import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { openConsole } from '../../bench/support/console-walk.ts';
import { growWhole } from '../../bench/support/grown-data.ts';
import { type ServedApi, serveApi } from '../../bench/support/served-api.ts';
import { useConsole } from '../../bench/support/used-console.ts';
import { tabTroubles } from '../support/tab-order.ts';
import { needsChromium } from '../support/visited-console.ts';

const PEOPLE = 20_000;
const MAILINGS = 120;

describe('the console by keyboard', function () {
  this.timeout(240_000);
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
  });
  after(() => served?.close());

  it('reaches everything on every page by Tab, in the order in which it is read, and shows where it is', async () => {
    const troubles: string[] = [];
    for (const path of pages) {
      await page.goto(base + path);
      // A frame that loads takes the focus out of it.
      if (await page.locator('iframe').count()) await page.waitForLoadState('networkidle');
      await page.locator('[aria-busy]').waitFor({ state: 'detached' });
      troubles.push(...(await tabTroubles(page)));
    }
    assert.deepEqual(troubles, []);
  });
});
