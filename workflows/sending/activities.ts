import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { SendActivities } from '../../activities/sending/activities.ts';
import { TASK_QUEUE } from '../contracts.ts';
import { SHORT_RETRY_SECONDS, SHORT_SILENCE_SECONDS } from '../silence.ts';

const retry = { initialInterval: '1 second', maximumInterval: '15 seconds' } as const;

/** One or two statements each: a worker that dies or falls silent with one holds nothing up for long. */
export const short = proxyActivities<SendActivities>({
  taskQueue: TASK_QUEUE.campaign,
  startToCloseTimeout: '15 seconds',
  heartbeatTimeout: SHORT_SILENCE_SECONDS * 1000,
  retry: { initialInterval: '1 second', maximumInterval: SHORT_RETRY_SECONDS * 1000 },
});

/** Reads the whole ledger, which takes its time with ten million recipients. */
export const beginning = proxyActivities<SendActivities>({
  taskQueue: TASK_QUEUE.campaign,
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '10 seconds',
  retry,
});

/** A worker that has been silent for so long is given up, and the slice begun anew: by another worker, or by this one when it is back. */
export const slicesUnder = (silenceSeconds: number, summary: string) =>
  proxyActivities<SendActivities>({
    taskQueue: TASK_QUEUE.sending,
    startToCloseTimeout: '30 minutes',
    heartbeatTimeout: silenceSeconds * 1000,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry,
    summary,
  });
