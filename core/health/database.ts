import type { Env } from '../../config/env.ts';
import { hostOf } from '../../db/away.ts';
import { clockOff } from '../../db/clock-off.ts';
import { type Client, newConnection } from '../../db/driver.ts';
import { whyNotDurable } from '../../db/durability.ts';
import { otherLetters } from '../../db/letters.ts';
import { whyNotSettled } from '../../db/own-login.ts';
import { whyNotPoolable } from '../../db/pooler.ts';
import { whyOtherSecret } from '../../db/secret-mark.ts';
import { isDatabaseFull } from '../../domain/disk-full.ts';
import { type Finding, look, PATIENCE_MS, well, wrong } from '../../domain/finding.ts';
import { migrations } from '../../migrations/index.ts';
import { lookAtConnections } from './connections.ts';
import { lookAtRecurring } from './recurring.ts';
import { lookAtReportLogin } from './report-login.ts';
import { lookAtSends } from './sends.ts';
import { lookAtSystems } from './systems.ts';

/** A clock that is off by more than this makes logs, schedules and leases hard to understand. */
const CLOCK_MS = 2_000;

/** The database: whether it answers, takes changes and has this version's tables; how far its clock is from ours; and whether reports can log in. */
export async function lookAtDatabase(url: string | null, env: Env): Promise<Finding[]> {
  if (!url)
    return [wrong('database', 'DATABASE_URL is not set, and npm start has made none in DATA_DIR', 'set DATABASE_URL, or run npm start')];
  const client = newConnection(url, { connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    return [
      await tables(client),
      ...(await room(client)),
      await clock(client),
      ...(await trust(client, env.ALLOW_ASYNC_STANDBY)),
      ...(await letters(client)),
      ...(await secret(client, env)),
      ...(await parts(client)),
      ...(await lookAtSystems(client, env)),
      ...(await lookAtSends(client)),
      ...(await lookAtRecurring(client, env)),
      await lookAtConnections(client, env),
      await lookAtReportLogin(url, env),
    ];
  } catch (error) {
    return [
      wrong(
        'database',
        `no answer from ${hostOf(url)}: ${(error as Error).message || (error as NodeJS.ErrnoException).code}`,
        'start it, or look at DATABASE_URL',
      ),
    ];
  } finally {
    await client.end().catch(() => {});
  }
}

async function tables(client: Client): Promise<Finding> {
  const { rows } = await client.query(
    `select current_setting('server_version') as version, current_setting('transaction_read_only') = 'off' as writable, pg_is_in_recovery() as standby,
       pg_size_pretty(pg_database_size(current_database())) as size, to_regclass('schema_migration') is not null as made`,
  );
  const { version, writable, standby, size, made } = rows[0];
  const says = `PostgreSQL ${String(version).split(' ')[0]}, ${size}`;
  if (!writable && standby) return wrong('database', `${says}, takes no changes`, 'promote it, or lead DATABASE_URL to the primary');
  if (!writable)
    return wrong('database', `${says}, is set to take no changes`, 'set default_transaction_read_only off, of server, database or login');
  const run = made ? (await client.query<{ name: string }>('select name from schema_migration')).rows.map(({ name }) => name) : [];
  const missing = migrations.filter(({ name }) => !run.includes(name)).length;
  if (missing) return wrong('database', `${says}, ${missing} of ${migrations.length} migrations not run`, 'npm run migrate');
  const known = new Set(migrations.map(({ name }) => name));
  const newer = run.filter((name) => !known.has(name)).length;
  if (newer) return look('database', `${says}, ${newer} migrations of another version`, 'run the version that migrated it');
  return well('database', says);
}

/** More than the megabyte that is asked for does not fit into memory, and is on the disk for a moment. */
const SORTED = `begin; set local work_mem = '64kB'; select count(*) from (select n from generate_series(1, 50000) n order by -n offset 0) sorted; rollback`;

/** Whether there is room on its disk. */
async function room(client: Client): Promise<Finding[]> {
  try {
    await client.query(SORTED);
    return [];
  } catch (error) {
    await client.query('rollback');
    return isDatabaseFull(error)
      ? [wrong('database', 'there is no room left on its disk: it takes no changes', 'make room; all goes on by itself then')]
      : [];
  }
}

async function clock(client: Client): Promise<Finding> {
  const { off } = await clockOff(client);
  const says = `the database's is ${Math.abs(off)} ms ${off < 0 ? 'behind' : 'ahead of'} ours`;
  return Math.abs(off) > CLOCK_MS ? look('clock', says, 'have both set by NTP') : well('clock', says);
}

/** Whether it may forget what it has confirmed, and what stands before it; nothing where nothing speaks against them. */
async function trust(client: Client, trusted: boolean): Promise<Finding[]> {
  const weak = trusted ? null : await whyNotDurable(client);
  const pooler = await whyNotPoolable(client);
  const unsettled = await whyNotSettled(client);
  return [
    ...(weak === null ? [] : [look('database', `${weak}: people may be mailed twice after a failover`, 'docs/cluster.md')]),
    ...(unsettled === null ? [] : [wrong('database', unsettled, 'npm run migrate, with that login')]),
    ...(pooler === null ? [] : [wrong('pooler', pooler, 'docs/cluster.md')]),
  ];
}

/** Whether we are of one platform with those who have prepared it. */
async function secret(client: Client, env: Env): Promise<Finding[]> {
  const other = await whyOtherSecret(client, env.SECRET_KEY);
  return other === null
    ? []
    : [wrong('secret key', other, 'one SECRET_KEY for API, workers and commands; npm run migrate notes a new one')];
}

/** Whether it knows as one person who is one. */
async function letters(client: Client): Promise<Finding[]> {
  const others = await otherLetters(client);
  if (!others) return [];
  return [(others.everyday ? wrong : look)('database', others.words, 'a backup, and a restore into one made by docs/operations.md')];
}

/** Whether users are found by parts of their names without reading all of them. */
async function parts(client: Client): Promise<Finding[]> {
  const { rows } = await client.query(`select from pg_class where relname = 'core_user' and to_regclass('core_user_parts_index') is null`);
  return rows.length
    ? [look('database', 'no index for parts of names and addresses: looking for one reads all users', 'docs/scaling.md')]
    : [];
}
