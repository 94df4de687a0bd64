import type pg from 'pg';
import { readEnv } from '../../config/env.ts';
import { ensureFirstSuperuser } from '../../core/accounts/first-superuser.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { createPool } from '../../db/pool.ts';
import { connectOrm } from '../../entities/orm.ts';
import { WatchedApi } from './watched-api.ts';

/** The tables, the superuser and the login of reports that an API under attack needs. @returns a pool to look at them with */
export async function attackedDatabase(services: { DATABASE_URL: string }): Promise<pg.Pool> {
  const env = readEnv({ ...services, ...WatchedApi.admin });
  const orm = await connectOrm({ DATABASE_URL: services.DATABASE_URL, DATABASE_POOL: 1 });
  await orm.migrator.up();
  await ensureFirstSuperuser(orm, env);
  await orm.close(true);
  const pool = createPool(services.DATABASE_URL, 2);
  await ensureReportRole(pool, env);
  return pool;
}
