import type { Client } from '@temporalio/client';
import type { Env } from './env.ts';

/** A poll lasts a minute; older ones were of workers that are gone. */
export const POLLER_LIFETIME_SECONDS = 90;

/** Temporal's number for it (enums.v1.TaskQueueType). */
const TASK_QUEUE_OF_ACTIVITIES = 2;

/** Who has asked for activities of a task queue in the last minutes, and when last (seconds). @throws when Temporal cannot be asked */
export async function pollsOf(
  { temporal, env }: { temporal: Client; env: Pick<Env, 'TEMPORAL_NAMESPACE'> },
  taskQueue: string,
): Promise<{ worker: string; at: number }[]> {
  const { pollers } = await temporal.workflowService.describeTaskQueue({
    namespace: env.TEMPORAL_NAMESPACE,
    taskQueue: { name: taskQueue },
    taskQueueType: TASK_QUEUE_OF_ACTIVITIES,
  });
  return (pollers ?? []).map(({ identity, lastAccessTime }) => ({ worker: identity ?? '', at: Number(lastAccessTime?.seconds ?? 0) }));
}
