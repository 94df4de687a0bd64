import { parseArgs } from 'node:util';
import { chromiumPath } from '../test/support/browser.ts';
import { BAR_MS, openConsole, type Painted, shown, visit } from './support/console-walk.ts';
import { growWhole } from './support/grown-data.ts';
import { type ServedApi, serveApi } from './support/served-api.ts';
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
async function walk(served: ServedApi, visits: number): Promise<{ pages: Painted[]; missed: string[] }> {
  const { page, base, pages: names } = await openConsole(served);
  const pages: Painted[] = [];
  for (const name of names) {
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
