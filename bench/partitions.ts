import { parseArgs } from 'node:util';
import type pg from 'pg';
import { median } from './support/percentile.ts';
import { serveApi } from './support/served-api.ts';

const MAILINGS = 20;
const OF_A_PARTITION = 5;
/** As core/retention.ts removes them. */
const BATCH = 10_000;
const ONE = 7;

const WAYS = { plain: 'bench_plain', partitioned: 'bench_parts' } as const;
type Way = keyof typeof WAYS;

/**
 * Whether openings are better off in partitions by mailing: the same rows in a table as `core_open` is and in one of partitions of five mailings each, in turns. What
 * reports and clicks ask of one mailing, of one person, writing in groups, what retention does, and vacuum after it.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: { openings: { type: 'string', default: '1500000' }, rounds: { type: 'string', default: '5' } },
  });
  const [openings, rounds] = [Number(values.openings), Number(values.rounds)];
  const served = await serveApi();
  try {
    const { pool } = served;
    await fill(pool, openings);
    const people = Math.round(openings / 1.5);
    const half = Math.floor(people / 2);
    const asked: Record<string, (table: string) => string[]> = {
      'people who opened one mailing, and how often': (table) => [
        `select count(*), sum(n) from (select user_id, count(*) as n from ${table} where mailing_id = ${ONE} group by 1) people`,
      ],
      'openings of every mailing joined with its mails': (table) => [
        `select m.mailing_id, count(*), count(distinct o.user_id) from bench_mail m join ${table} o on o.mailing_id = m.mailing_id and o.user_id = m.user_id group by 1`,
      ],
      'openings of 100 people': (table) => [`select count(*) from ${table} where user_id between ${half} and ${half + 99}`],
      'a group of 5,000 written': (table) => [
        `insert into ${table} (user_id, mailing_id) select 1 + n * 7919 % ${people}, 1 + n % ${MAILINGS} from generate_series(1, 5000) n`,
      ],
      'the oldest 20,000 deleted by retention, then vacuum': (table) => {
        const some = `select id from (select id, created_at from ${table} order by id limit ${BATCH}) first where created_at < now()`;
        const remove = `delete from ${table} where id = any(array(${some}))`;
        return [remove, remove, `vacuum ${table}`];
      },
    };
    const figures: Record<string, Record<Way, number>> = {};
    for (const [what, statements] of Object.entries(asked)) figures[what] = await inTurns(pool, statements, rounds);
    console.table(figures);
    return { openings, figures };
  } finally {
    await served.close();
  }
}

/** Openings come in the order of time, those of a mailing mostly together, as ids do. */
async function fill(pool: pg.Pool, openings: number): Promise<void> {
  const people = Math.round(openings / 1.5);
  const row =
    'id bigserial, user_id int not null, mailing_id int not null, machine boolean not null default false, created_at timestamptz not null default now()';
  const parts = Array.from({ length: Math.ceil((MAILINGS + 1) / OF_A_PARTITION) }, (_, n) => n * OF_A_PARTITION).map(
    (from, n) => `create table bench_parts_${n} partition of bench_parts for values from (${from}) to (${from + OF_A_PARTITION});`,
  );
  await pool.query(`
    create table bench_plain (${row}, primary key (id));
    create table bench_parts (${row}, primary key (id, mailing_id)) partition by range (mailing_id);
    ${parts.join('')}
    create table bench_mail (user_id int, mailing_id int, primary key (user_id, mailing_id));
    insert into bench_mail select n, m from generate_series(1, ${people}) n, generate_series(1, ${MAILINGS}) m where (n + m) % 5 = 0;
    insert into bench_plain (user_id, mailing_id, created_at)
      select 1 + n::bigint * 7919 % ${people}, 1 + n::bigint * ${MAILINGS} / (${openings} + 1), now() - (${openings} - n) * interval '20 seconds' from generate_series(1, ${openings}) n;
    insert into bench_parts select * from bench_plain;
    select setval(pg_get_serial_sequence('bench_parts', 'id'), ${openings})`);
  for (const table of Object.values(WAYS)) {
    await pool.query(`create index on ${table} (mailing_id, created_at); create index on ${table} (user_id)`);
  }
  await pool.query('vacuum analyze');
}

/** @returns milliseconds by way, the median of the rounds */
async function inTurns(pool: pg.Pool, statements: (table: string) => string[], rounds: number): Promise<Record<Way, number>> {
  const times: Record<Way, number[]> = { plain: [], partitioned: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const way of round % 2 ? (['plain', 'partitioned'] as const) : (['partitioned', 'plain'] as const)) {
      const began = performance.now();
      for (const statement of statements(WAYS[way])) await pool.query(statement);
      // The first of each is for the caches.
      if (round > 0) times[way].push(performance.now() - began);
    }
  }
  const middle = (all: number[]) => Math.round(median(all) * 10) / 10;
  return { plain: middle(times.plain), partitioned: middle(times.partitioned) };
}
