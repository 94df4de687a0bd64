import type pg from 'pg';
import type { Page } from 'playwright-core';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { startBrowser } from '../../test/support/browser.ts';
import { ACTED, ACTIVE_PERSON, MAILINGS } from './grown-data.ts';
import { median } from './percentile.ts';
import { listen, type ServedApi } from './served-api.ts';

/** How long the first content of a page may take to be painted, in ms. */
export const BAR_MS = 300;

export interface Painted {
  page: string;
  /** Navigation to first contentful paint, ms: the median of all visits, and the slowest. */
  median: number;
  slowest: number;
  /** The same to the first byte of the answer, the median: what is ours of it. */
  answered: number;
  held: boolean;
}

/** The console on what used-console.ts fills, in a browser, logged in. `pages` are all there are, below `base`. */
export async function openConsole(served: ServedApi): Promise<{ page: Page; base: string; pages: string[] }> {
  await ensureReportRole(served.pool, served.env);
  const base = `${await listen(served.app)}/console/`;
  const page = await (await startBrowser()).newPage();
  await page.goto(base);
  await page.getByLabel('User name').fill(served.env.ADMIN_USERNAME);
  await page.getByLabel('Password').fill(served.env.ADMIN_PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Log out' }).waitFor();
  return { page, base, pages: pagesOf(await oneOfEach(served.pool)) };
}

async function oneOfEach(pool: pg.Pool): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ status: string; id: number }>(
    'select status, max(id) as id from core_mailing where not hidden group by status',
  );
  return Object.fromEntries(rows.map(({ status, id }) => [status, id]));
}

/** @param statuses a mailing of each status there is */
function pagesOf(statuses: Readonly<Record<string, number>>): string[] {
  const of = (base: string, paths: string[]) => paths.map((path) => base + path);
  const any = MAILINGS + 1;
  return [
    ...[
      '',
      'donations/',
      'donations/?months=24',
      'health/',
      'whipcounts/',
      'whipcounts/1/',
      'reports/',
      'reports/sql/',
      'reports/whipcount_calls_per_target/',
      'webhooks/',
      'webhooks/1/',
    ],
    ...of('mailings/', ['', '?group=sent', '?group=sent&page=15', '?q=vote', '?q=nothing of that name', '?archived=1', 'new']),
    ...Object.values(statuses).map((id) => `mailings/${id}/`),
    ...of(`mailings/${ACTED.one}/`, [
      'edit/',
      'preview/',
      'results/',
      'audience/',
      'recipients/uncertain/',
      'recipients/failed/',
      'recipients/skipped/',
    ]),
    ...of(`mailings/${ACTED.two}/`, ['results/']),
    ...of(`mailings/${any}/`, ['edit/', 'results/']),
    ...of(`mailings/${statuses['draft']}/`, ['edit/', 'choose/', 'schedule/', 'preview/', 'confirm/queue']),
    ...[
      'people/',
      'lists/',
      'lists/1/',
      'lists/2/',
      'imports/',
      'imports/1/',
      'accounts/',
      'accounts/1/',
      'accounts/new',
      'accounts/groups/new',
      'accounts/groups/1/',
    ],
    ...[ACTIVE_PERSON, 12_345].flatMap((id) =>
      of(`people/${id}/`, ['', 'actions/', 'mails/', 'donations/', 'changes/', 'edit/', 'erase/', 'merge/', `merge/?with=${id + 1}`]),
    ),
  ];
}

/** Of the page there is, ms since the navigation began; 0 as long as nothing was painted. */
const TIMES = `[performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0, performance.getEntriesByType('navigation')[0].responseStart]`;

async function firstPaint(page: Page): Promise<[painted: number, answered: number]> {
  for (;;) {
    const times = await page.evaluate<[number, number]>(TIMES);
    if (times[0] > 0) return times;
    await page.waitForTimeout(10);
  }
}

/** Visits a page so many times. @throws Error when it answers anything but 200 */
export async function visit(page: Page, address: string, visits: number): Promise<[painted: number, answered: number][]> {
  const times: [number, number][] = [];
  for (let n = 0; n < visits; n++) {
    const answer = await page.goto(address, { waitUntil: 'load' });
    if (answer?.status() !== 200) throw new Error(`${address} answered ${answer?.status()}`);
    times.push(await firstPaint(page));
    // Where nothing of the page before is under way any more.
    await page.goto('about:blank');
  }
  return times;
}

export function shown(name: string, times: [painted: number, answered: number][]): Painted {
  const [painted, answered] = ([0, 1] as const).map((which) => times.map((each) => Math.round(each[which])));
  const middle = median(painted!);
  return { page: name, median: middle, slowest: Math.max(...painted!), answered: median(answered!), held: middle <= BAR_MS };
}
