import { setTimeout as sleep } from 'node:timers/promises';
import { SettingError } from '../config/env.ts';
import { dropReportViews } from '../core/reports/report-role.ts';
import { WITHOUT_LIMITS } from '../db/no-limits.ts';
import type { Orm } from '../entities/orm.ts';

const LOCK_LIMIT = '5s';
const AGAIN_MS = 3_000;
const GIVE_UP_MS = 5 * 60_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** By its name: it takes something away that the release before this one did not use any more. */
const CONTRACT = /-contract-/;

/**
 * One migration, whole or not at all; waits for no lock longer than others can be held up. What only adds leaves the views of reports as they are, who read on; what takes away a column
 * that they may show takes them along, and `ensureReportRole` makes them again.
 */
export function migrateTables(orm: Orm, name: string): Promise<unknown> {
  return orm.em.fork().transactional(async (em) => {
    await em.execute(WITHOUT_LIMITS);
    await em.execute(`set local lock_timeout = '${LOCK_LIMIT}'`);
    if (CONTRACT.test(name)) await dropReportViews((statement) => em.execute(statement));
    await orm.migrator.up({ migrations: [name], transaction: em.getTransactionContext()! });
  });
}

/** Again and again while it gets no lock. @throws SettingError when it has got none for minutes */
export async function patiently(work: () => Promise<unknown>, waiting: () => void): Promise<void> {
  for (const giveUp = performance.now() + GIVE_UP_MS; ; await sleep(AGAIN_MS)) {
    try {
      await work();
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
      if (performance.now() > giveUp)
        throw new SettingError(
          'DATABASE_URL: tables are in use that the migration changes; those before it are in, of it and those after it nothing. select * from pg_locks says by whom',
        );
      waiting();
    }
  }
}
