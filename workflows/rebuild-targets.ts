import { ActivityCancellationType, ActivityFailure, ApplicationFailure, CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { createTargetActivities } from '../activities/targets/activities.ts';
import { counted } from '../domain/counted.ts';
import { answered } from './answered.ts';
import { cancellationOf } from './cancelled.ts';
import { type RebuildResult, type RebuildTargetsInput, TASK_QUEUE } from './contracts.ts';
import { TellingJob } from './job-progress.ts';

type TargetActivities = ReturnType<typeof createTargetActivities>;

/** The long statements of a rebuild, on the queue with few slots. */
export const targetQueries = proxyActivities<TargetActivities>({
  taskQueue: TASK_QUEUE.sql,
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '15 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

const short = proxyActivities<TargetActivities>({
  taskQueue: TASK_QUEUE.campaign,
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

/** Builds the saved set of a mailing anew. Cancelling it ends the statement on the database server and records the build as failed. */
export async function rebuildTargets(input: RebuildTargetsInput): Promise<RebuildResult> {
  const job = new TellingJob('Running the target query.');
  try {
    const { count } = await answered(() => targetQueries.buildTargets(input), { count: 'number' });
    job.over(`${counted(count, 'user', 'users')} in the set.`);
    return { success: true, results: count, errors: [] };
  } catch (error) {
    const cancelled = cancellationOf(error);
    const errors = cancelled ? ['The rebuild was cancelled.'] : rebuildErrors(error);
    await CancellationScope.nonCancellable(() => short.failRebuild({ ...input, errors }));
    job.over(errors.join(' '));
    if (cancelled) throw cancelled;
    return { success: false, results: null, errors };
  }
}

/** That the targeting is at fault (the row of the build says how; activities of an earlier release said it here), from the failure of a build; other failures are summed up. */
export function rebuildErrors(error: unknown): string[] {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure && cause.type === 'RebuildError') return (cause.details?.[0] as string[]) ?? [cause.message];
  return [`The rebuild could not be run: ${(cause as Error).message}`];
}
