import type { Env } from '../../config/env.ts';
import type { Pool } from '../../db/driver.ts';
import { diskReportFiles } from './disk-report-files.ts';
import type { ReportFiles } from './report-files.ts';
import { storedReportFiles } from './stored-report-files.ts';

/** As REPORT_FILES says. */
export const reportFiles = ({ env, pool }: { env: Pick<Env, 'REPORT_FILES' | 'DATA_DIR'>; pool: Pool }): ReportFiles =>
  env.REPORT_FILES === 'database' ? storedReportFiles(pool) : diskReportFiles(env.DATA_DIR);
