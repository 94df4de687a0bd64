import { Context } from '@temporalio/activity';
import { ScheduleAlreadyRunning, ScheduleNotFoundError } from '@temporalio/client';
import { isKeptAsNow } from '../config/payload-codec.ts';
import { copyRecurring, readRecurring, whileUnchanged } from '../core/mailings/recurring.ts';
import type { Recurrence } from '../domain/recurrence.ts';
import { leftByHand, type RunRecurringInput, recurringSchedule, timeOfRun, workflowId } from '../workflows/contracts.ts';
import type { ActivityDeps } from './deps.ts';
import { eachAsking } from './each-in-turn.ts';
import { isAsMeant } from './recurring-times.ts';

export type RecurringActivities = ReturnType<typeof createRecurringActivities>;

export function createRecurringActivities({ pool, env, temporal, log }: Pick<ActivityDeps, 'pool' | 'env' | 'temporal' | 'log'>) {
  return {
    /**
     * Makes the copy of a recurring mailing that this run sends: queued, its users to be built when it is sent. A run has one copy, however
     * often this is tried, and so has a time of the clocks that comes twice.
     * @returns its id, or null when there is none to send; a schedule left over of a mailing that is not to recur is taken away
     */
    async copyRecurring({ mailingId, when }: RunRecurringInput): Promise<number | null> {
      const run = Context.current().info.workflowExecution!.workflowId;
      const time = timeOfRun(mailingId, run);
      const recurs = await copyRecurring(pool, mailingId, { id: run, time, times: when }, env);
      if (recurs === 'late') {
        log.warn(
          { mailingId, time: new Date(time!).toISOString() },
          'left out a time of a recurring mailing: it is past by more than SCHEDULE_GRACE_MINUTES',
        );
        return null;
      }
      if (recurs !== false) return recurs;
      await removeSchedule(mailingId);
      return null;
    },
  };

  async function removeSchedule(mailingId: number): Promise<void> {
    try {
      await temporal.schedule.getHandle(workflowId.runRecurring(mailingId)).delete();
      log.warn({ mailingId }, 'took away the schedule of a mailing that does not recur');
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
    }
  }
}

/**
 * Makes the schedules that active recurring mailings lack, after the workflow service has lost them, and mends those that are for other times than
 * their rows say, after a change that was taken there and not here, or was made there by hand, or under another key than now: no history outlives the day on which an old key is taken away, but
 * schedules do.
 * @returns how many
 */
export async function ensureRecurring({ pool, temporal, env }: Pick<ActivityDeps, 'pool' | 'temporal' | 'env'>): Promise<number> {
  return eachAsking(temporal, await readRecurring(pool), async ({ mailingId, ...read }) => {
    if ((await look(mailingId, read)).found === 'as meant') return 0;
    // It may have been changed since it was read: what was changed would be put back.
    const mended = await whileUnchanged(pool, mailingId, async (recurrence) => (recurrence ? mend(mailingId, recurrence) : 0));
    return mended ?? 0;
  });

  async function look(mailingId: number, recurrence: Recurrence) {
    const wanted = recurringSchedule(mailingId, recurrence);
    const handle = temporal.schedule.getHandle(wanted.scheduleId);
    try {
      const described = await handle.describe();
      const kept = described.raw.schedule?.action?.startWorkflow?.input?.payloads?.[0];
      const isFine = kept && isKeptAsNow(kept, env) && isAsMeant(described, wanted);
      return { wanted, handle, found: isFine ? 'as meant' : 'another' } as const;
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
      return { wanted, handle, found: 'none' } as const;
    }
  }

  async function mend(mailingId: number, recurrence: Recurrence): Promise<number> {
    const { wanted, handle, found } = await look(mailingId, recurrence);
    if (found === 'as meant') return 0;
    if (found === 'another') await handle.update(({ state }) => ({ ...wanted, state: leftByHand(state) }));
    else
      await temporal.schedule.create(wanted).catch((failure) => {
        if (!(failure instanceof ScheduleAlreadyRunning)) throw failure;
      });
    return 1;
  }
}
