import { ApplicationFailure } from '@temporalio/common';
import { goneSoFar } from '../../core/people/who-went.ts';
import { endReportMail } from '../../core/reports/report-mails.ts';
import { failReportTask, noteInLine, readReportLine } from '../../core/reports/report-task.ts';
import { mailReport, runReportTask } from '../../core/reports/run-report-task.ts';
import { sqlOn } from '../../db/sql.ts';
import { StatementError } from '../../domain/reports/statement-error.ts';
import type { ReportJobInput, ReportMailInput } from '../../workflows/contracts.ts';
import type { ActivityDeps } from '../deps.ts';
import { heartbeating } from '../heartbeating.ts';
import { isNoPlace, type Places } from '../places.ts';

export type ReportActivities = ReturnType<typeof createReportActivities>;

/** Reports in the background. The row holds what to run; the workflow only knows its number. */
export function createReportActivities(deps: Pick<ActivityDeps, 'pool' | 'env' | 'relay'> & { places: Places }) {
  return {
    /**
     * @returns how many people the result is to be mailed to
     * @throws ApplicationFailure `ReportError`, final, when the statement itself is at fault
     */
    async runReportTask({ jobId }: ReportJobInput): Promise<number> {
      const gone = await goneSoFar(sqlOn(deps.pool));
      let nth: number | null = null;
      const begun = (which: number) => {
        nth = which;
      };
      const run = () => heartbeating(({ signal }) => runReportTask(deps, jobId, signal, begun));
      const line = await readReportLine(deps.pool, jobId);
      return deps.places.hold('report', line.account, run).catch(async (error) => {
        if (isNoPlace(error)) await noteInLine(deps.pool, jobId, line.nth);
        if (!(error instanceof StatementError)) throw error;
        // In full into its row alone: the database quotes values, which may name people, and what is thrown is kept in the history.
        await failReportTask(deps.pool, jobId, [error.message], { gone, nth });
        throw ApplicationFailure.nonRetryable('The statement failed; the task says why.', 'ReportError');
      });
    },

    /** Ends a report that failed, with what its task shall say. */
    failReportTask: ({ jobId, errors }: ReportJobInput & { errors: string[] }): Promise<void> => failReportTask(deps.pool, jobId, errors),

    /** Mails the result to one of the addresses; fails, to be tried again, while the relay takes no mail. */
    mailReport: ({ jobId, index }: ReportMailInput): Promise<void> => heartbeating(() => mailReport(deps, jobId, index)),

    /** Writes down that the result is not mailed to one of the addresses any more. */
    noteUnmailedReport: ({ jobId, index, cancelled }: ReportMailInput): Promise<void> =>
      endReportMail(deps.pool, jobId, index, cancelled ? 'it was cancelled.' : 'it could not be sent, and is not tried any more.'),
  };
}
