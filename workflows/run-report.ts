import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  patched,
  proxyActivities,
} from '@temporalio/workflow';
import type { ReportActivities } from '../activities/reports/activities.ts';
import { answeredAs } from './answered.ts';
import { cancellationOf } from './cancelled.ts';
import { type ReportJobInput, TASK_QUEUE } from './contracts.ts';
import { TellingJob } from './job-progress.ts';

const { runReportTask } = proxyActivities<ReportActivities>({
  taskQueue: TASK_QUEUE.sql,
  startToCloseTimeout: '3 hours',
  heartbeatTimeout: '15 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  // Waiting for a place counts as attempts: the activity itself knows when it was begun often enough.
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

const { failReportTask, noteUnmailedReport } = proxyActivities<ReportActivities>({
  taskQueue: TASK_QUEUE.campaign,
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

const { mailReport } = proxyActivities<ReportActivities>({
  taskQueue: TASK_QUEUE.campaign,
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '15 seconds',
  scheduleToCloseTimeout: '2 days',
  retry: { initialInterval: '10 seconds', maximumInterval: '10 minutes' },
});

/** Runs a report into a file, then mails it to whoever asked for that. Cancelling it ends the statement and records the task as failed. */
export async function runReport(input: ReportJobInput): Promise<void> {
  const job = new TellingJob('Running the report, once there is a place for it.');
  let addresses: number;
  try {
    addresses = await answeredAs<number>(() => runReportTask(input), 'number');
  } catch (error) {
    const cancelled = cancellationOf(error);
    const errors = [cancelled ? 'The report was cancelled.' : reasonOf(error)];
    await CancellationScope.nonCancellable(() => failReportTask({ ...input, errors }));
    job.over('Failed; the task says why.');
    if (cancelled) throw cancelled;
    return;
  }
  for (let index = 0; index < addresses; index++) {
    job.over(`Mailing the result, ${index} of ${addresses}.`);
    try {
      await mailReport({ ...input, index });
    } catch (error) {
      const cancelled = cancellationOf(error);
      if (cancelled) {
        await CancellationScope.nonCancellable(() => noteCancelled(input, index, addresses));
        job.over('Cancelled; the task says what was not mailed.');
        throw cancelled;
      }
      // The others shall have theirs.
      if (patched('unmailed-is-noted')) await noteUnmailedReport({ ...input, index });
    }
  }
  job.over('Over.');
}

async function noteCancelled(input: ReportJobInput, from: number, to: number): Promise<void> {
  for (let index = from; index < to; index++) await noteUnmailedReport({ ...input, index, cancelled: true });
}

function reasonOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure && cause.type === 'ReportError' ? cause.message : 'The report could not be run.';
}
