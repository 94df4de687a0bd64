import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import type pg from 'pg';
import { readEnv } from '../config/env.ts';
import { zipsOfCity } from '../core/geo/city-zips.ts';
import { tallyAnew } from '../core/sending/tally.ts';
import { createPool } from '../db/pool.ts';
import { sqlOn } from '../db/sql.ts';
import { startPlatform } from '../embedded/platform.ts';
import { workflowId } from '../workflows/contracts.ts';
import { ApiClient } from './support/api-client.ts';
import { AUDIENCES, type BenchAudience, REPORT } from './support/audiences.ts';
import { peopleToTarget } from './support/many-people.ts';
import { median } from './support/percentile.ts';

/**
 * Eight audiences, each built by the product (from the request for a rebuild to the poll document that says it is finished: API, workflow, activity) and by the
 * best INSERT … SELECT a hand would write for the same set into a table with the same indexes and rows, in turns. Both start without rows of the
 * mailing; that the sets are equal is checked. Also: building a set that is there already, the longest wait of a cancelled build, the explanation of each audience.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: {
      users: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '3' },
      only: { type: 'string', default: '' },
      /** A folder to keep the database in, and to find it in again. */
      keep: { type: 'string' },
    },
  });
  const [users, rounds] = [values.users, values.rounds].map(Number) as [number, number];
  const dataDir = values.keep ?? mkdtempSync(join(tmpdir(), 'campaign-bench-'));
  const loaded = existsSync(join(dataDir, 'postgres'));
  const env = readEnv({ ...process.env, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' });
  const platform = await startPlatform(env, { say: console.log });
  const pool = createPool(platform.databaseUrl, 4);
  const api = new ApiClient(platform.baseUrl);
  try {
    if (!loaded) await load(pool, api, users);
    await rival(pool);
    const figures: Record<string, Figures> = {};
    for (const audience of AUDIENCES.filter(({ name }) => name.includes(values.only))) {
      figures[audience.name] = await compare(pool, api, audience, rounds);
      console.log(audience.name, figures[audience.name]);
    }
    const all = Object.values(figures);
    const watched = await watch(pool, api);
    console.log(watched);
    const cancel = await cancelled(pool, api, platform.temporalAddress);
    const summary = {
      users,
      medianRatio: median(all.map(({ ratio }) => ratio)),
      slowestSeconds: Math.max(...all.map(({ seconds }) => seconds)),
      longestCancelSeconds: cancel,
      longestExplanationSeconds: Math.max(...all.map(({ explainedSeconds }) => explainedSeconds)),
      ...watched,
    };
    console.log(summary);
    return { ...summary, rounds, audiences: figures };
  } finally {
    await pool.end();
    await platform.stop();
    if (!values.keep) rmSync(dataDir, { recursive: true, force: true });
  }
}

async function load(pool: pg.Pool, api: ApiClient, users: number): Promise<void> {
  const began = performance.now();
  await peopleToTarget(pool, users);
  await api.create('/rest/v1/queryreport/', REPORT);
  await pool.query('create table bench_city as select unnest($1::text[]) as zip', [zipsOfCity('Los Angeles, CA')]);
  console.log(`${users} users and what hangs on them in ${Math.round((performance.now() - began) / 1000)} s`);
}

/** A table like that of the sets. */
async function rival(pool: pg.Pool): Promise<void> {
  await pool.query('drop table if exists bench_set');
  await pool.query('create table bench_set (like send_set including all)');
  await pool.query('analyze');
}

interface Figures {
  people: number;
  /** Of the product: from the request to the document that says finished. */
  seconds: number;
  byHandSeconds: number;
  ratio: number;
  /** Of the product, when the set was there already. */
  againSeconds: number;
  /** GET …/audience/ */
  explainedSeconds: number;
}

async function compare(pool: pg.Pool, api: ApiClient, audience: BenchAudience, rounds: number): Promise<Figures> {
  const mailing = await api.create('/rest/v1/mailer/', { subjects: [audience.name], ...audience.targeting });
  const id = Number(mailing.split('/').at(-2));
  const ours: number[] = [];
  const theirs: number[] = [];
  const again: number[] = [];
  let people = 0;
  // The first of each is for the caches.
  for (let round = 0; round <= rounds; round++) {
    const product = async () => ours.push(await timed(() => api.done(api.create(`${mailing}rebuild/`))));
    const hand = async () => theirs.push(await timed(() => byHand(pool, audience, id)));
    for (const build of round % 2 ? [product, hand] : [hand, product]) await build();
    people = await checkEqual(pool, id);
    again.push(await timed(() => api.done(api.create(`${mailing}rebuild/`))));
    await empty(pool, id);
  }
  for (const times of [ours, theirs, again]) times.shift();
  const explainedSeconds = round3(await timed(() => api.get(`${mailing}audience/`)));
  return {
    people,
    seconds: round3(median(ours)),
    byHandSeconds: round3(median(theirs)),
    ratio: round3(median(ours.map((seconds, n) => seconds / theirs[n]!))),
    againSeconds: round3(median(again)),
    explainedSeconds,
  };
}

async function byHand(pool: pg.Pool, { byHand: from, order = 'u.id', limit }: BenchAudience, mailing: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(`set local work_mem = '128MB'`);
    const place = `row_number() over (order by ${order})`;
    const chosen = `select ${mailing}, ${place.replaceAll('$1', String(mailing))} as position, u.id from ${from} and u.subscription_status = 'subscribed'
      and not exists (select from core_blackholedemail b where b.email = lower(u.email))`;
    await client.query(
      `insert into bench_set (mailing_id, first, least_user, most_user, user_ids)
       select mailing_id, min(position), min(id), max(id), array_agg(id order by position)
       from (${chosen}) c (mailing_id, position, id) ${limit ? `where position <= ${limit}` : ''} group by mailing_id, (position - 1) / 1000`,
    );
    await client.query('commit');
  } finally {
    client.release();
  }
}

