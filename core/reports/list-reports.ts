import type { Sql } from '../../db/sql.ts';
import type { WrittenStatement } from '../../domain/reports/written.ts';

/** A saved report, as it is listed. */
export interface ListedReport {
  id: number;
  name: string;
  short_name: string;
  description: string;
}

/** Characters of a description in the list of them all. */
const LONGEST_DESCRIPTION = 500;

/**
 * A page of the saved reports by name with the beginning of what is said of them, the hidden ones left out.
 * @param after the id of the last one of the page before; where that is gone it is the first page
 */
export const listReports = (sql: Sql, { after, limit }: { after: number | null; limit: number }): Promise<ListedReport[]> =>
  sql<ListedReport>(
    `select id, name, short_name, left(description, ${LONGEST_DESCRIPTION}) as description from reports_queryreport
     where not hidden and coalesce((name, id) > (select name, id from reports_queryreport where id = $1::int), true) order by name, id limit $2`,
    [after, limit],
  );

/** How many are listed. */
export async function countReports(sql: Sql): Promise<number> {
  const [row] = await sql<{ many: number }>('select count(*)::int as many from reports_queryreport where not hidden');
  return row!.many;
}

/** One of them with its statement, hidden or not; undefined where there is none. */
export async function findReportByName(sql: Sql, shortName: string): Promise<(Omit<ListedReport, 'id'> & WrittenStatement) | undefined> {
  if (shortName.includes('\0')) return undefined;
  const [report] = await sql<Omit<ListedReport, 'id'> & WrittenStatement>(
    'select name, short_name, description, sql, dialect from reports_queryreport where short_name = $1',
    [shortName],
  );
  return report;
}
