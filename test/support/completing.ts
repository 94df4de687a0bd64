import { setTimeout as sleep } from 'node:timers/promises';
import { ActivityNotFoundError } from '@temporalio/client';
import type { WholePlatform } from './whole-platform.ts';

/** What an operator does who completes activities by hand. */
export function completing({ place, api }: WholePlatform) {
  /** Whether somebody waits for what another holds. */
  const isHeldUp = async () =>
    (await api.pool.query('select from pg_locks where not granted and pid <> pg_backend_pid() limit 1')).rowCount === 1;

  return {
    /**
     * Completes an activity of a run that is at work.
     * @param heldUp not before it is held up: one of that name that was at work before may end meanwhile
     */
    async complete(id: string, activity: string, result: unknown, heldUp = false): Promise<void> {
      for (; ; await sleep(50)) {
        if (heldUp && !(await isHeldUp())) continue;
        const described = await place.client.workflow
          .getHandle(id)
          .describe()
          .catch(() => null);
        const at = described?.raw.pendingActivities?.find(({ activityType, state }) => activityType!.name === activity && state === 2);
        if (!at) continue;
        try {
          return await place.client.activity.complete({ workflowId: id, activityId: at.activityId! }, result);
        } catch (error) {
          // It came to its own end in between: there is another one, such as the next slice.
          if (!(error instanceof ActivityNotFoundError)) throw error;
        }
      }
    },

    /** Holds what a statement locks for as long as `during` takes, and whoever waited for it gives up then. */
    async holding(lock: string, during: () => Promise<unknown>): Promise<void> {
      const holder = await api.pool.connect();
      try {
        await holder.query('begin');
        await holder.query(lock);
        await during();
        await holder.query('select pg_cancel_backend(pid) from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))');
        await holder.query('rollback');
      } finally {
        holder.release();
      }
    },
  };
}