/** @returns how many are in the set */
async function checkEqual(pool: pg.Pool, mailing: number): Promise<number> {
  const { rows } = await pool.query(
    `select count(*)::int as people, count(*) filter (where one.user_id is null or other.user_id is null)::int as differ
     from (select position, user_id from send_record where mailing_id = $1) one
       full join (select first + n - 1 as position, user_id from bench_set, unnest(user_ids) with ordinality u (user_id, n) where mailing_id = $1) other
         on one.user_id = other.user_id and one.position = other.position`,
    [mailing],
  );
  if (rows[0].differ) throw new Error(`mailing ${mailing}: the two sets differ by ${rows[0].differ} of ${rows[0].people}`);
  return rows[0].people;
}

async function empty(pool: pg.Pool, mailing: number): Promise<void> {
  for (const table of ['send_set', 'bench_set']) {
    await pool.query(`delete from ${table} where mailing_id = $1`, [mailing]);
    await pool.query(`vacuum ${table}`);
  }
}

const CHANGED = 1000;

/** A fast rebuild after so many people have changed, and results in the middle of a send, beside what a count over the whole ledger takes. */
async function watch(pool: pg.Pool, api: ApiClient): Promise<Record<string, number>> {
  const mailing = await api.create('/rest/v1/mailer/', { subjects: ['A', 'B', 'C'], includes: { lists: [1] } });
  const id = Number(mailing.split('/').at(-2));
  await api.done(api.create(`${mailing}rebuild/`));
  await pool.query(`update core_user set subscription_status = 'bounced' where id % (select count(*) / ${CHANGED} from core_user) = 1`);
  const fastRebuildSeconds = round3(await timed(() => api.done(api.create(`${mailing}rebuild/`, { fast_rebuild: 1 }))));
  await pool.query(
    `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, finished)
     select $1, n, n * 10000 + 1, (n + 1) * 10000, n * 10000 + case when n = 30 then 5000 else 0 end, n < 30
     from generate_series(0, (select max(first) / 10000 from send_set where mailing_id = $1)) n`,
    [id],
  );
  await tallyAnew(sqlOn(pool), id);
  await pool.query(
    `insert into send_accepted select user_id, mailing_id, position, 0 from send_record where mailing_id = $1 and position <= 300000`,
    [id],
  );
  await pool.query('delete from send_set where mailing_id = $1 and first <= 300000', [id]);
  await pool.query(
    `insert into send_tally (mailing_id, shard, place, targeted, accepted, failed, skipped, uncertain)
     select $1, n, place, 10000 / 3 + 1, 10000 / 3 + 1, 0, 0, 0 from generate_series(0, 29) n, generate_series(0, 2) place`,
    [id],
  );
  // What commits of a window of 64 leave behind.
  await pool.query(
    `insert into send_log (mailing_id, shard, seq, accepted) select $1, 30, p / 32, array_agg(p) from generate_series(300001, 305000) p group by p / 32`,
    [id],
  );
  await pool.query('vacuum analyze');
  const results: number[] = [];
  for (let read = 0; read < 20; read++) results.push(await timed(() => api.get(`${mailing}results/`)));
  const wholeCount = await timed(() =>
    pool.query('select position % 3, state, count(*) from send_record where mailing_id = $1 group by 1, 2', [id]),
  );
  return {
    fastRebuildSeconds,
    resultsMilliseconds: Math.round(median(results) * 1000),
    wholeCountMilliseconds: Math.round(wholeCount * 1000),
  };
}

/** The longest time from cancelling a build in the workflow service until its document says so and its statement has left the server. */
async function cancelled(pool: pg.Pool, api: ApiClient, address: string): Promise<number> {
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const mailing = await api.create('/rest/v1/mailer/', { subjects: ['Cancelled'] });
  const id = Number(mailing.split('/').at(-2));
  const times: number[] = [];
  for (const after of [300, 600, 900, 1200, 1500]) {
    const poll = await api.create(`${mailing}rebuild/`);
    await sleep(after);
    const job = Number(poll.split('/').at(-2));
    times.push(
      await timed(async () => {
        await client.workflow.getHandle(workflowId.rebuildTargets(id, job)).cancel();
        await Promise.all([api.done(Promise.resolve(poll)).catch(() => {}), nothingRuns(pool)]);
      }),
    );
  }
  await connection.close();
  return round3(Math.max(...times));
}

async function nothingRuns(pool: pg.Pool): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity where state = 'active' and query like '%into send_set%' and pid <> pg_backend_pid()`,
    );
    if (!rowCount) return;
    await sleep(20);
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

const round3 = (figure: number) => Math.round(figure * 1000) / 1000;
