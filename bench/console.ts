import { parseArgs } from 'node:util';
import type pg from 'pg';
import { ensureReportRole } from '../core/reports/report-role.ts';
import { chromiumPath, startBrowser } from '../test/support/browser.ts';
import { BAR_MS, type Painted, pagesOf, shown, visit } from './support/console-walk.ts';
import { growWhole } from './support/grown-data.ts';
import { listen, type ServedApi, serveApi } from './support/served-api.ts';
import { useConsole } from './support/used-console.ts';

/**
 * How soon each page of the console shows something: navigation to first contentful paint in Chromium, on a platform with a million people and 500 mailings.
 * The process ends with 1 when a page misses its bar.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: {
      people: { type: 'string', default: '1000000' },
      mailings: { type: 'string', default: '500' },
      visits: { type: 'string', default: '5' },
    },
  });
  if (!chromiumPath) throw new Error('There is no Chromium here: CHROMIUM_PATH says where one is.');
  const people = Number(values.people);
  const began = performance.now();
  const served = await serveApi({ RATE_LIMIT_PER_MINUTE: '0' }, async (pool) => {
    await growWhole(pool, people);
    await useConsole(pool, Number(values.mailings));
  });
  try {
    console.log(`${people} people and ${values.mailings} mailings in ${Math.round((performance.now() - began) / 1000)} s`);
    return { people, mailings: Number(values.mailings), ...(await walk(served, Number(values.visits))) };
  } finally {
    await served.close();
  }
}

/** Visits every page; prints the table. */
export async function walk(
  served: Pick<ServedApi, 'app' | 'env' | 'pool'>,
  visits: number,
): Promise<{ pages: Painted[]; missed: string[] }> {
  await ensureReportRole(served.pool, served.env);
  const base = `${await listen(served.app)}/console/`;
  const page = await (await startBrowser()).newPage();
  await page.goto(base);
  await page.getByLabel('User name').fill(served.env.ADMIN_USERNAME);
  await page.getByLabel('Password').fill(served.env.ADMIN_PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Log out' }).waitFor();
  const pages: Painted[] = [];
  for (const name of pagesOf(await oneOfEach(served.pool))) {
    const each = shown(name, await visit(page, base + name, visits));
    console.log(
      `${each.held ? ' ' : '!'} ${name || 'home'}: ${each.median} ms (answered ${each.answered}, slowest ${each.slowest}; bar ${BAR_MS})`,
    );
    pages.push(each);
  }
  const missed = pages.filter(({ held }) => !held).map(({ page: name }) => name);
  console.log(missed.length ? `missed: ${missed.join('; ')}` : `all ${pages.length} pages are held`);
  if (missed.length) process.exitCode = 1;
  return { pages, missed };
}

async function oneOfEach(pool: pg.Pool): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ status: string; id: number }>(
    'select status, max(id) as id from core_mailing where not hidden group by status',
  );
  return Object.fromEntries(rows.map(({ status, id }) => [status, id]));
}
