import { Client, Connection } from '@temporalio/client';
import { prepareNamespace } from '../activities/namespace.ts';
import { ensureSchedules } from '../activities/schedules.ts';
import { needed } from '../config/env.ts';
import { converting } from '../config/payload-codec.ts';
import { temporalConnection } from '../config/temporal.ts';
import { ensureFirstSuperuser } from '../core/accounts/first-superuser.ts';
import { ensureReportRole } from '../core/reports/report-role.ts';
import type { Pool } from '../db/driver.ts';
import { identityOf } from '../db/identity.ts';
import { WITHOUT_LIMITS } from '../db/no-limits.ts';
import { settleLogin } from '../db/own-login.ts';
import { createPool } from '../db/pool.ts';
import { keepSecretMark } from '../db/secret-mark.ts';
import { checkServer } from '../db/server-version.ts';
import { onOneConnection } from '../db/transaction.ts';
import { connectOrm } from '../entities/orm.ts';
import { live } from './lifetime.ts';
import { migrateTables, patiently } from './migrate-tables.ts';

// Brings database and workflow service to what this version needs. It may be run at any time, by several at once, and again.
await live('migrate', async (env, log) => {
  const { DATABASE_URL } = needed(env, 'DATABASE_URL', 'TEMPORAL_ADDRESS');
  const place = temporalConnection(env);
  const toSay = await checkServer(DATABASE_URL);
  if (toSay) log.warn(toSay);
  const settled = await settleLogin(DATABASE_URL);
  if (settled.length) log.info({ settled }, 'the login is set in this database as the platform needs it');
  const pool = createPool(DATABASE_URL, 2);
  const migrations = await alone(pool, async () => {
    const orm = await connectOrm({ DATABASE_URL, DATABASE_POOL: 2 });
    const waiting = () => log.warn('tables are in use that the migration changes; it lets others pass, and tries again');
    const pending = await orm.migrator.getPending();
    for (const { name } of pending) await patiently(() => migrateTables(orm, name), waiting);
    await patiently(() => ensureReportRole(pool, env), waiting);
    await ensureFirstSuperuser(orm, env);
    if (await keepSecretMark(pool, env.SECRET_KEY))
      log.warn('SECRET_KEY is another than before: links in mails sent until now lead nowhere, and no process may go on with the old one');
    await orm.close(true);
    return pending.map(({ name }) => name);
  });
  // Somebody else's server may not let us ask.
  const database = await identityOf(pool).catch(() => undefined);
  await pool.end();
  log.info({ migrations }, 'the database is up to date');

  const connection = await Connection.connect(place);
  const untold = await prepareNamespace(connection, env.TEMPORAL_NAMESPACE);
  if (untold) log.warn(untold);
  const { TEMPORAL_NAMESPACE: namespace } = env;
  const others = await ensureSchedules(new Client({ connection, namespace, ...converting(env) }), env, database);
  if (others)
    log.warn(
      { namespace },
      'the schedules there were made for another database: where that is in use still, give one of the two a TEMPORAL_NAMESPACE of its own',
    );
  await connection.close();
  log.info('the workflow service is prepared');
  return { stop: async () => {}, ended: Promise.resolve() };
});

/** One at a time, whoever else migrates: under a lock of a transaction, since behind a pooler that of a session would stay with the server's connection. */
function alone<Result>(pool: Pool, work: () => Promise<Result>): Promise<Result> {
  return onOneConnection(pool, async (client) => {
    // It says nothing more until they are done, over other connections.
    await client.query('set local idle_in_transaction_session_timeout = 0');
    await client.query(WITHOUT_LIMITS);
    await client.query(`select pg_advisory_xact_lock(hashtext('campaign-platform migration'))`);
    return work();
  });
}
