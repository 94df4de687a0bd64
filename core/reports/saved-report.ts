import type { Pool } from '../../db/driver.ts';
import type { WrittenStatement } from '../../domain/reports/written.ts';

export interface SavedReport extends WrittenStatement {
  id: number;
}

/** A report by its short name, or null. */
export async function findSavedReport(pool: Pool, shortName: string): Promise<SavedReport | null> {
  if (shortName.includes('\0')) return null;
  const { rows } = await pool.query<SavedReport>('select id, sql, dialect from reports_queryreport where short_name = $1', [shortName]);
  return rows[0] ?? null;
}
