import type { Env } from '../../config/env.ts';
import type { Pool } from '../../db/driver.ts';
import { diskReportFiles } from './disk-report-files.ts';
import type { ReportFiles } from './report-files.ts';
import { storedReportFiles } from './stored-report-files.ts';

/** As REPORT_FILES says; those from before it said otherwise stay where they are until they go. */
export function reportFiles({ env, pool }: { env: Pick<Env, 'REPORT_FILES' | 'DATA_DIR'>; pool: Pool }): ReportFiles {
  const [stored, onDisk] = [storedReportFiles(pool), diskReportFiles(env.DATA_DIR)];
  return env.REPORT_FILES === 'database' ? keptIn(stored, onDisk) : keptIn(onDisk, stored);
}

/** Of one name there is one: a result that is made anew takes the place of the one elsewhere, too. */
function keptIn(here: ReportFiles, elsewhere: ReportFiles): ReportFiles {
  return {
    async draft(name, content) {
      const draft = await here.draft(name, content);
      return {
        ...draft,
        keep: async (sql) => {
          await draft.keep(sql);
          await elsewhere.remove(name);
        },
      };
    },
    read: async (name) => (await here.read(name)) ?? elsewhere.read(name),
    async remove(name) {
      await here.remove(name);
      await elsewhere.remove(name);
    },
    list: async () => [...(await here.list()), ...(await elsewhere.list())],
  };
}
