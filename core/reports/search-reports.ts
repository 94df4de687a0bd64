import type { Sql } from '../../db/sql.ts';
import type { WrittenStatement } from '../../domain/reports/written.ts';

interface NamedReport extends WrittenStatement {
  short_name: string;
  name: string;
}

/** Saved reports in whose name these words stand. @param pattern of `like` */
export const searchReports = (sql: Sql, pattern: string, most: number): Promise<NamedReport[]> =>
  sql<NamedReport>(
    `select short_name, name, sql, dialect from reports_queryreport where not hidden and (name ilike $1 or short_name ilike $1)
     order by short_name limit $2::int`,
    [pattern, most],
  );
