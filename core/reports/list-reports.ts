import type { Sql } from '../../db/sql.ts';
import type { WrittenStatement } from '../../domain/reports/written.ts';

/** A saved report, as it is listed. */
export interface ListedReport {
  name: string;
  short_name: string;
  description: string;
}

const MOST = 500;
/** Characters of a description in the list of them all. */
const LONGEST_DESCRIPTION = 500;

/** Saved reports by name with the beginning of what is said of them, the hidden ones left out. */
export const listReports = (sql: Sql): Promise<ListedReport[]> =>
  sql<ListedReport>(
    `select name, short_name, left(description, ${LONGEST_DESCRIPTION}) as description from reports_queryreport where not hidden order by name, id limit ${MOST}`,
  );

/** One of them with its statement, hidden or not; undefined where there is none. */
export async function findReportByName(sql: Sql, shortName: string): Promise<(ListedReport & WrittenStatement) | undefined> {
  if (shortName.includes('\0')) return undefined;
  const [report] = await sql<ListedReport & WrittenStatement>(
    'select name, short_name, description, sql, dialect from reports_queryreport where short_name = $1',
    [shortName],
  );
  return report;
}
