import type { Pool } from '../../db/driver.ts';
import { sqlOn } from '../../db/sql.ts';
import type { WrittenStatement } from '../../domain/reports/written.ts';
import { run, tables } from '../../entities/tables.ts';

export interface SavedReport extends WrittenStatement {
  id: number;
}

/** A report by its short name, or null. */
export async function findSavedReport(pool: Pool, shortName: string): Promise<SavedReport | null> {
  if (shortName.includes('\0')) return null;
  const report = tables.selectFrom('reports_queryreport').where('short_name', '=', shortName).select(['id', 'sql', 'dialect']);
  const [found] = await run(sqlOn(pool), report);
  return found ?? null;
}
