import type { Client } from '@temporalio/client';
import type { Env } from './env.ts';

/** A poll lasts a minute; older ones were of workers that are gone. */
export const POLLER_LIFETIME_SECONDS = 90;

/** Temporal's number for it (enums.v1.TaskQueueType). */
const TASK_QUEUE_OF_ACTIVITIES = 2;

interface Asked {
  temporal: Client;
  env: Pick<Env, 'TEMPORAL_NAMESPACE'>;
}

interface DescribedQueue {
  /** Who has asked for its activities in the last minutes, and when last (seconds). */
  polls: { worker: string; at: number }[];
  /** So many of them a second does Temporal give out, where somebody told it so (`temporal task-queue config set`), else null; servers before 1.29 know no such limit. */
  limit: number | null;
}

/** What Temporal knows of a task queue. @throws when it cannot be asked */
export async function describeQueue({ temporal, env }: Asked, taskQueue: string): Promise<DescribedQueue> {
  const { pollers, config } = await temporal.workflowService.describeTaskQueue({
    namespace: env.TEMPORAL_NAMESPACE,
    taskQueue: { name: taskQueue },
    taskQueueType: TASK_QUEUE_OF_ACTIVITIES,
    reportConfig: true,
  });
  const limited = config?.queueRateLimit?.rateLimit;
  return {
    polls: (pollers ?? []).map(({ identity, lastAccessTime }) => ({ worker: identity ?? '', at: Number(lastAccessTime?.seconds ?? 0) })),
    limit: limited ? (limited.requestsPerSecond ?? 0) : null,
  };
}
