import { finalReason } from '../../core/final-reason.ts';
import { sendConfirmation } from '../../core/people/confirm.ts';
import { EraseError, eraseUser } from '../../core/people/erase.ts';
import { importUpload } from '../../core/people/import-upload.ts';
import { MergeError, mergeUsers } from '../../core/people/merge.ts';
import { forgetInReports } from '../../core/reports/forget.ts';
import { diskReportFiles } from '../../core/reports/report-files.ts';
import { inOneTransaction } from '../../db/sql.ts';
import type { UserJobInput } from '../../workflows/contracts.ts';
import type { ActivityDeps } from '../deps.ts';
import { heartbeating } from '../heartbeating.ts';

export type PeopleActivities = ReturnType<typeof createPeopleActivities>;

/** Length of one activity of an import. */
const IMPORT_SLICE_MS = 20_000;

/** Jobs about single users. Each activity is one transaction and may be run again after a crash at any moment. */
export function createPeopleActivities(deps: Pick<ActivityDeps, 'pool' | 'env' | 'log' | 'relay' | 'shuttingDown'>) {
  const { pool, env, log } = deps;

  async function orFail(table: 'core_usermerge' | 'core_erasure', jobId: number, error: unknown): Promise<void> {
    const reason = error instanceof MergeError || error instanceof EraseError ? error.message : finalReason(error);
    if (reason === null) throw error;
    log.warn({ table, jobId }, 'a job about a user failed');
    await pool.query(`update ${table} set status = 'failed', errors = $2, updated_at = now() where id = $1 and status = 'pending'`, [
      jobId,
      JSON.stringify([reason]),
    ]);
  }

  return {
    /** Imports lines of an upload, block after block, for a while. @returns whether there is more to do */
    importLines: ({ jobId }: UserJobInput): Promise<boolean> =>
      heartbeating(async () => {
        const until = performance.now() + IMPORT_SLICE_MS;
        return importUpload(pool, jobId, () => performance.now() < until && !deps.shuttingDown.aborted);
      }),

    /** Sends a confirmation once. Fails, to be run again, while the relay takes no mail. */
    sendConfirmation: ({ jobId }: UserJobInput): Promise<void> => heartbeating(() => sendConfirmation(deps, jobId)),

    /** Merges the users of a job and records how it ended. */
    mergeUsers: ({ jobId }: UserJobInput): Promise<void> =>
      heartbeating(() => inOneTransaction(pool, (sql) => mergeUsers(sql, jobId))).catch((error) => orFail('core_usermerge', jobId, error)),

    /** Erases the user of a job and records how it ended. */
    eraseUser: ({ jobId }: UserJobInput): Promise<void> =>
      heartbeating(async () => {
        // First, while the address is known: the transaction takes it away.
        const { rows } = await pool.query<{ email: string }>(
          `select u.email from core_erasure e join core_user u on u.id = e.user_id where e.id = $1 and e.status = 'pending'`,
          [jobId],
        );
        if (rows[0]) await forgetInReports(pool, diskReportFiles(env.DATA_DIR), rows[0].email);
        await inOneTransaction(pool, (sql) => eraseUser(sql, jobId, env.SECRET_KEY));
      }).catch((error) => orFail('core_erasure', jobId, error)),
  };
}
