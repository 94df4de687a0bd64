import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findings } from '../support/axe.ts';
import { READY } from '../support/mailings.ts';
import { sharedServers } from '../support/shared-servers.ts';
import { needsChromium, type VisitedPlatform, visitPlatform } from '../support/visited-console.ts';

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

describe('people in the console, in a browser', () => {
  let here: VisitedPlatform;

  before(async function () {
    needsChromium(this);
    mkdirSync(PICTURES, { recursive: true });
    here = await visitPlatform(await sharedServers());
    await here.api.write('POST', '/rest/v1/list/', { name: 'News' });
    await here.api.write('POST', '/rest/v1/user/', { email: 'ada@example.org', first_name: 'Ada', last_name: 'Lovelace', zip: '10001' });
    const mailing = await here.api.write('POST', '/rest/v1/mailer/', { ...READY, includes: { lists: ['News'] } });
    await here.api.write('POST', '/rest/v1/recurringschedule/', {
      mailing,
      period: 'monthly',
      day: 28,
      hour: 9,
      minute: 0,
      timezone: 'America/New_York',
    });
    await here.api.write('POST', '/rest/v1/webhook/', {
      url: 'https://example.org/hook',
      events: ['bounce'],
      secret: `whsec_${Buffer.alloc(24).toString('base64')}`,
    });
    await here.page.goto(`${here.platform.baseUrl}/console/people/`);
    await here.logIn(here.login);
    await here.page.getByRole('heading', { name: 'People', exact: true }).waitFor();
  });
  after(() => here?.close());

  it('are found, edited and put on a list with the keyboard alone', async () => {
    const { page, says } = here;
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
    const { platform, page, says } = here;
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
      /^\uFEFFline,error\r\n52,email is not an email address\.\r\n122,The line has 2 cells where the header has 5\.\r\n$/,
    );
  });

  const open = async (path: string) => void (await here.page.goto(`${here.platform.baseUrl}/console/${path}`));
  const PAGES = [
    'people/',
    'people/?find=lovelace',
    'people/1/',
    'people/1/actions/',
    'people/1/mails/',
    'people/1/donations/',
    'people/1/changes/',
    'people/1/edit/',
    'people/1/erase/',
    'people/1/merge/',
    'people/1/merge/?with=2',
    'lists/',
    'lists/1/',
    'imports/',
    'imports/1/',
    'accounts/',
    'accounts/new',
    'accounts/1/',
    'accounts/groups/new',
    'webhooks/',
    'webhooks/1/',
    'mailings/1/recipients/skipped/',
    // One that recurs.
    'mailings/1/schedule/',
  ];

  it('have every table as a file, as it is shown', async () => {
    const { page, platform } = here;
    for (const name of ['=Danger, "quoted"', '＝Wide', 'half;=danger']) await here.api.write('POST', '/rest/v1/list/', { name });
    await page.goto(`${platform.baseUrl}/console/lists/`);
    const loading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV of these rows' }).press('Enter');
    const download = await loading;
    const [head, ...rows] = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    equal(download.suggestedFilename(), 'Lists.csv');
    equal(head!.split(',')[0], '\uFEFFList');
    ok(
      rows.some((row) => row.startsWith('"\'=Danger, ""quoted"""')),
      rows.join('; '),
    );
    for (const begin of ["'＝Wide,", '"half;=danger",'])
      ok(
        rows.some((row) => row.startsWith(begin)),
        rows.join('; '),
      );
  });

  it('can be read by everybody, in light and dark', async () => {
    const { page } = here;
    const found: string[] = [];
    for (const path of PAGES) {
      await open(path);
      found.push(...(await findings(page)));
      await page.emulateMedia({ colorScheme: 'dark' });
      for (const each of await findings(page, 'color-contrast')) found.push(`in the dark: ${each}`);
      await page.emulateMedia({ colorScheme: 'light' });
    }
    deepEqual(found, []);
  });

  it('fit a phone', async () => {
    const { page } = here;
    await page.setViewportSize({ width: 360, height: 800 });
    for (const path of PAGES) {
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
    const isSeen = async (row: typeof tabs) => {
      const { x, width } = (await row.locator('[aria-current]').boundingBox())!;
      ok(x >= 0 && x + width <= 360, `where one is stands at ${x}`);
    };
    await isSeen(tabs);
    // So does the bar on top.
    await open('health/');
    await isSeen(page.getByRole('navigation', { name: 'Main' }));
    await open('people/1/');
    await page.screenshot({ path: join(PICTURES, 'phone-person.png') });
  });

  it('has written into the audit log what was done', async () => {
    const { api, env } = here;
    const { objects } = await api.read<{ objects: { path: string; username: string; status: number }[] }>('/rest/v1/auditlog/?_limit=100');
    const paths = objects.filter(({ username, status }) => username === env.ADMIN_USERNAME && status === 303).map(({ path }) => path);
    for (const written of ['people/1/edit/', 'people/1/subscribe', 'imports/draft/1/', 'imports/draft/1/start'])
      ok(paths.includes(`/console/${written}`), `${written} is not in the audit log: ${paths.join(' ')}`);
  });

  it('has had no trouble with scripts or policies', () => deepEqual(here.troubles, []));
});
