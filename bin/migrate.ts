import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { prepareNamespace } from '../activities/namespace.ts';
import { ensureSchedules } from '../activities/schedules.ts';
import { needed, SettingError } from '../config/env.ts';
import { converting } from '../config/payload-codec.ts';
import { temporalConnection } from '../config/temporal.ts';
import { ensureFirstSuperuser } from '../core/accounts/first-superuser.ts';
import { dropReportViews, ensureReportRole } from '../core/reports/report-role.ts';
import type { Pool } from '../db/driver.ts';
import { createPool } from '../db/pool.ts';
import { onOneConnection } from '../db/transaction.ts';
import { connectOrm, type Orm } from '../entities/orm.ts';
import { live } from './lifetime.ts';

const LOCK_LIMIT = '5s';
const AGAIN_MS = 3_000;
const GIVE_UP_MS = 5 * 60_000;
const LOCK_NOT_AVAILABLE = '55P03';

// Brings database and workflow service to what this version needs. It may be run at any time, by several at once, again and again.
await live('migrate', async (env, log) => {
  const { DATABASE_URL } = needed(env, 'DATABASE_URL', 'TEMPORAL_ADDRESS');
  const place = temporalConnection(env);
  const pool = createPool(DATABASE_URL, 2);
  const migrations = await alone(pool, async () => {
    const orm = await connectOrm({ DATABASE_URL, DATABASE_POOL: 2 });
    const waiting = () => log.warn('tables are in use that the migration changes; it lets others pass, and tries again');
    const pending = await orm.migrator.getPending();
    if (pending.length) await patiently(() => migrateTables(orm), waiting);
    await patiently(() => ensureReportRole(pool, env), waiting);
    await ensureFirstSuperuser(orm, env);
    await orm.close(true);
    return pending.map(({ name }) => name);
  });
  await pool.end();
  log.info({ migrations }, 'the database is up to date');

  const connection = await Connection.connect(place);
  await prepareNamespace(connection, env.TEMPORAL_NAMESPACE);
  await ensureSchedules(new Client({ connection, namespace: env.TEMPORAL_NAMESPACE, ...converting(env) }), env);
  await connection.close();
  log.info('the workflow service is prepared');
  return { stop: async () => {}, ended: Promise.resolve() };
});

/** All that is pending, or nothing; waits for no lock longer than others can be held up. */
function migrateTables(orm: Orm): Promise<unknown> {
  return orm.em.fork().transactional(async (em) => {
    await em.execute(`set local lock_timeout = '${LOCK_LIMIT}'`);
    await dropReportViews((statement) => em.execute(statement));
    await orm.migrator.up({ transaction: em.getTransactionContext()! });
  });
}

/** Again and again while it gets no lock. @throws SettingError when it has got none for minutes */
async function patiently(work: () => Promise<unknown>, waiting: () => void): Promise<void> {
  for (const giveUp = performance.now() + GIVE_UP_MS; ; await sleep(AGAIN_MS)) {
    try {
      await work();
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
      if (performance.now() > giveUp)
        throw new SettingError(
          'DATABASE_URL: tables are in use that the migration changes; nothing was changed. select * from pg_locks says by whom',
        );
      waiting();
    }
  }
}

/** One at a time, whoever else migrates: under a lock of a transaction, since behind a pooler that of a session would stay with the server's connection. */
function alone<Result>(pool: Pool, work: () => Promise<Result>): Promise<Result> {
  return onOneConnection(pool, async (client) => {
    await client.query(`select pg_advisory_xact_lock(hashtext('campaign-platform migration'))`);
    return work();
  });
}
