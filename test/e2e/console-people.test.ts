import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { readEnv } from '../../config/env.ts';
import { type Platform, startPlatform } from '../../embedded/platform.ts';
import { ApiClient } from '../../tools/demo/client.ts';
import { findings } from '../support/axe.ts';
import { chromiumPath, startBrowser } from '../support/browser.ts';
import { dataFolder } from '../support/data-folder.ts';

const PICTURES = join(import.meta.dirname, '../../test-output/console');

/** A file of 200 people as a spreadsheet saves it; two of its lines cannot be imported. */
const FILE = [
  'Email Address,First name,Last name,Zip,Notes',
  ...Array.from({ length: 202 }, (_, n) =>
    n === 50
      ? 'not an address,No,Body,,'
      : n === 120
        ? 'cut@example.org,Cut'
        : `walker${n}@example.org,Wanda,Walker${n},10001,"likes, dogs"`,
  ),
].join('\r\n');

describe('people in the console, in a browser', function () {
  this.timeout(120_000);
  const env = readEnv({ PORT: '0', DATA_DIR: dataFolder(), WORKER_PROCESSES: '1' });
  let platform: Platform;
  let context: BrowserContext;
  let page: Page;
  const troubles: string[] = [];

  before(async function () {
    if (!chromiumPath) {
      console.log('      no Chromium on this machine (set CHROMIUM_PATH): skipped; its pages and forms are tested without one, too');
      return this.skip();
    }
    mkdirSync(PICTURES, { recursive: true });
    platform = await startPlatform(env);
    const api = new ApiClient(platform.baseUrl, env.ADMIN_USERNAME, env.ADMIN_PASSWORD);
    await api.write('POST', '/rest/v1/list/', { name: 'News' });
    await api.write('POST', '/rest/v1/user/', { email: 'ada@example.org', first_name: 'Ada', last_name: 'Lovelace', zip: '10001' });
    context = await (await startBrowser()).newContext({ viewport: { width: 1180, height: 800 }, acceptDownloads: true });
    page = await context.newPage();
    page.on('pageerror', (error) => void troubles.push(error.message));
    page.on('console', (message) => void (message.type() === 'error' && troubles.push(message.text())));
    await page.goto(`${platform.baseUrl}/console/people/`);
    await page.getByLabel('User name').fill(env.ADMIN_USERNAME);
    await page.getByLabel('Password').fill(env.ADMIN_PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'People', exact: true }).waitFor();
  });
  after(async () => {
    await context?.close();
    await platform?.stop();
  });

  const says = (text: string | RegExp) => page.getByText(text).first().waitFor();

  it('are found, edited and put on a list with the keyboard alone', async () => {
    await page.getByLabel('Name, email address or id').focus();
    await page.keyboard.type('lovel');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Ada Lovelace' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    await page.getByRole('link', { name: 'Edit' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('First name').focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('Augusta');
    await page.keyboard.press('Enter');
    await says('Saved.');
    await page.getByRole('heading', { name: 'Augusta Lovelace' }).waitFor();
    await page.getByLabel('Put on a list').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await says('Put on the list.');
    await page.getByRole('button', { name: 'Unsubscribe from News' }).waitFor();
  });

  it('are imported from a file of 200, and its two bad lines come back as a file', async () => {
    await page.goto(`${platform.baseUrl}/console/people/`);
    await page.getByRole('link', { name: 'Import people' }).click();
    await page.getByLabel('A CSV file').setInputFiles({ name: 'walkers.csv', mimeType: 'text/csv', buffer: Buffer.from(FILE) });
    await page.getByRole('button', { name: 'Go on' }).click();
    equal(await page.getByLabel('Email Address').inputValue(), 'email');
    await page.getByLabel('Notes').selectOption({ label: 'Custom field notes' });
    await page.getByLabel('Name', { exact: true }).fill('Spring walk');
    await page.getByLabel('Puts them on the list').selectOption({ label: 'News' });
    await page.getByLabel('Declare custom fields that are new').check();
    await page.getByRole('button', { name: 'See what would happen' }).click();
    await says(/200 lines of 202 can be imported/);
    await page.screenshot({ path: join(PICTURES, 'import-check.png') });
    await page.getByRole('button', { name: 'Import 200 lines' }).click();
    // The page keeps itself up to date.
    await says(/200 of 202 lines imported/);
    await says('email is not an email address.');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV of all errors by line' }).click(),
    ]);
    match(
      readFileSync(await file.path(), 'utf8'),
      /^line,error\r\n52,email is not an email address\.\r\n122,The line has 2 cells where the header has 5\.\r\n$/,
    );
  });

  const open = async (path: string) => void (await page.goto(`${platform.baseUrl}/console/${path}`));
  const PAGES = ['people/1/', 'people/1/edit/', 'people/1/merge/?with=2', 'imports/1/', 'accounts/groups/new'];
  const OTHERS = ['people/', 'people/1/changes/', 'lists/1/', 'people/1/erase/', 'lists/', 'imports/', 'accounts/', 'accounts/1/'];

  it('can be read by everybody, in light and dark', async () => {
    for (const path of PAGES) {
      await open(path);
      deepEqual(await findings(page), [], path);
      await page.emulateMedia({ colorScheme: 'dark' });
      deepEqual(await findings(page, 'color-contrast'), [], `${path} in the dark`);
      await page.emulateMedia({ colorScheme: 'light' });
    }
  });

  it('fit a phone', async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    for (const path of [...PAGES, ...OTHERS]) {
      await open(path);
      equal(
        await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
        0,
        `${path} scrolls sideways`,
      );
    }
    // Tabs stay one row, which leads to the one somebody is on.
    await open('people/1/changes/');
    const tabs = page.getByRole('navigation', { name: 'Person 1' });
    ok((await tabs.boundingBox())!.height < 50, 'tabs wrap');
    const here = (await tabs.locator('[aria-current]').boundingBox())!;
    ok(here.x >= 0 && here.x + here.width <= 360, `its tab stands at ${here.x}`);
    await open('people/1/');
    await page.screenshot({ path: join(PICTURES, 'phone-person.png') });
  });

  it('has had no trouble with scripts or policies', () => deepEqual(troubles, []));
});
