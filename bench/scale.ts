import { parseArgs } from 'node:util';
import { readCharts, readSubjectCharts } from '../console/chart-data.ts';
import { clicksByLink } from '../core/mailings/clicks-by-link.ts';
import { runListDeletion } from '../core/people/list-deletion.ts';
import { REPORT_QUERIES } from '../core/reports/report-public-names.ts';
import { sqlOn } from '../db/sql.ts';
import { ACTED, growWhole } from './support/grown-data.ts';
import { percentile } from './support/percentile.ts';
import { type Reader, startReader } from './support/read-load.ts';
import { rebuilder, SCALE_REBUILDS } from './support/scale-rebuilds.ts';
import { SCALE_REQUESTS } from './support/scale-requests.ts';
import { listen, type ServedApi, serveApi } from './support/served-api.ts';

interface Measured {
  what: string;
  p50: number;
  p95: number;
  /** Milliseconds at the 95th percentile; null: only measured. */
  bar: number | null;
  held: boolean;
}

/** No request is asked again once it has taken so long in all. */
const PATIENCE_MS = 4000;
const TWO = [1, 2].map((n) => ({ subject: `Subject ${n}`, recipients: 1 }));
const OPENED = 'count(*), count(*) filter (where opens > 0)';
const REPORTS = {
  'report of the opens of every mailing': `select mailing_id, recipients, opens from (${REPORT_QUERIES['summary_mailing']}) m`,
  'report of the recipients of a mailing who opened': `select ${OPENED} from (${REPORT_QUERIES['summary_usermailing']}) m where mailing_id = ${ACTED.one}`,
};
const SLOW = '/rest/v1/action/?user__state=CA';
/** Lists deleted; there are enough others. */
const DELETED = 5;

