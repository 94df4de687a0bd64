import { ApplicationFailure } from '@temporalio/common';
import { diskReportFiles } from '../../core/reports/report-files.ts';
import { composeReportMail } from '../../core/reports/report-mail.ts';
import { streamReport } from '../../core/reports/report-reader.ts';
import { relayFor } from '../../core/sending/signing.ts';
import { reportDatabaseUrl } from '../../db/report-login.ts';
import { type ReportFormat, rowFormat } from '../../domain/reports/formats.ts';
import { StatementError } from '../../domain/reports/statement.ts';
import type { ReportJobInput, ReportMailInput } from '../../workflows/contracts.ts';
import type { ActivityDeps } from '../deps.ts';
import { heartbeating } from '../heartbeating.ts';

export type ReportActivities = ReturnType<typeof createReportActivities>;

/** Reports in the background. The row holds what to run; the workflow only knows its number. */
export function createReportActivities(deps: Pick<ActivityDeps, 'pool' | 'env' | 'relay'>) {
  const { pool, env } = deps;
  const files = diskReportFiles(env.DATA_DIR);

  return {
    /**
     * Runs a report into its file, from the beginning at every attempt.
     * @returns how many people the result is to be mailed to
     * @throws ApplicationFailure `ReportError`, final, when the statement itself is at fault
     */
    async runReportTask({ jobId }: ReportJobInput): Promise<number> {
      const { rows } = await pool.query<{ statement: { text: string; values: string[] }; format: ReportFormat; emails: string[] }>(
        `update core_backgroundtask set status = 'running', started_at = coalesce(started_at, now()), updated_at = now()
          where id = $1 and status in ('pending', 'running') returning statement, format, emails`,
        [jobId],
      );
      const task = rows[0];
      if (!task) return 0;
      return heartbeating(async ({ signal }) => {
        const report = await streamReport(task.statement, rowFormat(task.format), {
          reportDatabaseUrl: reportDatabaseUrl(env),
          timeoutMs: env.BACKGROUND_REPORT_TIMEOUT_MS,
          maxRows: env.BACKGROUND_REPORT_MAX_ROWS,
          maxMb: env.BACKGROUND_REPORT_MAX_MB,
          memoryMb: env.REPORT_MEMORY_MB,
          signal,
        });
        const bytes = await files.write(fileName(jobId, task.format), report.text);
        const { rowCount } = await pool.query(
          `update core_backgroundtask set status = 'completed', row_count = $2, byte_count = $3, finished_at = now(), updated_at = now() where id = $1`,
          [jobId, report.rows(), bytes],
        );
        if (rowCount) return task.emails.length;
        // Deleted meanwhile.
        await files.remove(fileName(jobId, task.format));
        return 0;
      }).catch((error) => {
        if (error instanceof StatementError) throw ApplicationFailure.nonRetryable(error.message, 'ReportError');
        throw error;
      });
    },

    /** Ends a report that failed, with what its task shall say. */
    async failReportTask({ jobId, errors }: ReportJobInput & { errors: string[] }): Promise<void> {
      await pool.query(
        `update core_backgroundtask set status = 'failed', errors = $2, finished_at = now(), updated_at = now()
          where id = $1 and status in ('pending', 'running')`,
        [jobId, JSON.stringify(errors)],
      );
    },

    /**
     * Mails the result to one of the addresses. Tried again only while the relay certainly does not have it; what it refuses or leaves
     * uncertain is written to the task.
     */
    async mailReport({ jobId, index }: ReportMailInput): Promise<void> {
      const { rows } = await pool.query<{ short_name: string; format: ReportFormat; email: string | null; row_count: number | null }>(
        `select short_name, format, emails->>$2::int as email, row_count from core_backgroundtask where id = $1 and status = 'completed'`,
        [jobId, index],
      );
      const task = rows[0];
      if (!task?.email) return;
      const file = await files.read(fileName(jobId, task.format));
      const mail = await composeReportMail({ jobId, index, ...task, email: task.email, rows: task.row_count ?? 0 }, file, env);
      const outcome = await (await relayFor(deps, env.DEFAULT_FROM)).send(mail, undefined, true);
      if (outcome.kind === 'accepted') return;
      if (outcome.kind === 'unsent' || outcome.kind === 'deferred')
        throw ApplicationFailure.retryable(`the relay is not taking mail: ${outcome.reply}`);
      const message = `Mail ${index + 1}: ${outcome.kind}: ${outcome.reply}`;
      await pool.query('update core_backgroundtask set errors = errors || $2::jsonb, updated_at = now() where id = $1', [
        jobId,
        JSON.stringify([message]),
      ]);
    },
  };
}

const fileName = (jobId: number, format: ReportFormat): string => `report-${jobId}.${format}`;
