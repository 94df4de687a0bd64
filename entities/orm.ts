import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, MikroORM } from '@mikro-orm/postgresql';
import { connectionTo } from '../db/connection.ts';
import { CONNECT_MS, type Pool } from '../db/driver.ts';
import { leaveFormerPrimary } from '../db/former-primary.ts';
import { endIdleTransactions } from '../db/idle-transactions.ts';
import { returnLostConnections } from '../db/lost-connections.ts';
import { giveUpSilent } from '../db/silent-connections.ts';
import { commitLimits } from '../db/uncertain-commit.ts';
import { migrations } from '../migrations/index.ts';
import { entities } from './index.ts';

export type Orm = Awaited<ReturnType<typeof connectOrm>>;

export interface OrmSettings {
  DATABASE_URL: string;
  DATABASE_POOL: number;
  /** Without it a commit may take its time. */
  COMMIT_SECONDS?: number;
}

/** The ORM over `DATABASE_URL`. It connects on first use; close it with `orm.close()`. */
export function connectOrm(settings: OrmSettings): Promise<MikroORM> {
  return MikroORM.init(ormOptions(settings));
}

/** What the ORM is made with, here and by its command line (`npx mikro-orm`). */
export function ormOptions(settings: OrmSettings) {
  const connection = connectionTo(settings.DATABASE_URL);
  const limits = commitLimits(settings);
  const onPoolCreated = (pool: Pool) => {
    endIdleTransactions(pool, limits.lockWithinMs);
    returnLostConnections(pool, limits);
    giveUpSilent(pool, settings.DATABASE_URL, limits.lockWithinMs);
    leaveFormerPrimary(pool, settings.DATABASE_URL);
  };
  return defineConfig({
    dbName: connection.database,
    entities,
    extensions: [Migrator],
    pool: { min: 0, max: settings.DATABASE_POOL },
    // Not as clientUrl: of that the ORM drops everything behind the question mark, sslmode first.
    driverOptions: { ...connection, connectionTimeoutMillis: CONNECT_MS, onPoolCreated },
    timezone: 'UTC',
    forceUtcTimezone: true,
    migrations: {
      migrationsList: migrations,
      tableName: 'schema_migration',
      snapshot: false,
      transactional: true,
      allOrNothing: true,
      silent: true,
    },
    schemaGenerator: {
      // The second is a lock, and has neither columns nor rows (core/people/who-went.ts).
      skipTables: ['schema_migration', 'core_user_going'],
      skipViews: ['send_said', 'send_open', 'send_record'],
      ignoreTriggers: true,
      ignoreRoutines: true,
    },
  });
}
