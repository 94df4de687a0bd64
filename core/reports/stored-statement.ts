import type { Sql } from '../../db/sql.ts';
import type { WrittenStatement } from '../../domain/reports/written.ts';

/** The statement of a saved report as it was written, and the name it is called by; undefined when there is none. */
export async function storedStatement(sql: Sql, reportId: number): Promise<(WrittenStatement & { short_name: string }) | undefined> {
  const [stored] = await sql<WrittenStatement & { short_name: string }>(
    'select short_name, sql, dialect from reports_queryreport where id = $1',
    [reportId],
  );
  return stored;
}