/**
 * What a platform grown large answers in what time: a table of requests, each with its bar, and most of them once more while ten slow ones of another account are under way.
 * The process ends with 1 when a bar is missed. `--people 5000000` takes 15 GB of disk.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: { people: { type: 'string', default: '5000000' }, rounds: { type: 'string', default: '60' } },
  });
  const [people, rounds] = [Number(values.people), Number(values.rounds)];
  const began = performance.now();
  const served = await serveApi({ RATE_LIMIT_PER_MINUTE: '0' }, (pool) => growWhole(pool, people));
  const fillSeconds = Math.round((performance.now() - began) / 1000);
  const reader = startReader();
  try {
    const { rows } = await served.pool.query('select pg_size_pretty(pg_database_size(current_database())) as size');
    console.log(`${people} people and what hangs on them in ${fillSeconds} s, ${rows[0].size}`);
    const base = await listen(served.app);
    const anyone = () => String(1 + Math.floor(Math.random() * people));
    const ask = (path: string) => () => readOnce(reader, base + path.replace('PERSON', anyone()));

    const measured: Measured[] = [];
    const take = async (what: string, bar: number | null, one: () => Promise<number>, most = rounds) => {
      const row = { what, ...(await times(one, Math.min(rounds, most))), bar };
      const held = bar === null || row.p95 <= bar;
      measured.push({ ...row, held });
      console.log(`${held ? ' ' : '!'} ${what}: ${row.p50} ms, ${row.p95} ms (${bar ?? 'no bar'})`);
    };
    for (const { what, path, bar } of SCALE_REQUESTS) await take(what, bar, ask(path));
    const sql = sqlOn(served.pool);
    await take('charts of a mailing', 300, () => timed(() => readCharts(sql, ACTED.one)));
    await take('charts of a mailing by subject', 300, () => timed(() => readSubjectCharts(sql, ACTED.two, TWO)));
    await take('clicks by link of a mailing', 300, () => timed(() => clicksByLink(sql, ACTED.one)));
    for (const [what, query] of Object.entries(REPORTS)) await take(what, 5000, () => timed(() => served.pool.query(query)));
    let made = 0;
    const act = () => JSON.stringify({ page: 'page-2', email: `new${++made}@example.org` });
    await take('an action', 20, () => readOnce(reader, `${base}/rest/v1/action/`, 'POST', act()));
    for (const rebuild of SCALE_REBUILDS) {
      const build = await rebuilder(served.pool, rebuild);
      await take(`rebuild: ${rebuild.what}`, rebuild.bar, () => timed(build), 3);
    }
    const far = await farDown(base, people * 2 - 1500);
    await take('a page at the end of all actions, by next', 20, ask(far));

    const load = await keepSlow(served, base);
    for (const { what, path, bar } of SCALE_REQUESTS) if (bar !== null) await take(`${what}, beside ten slow requests`, bar, ask(path));
    await take('a page at the end of all actions, beside them', 20, ask(far));
    await take('an action, beside them', 100, () => readOnce(reader, `${base}/rest/v1/action/`, 'POST', act()));
    console.log(`${await load.end()} slow requests were answered meanwhile`);

    let list = 1;
    await take('a list with very many is deleted', 1000, () => readOnce(reader, `${base}/rest/v1/list/${++list}/`, 'DELETE'), DELETED);
    const deleting = deleteLists(served);
    await take('a user by id, while lists are deleted', 50, ask('/rest/v1/user/PERSON/'));
    console.log(await deleting.end());

    console.table(measured);
    const missed = measured.filter(({ held }) => !held).map(({ what }) => what);
    console.log(missed.length ? `missed: ${missed.join('; ')}` : 'all bars are held');
    if (missed.length) process.exitCode = 1;
    return { people, fillSeconds, size: rows[0].size, measured };
  } finally {
    await reader.close();
    await served.close();
  }
}

async function times(one: () => Promise<number>, rounds: number): Promise<{ p50: number; p95: number }> {
  await one();
  const all: number[] = [];
  const began = performance.now();
  while (all.length < rounds && (all.length === 0 || performance.now() - began < PATIENCE_MS)) all.push(await one());
  const at = (share: number) => Math.round(percentile(all, share) * 10) / 10;
  return { p50: at(0.5), p95: at(0.95) };
}

/** Ten requests for what takes seconds, always under way, by another account, until it is ended: how many were answered. */
async function keepSlow({ pool }: ServedApi, base: string): Promise<{ end: () => Promise<number> }> {
  await pool.query(
    `insert into auth_user (username, password, is_staff, is_superuser) select 'slow', password, true, true from auth_user where username = 'admin'`,
  );
  const over = new AbortController();
  let answered = 0;
  const lane = async () => {
    while (!over.signal.aborted) {
      const answer = await fetch(base + SLOW, { headers: as('slow'), signal: over.signal }).catch(() => null);
      await answer?.arrayBuffer().catch(() => null);
      if (answer?.ok) answered++;
    }
  };
  const lanes = Array.from({ length: 10 }, lane);
  return {
    async end() {
      over.abort();
      await Promise.all(lanes);
      return answered;
    },
  };
}

const as = (username: string) => ({ authorization: `Basic ${Buffer.from(`${username}:admin-password`).toString('base64')}` });

/** The job's part of deleting lists, as a worker does it, until it is ended. */
function deleteLists({ pool }: ServedApi): { end: () => Promise<string> } {
  let over = false;
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const running = (async () => {
    const { rows: jobs } = await pool.query<{ id: number; people: number }>('select id, people from core_listdeletion order by id');
    const began = performance.now();
    await runListDeletion({ pool, log }, jobs[0]!.id, () => !over);
    const { rows } = await pool.query<{ removed: number }>('select removed from core_listdeletion where id = $1', [jobs[0]!.id]);
    return `${rows[0]!.removed} of the ${jobs[0]!.people} on a list were taken off it in ${Math.round(performance.now() - began)} ms`;
  })();
  return {
    end: () => {
      over = true;
      return running;
    },
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** What is refused or given up counts as never. */
async function readOnce(reader: Reader, url: string, method?: string, body?: string): Promise<number> {
  const read = reader.read({ urls: [url], lanes: 1, ...(method && { method }), ...(body && { bodies: [body] }) });
  const { times: all } = await read.catch(() => ({ times: [Number.POSITIVE_INFINITY] }));
  return all[0]!;
}

/** The path of the page behind one so far down the collection of actions. */
async function farDown(base: string, offset: number): Promise<string> {
  const answer = await fetch(`${base}/rest/v1/action/?_limit=100&_offset=${offset}`, { headers: as('admin') });
  return ((await answer.json()) as { meta: { next: string } }).meta.next;
}
