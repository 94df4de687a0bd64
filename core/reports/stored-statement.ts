import type { Sql } from '../../db/sql.ts';
import type { WrittenStatement } from '../../domain/reports/written.ts';

/** The statement of a saved report as it was written; undefined when there is none. */
export async function storedStatement(sql: Sql, reportId: number): Promise<WrittenStatement | undefined> {
  const [stored] = await sql<WrittenStatement>('select sql, dialect from reports_queryreport where id = $1', [reportId]);
  return stored;
}
