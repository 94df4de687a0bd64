import { Context } from '@temporalio/activity';
import { ScheduleAlreadyRunning, ScheduleNotFoundError } from '@temporalio/client';
import { copyMailing } from '../core/mailings/copy-mailing.ts';
import { queueCopy } from '../core/mailings/transitions.ts';
import { inOneTransaction, type Sql } from '../db/sql.ts';
import type { Recurrence } from '../domain/recurrence.ts';
import { type RunRecurringInput, recurringSchedule, workflowId } from '../workflows/contracts.ts';
import type { ActivityDeps } from './deps.ts';

export type RecurringActivities = ReturnType<typeof createRecurringActivities>;

export function createRecurringActivities({ pool, env, temporal, log }: Pick<ActivityDeps, 'pool' | 'env' | 'temporal' | 'log'>) {
  return {
    /**
     * Makes the copy of a recurring mailing that this run sends: queued, its users to be built when it is sent. A run has one copy, however
     * often this is tried.
     * @returns its id, or null when the mailing is not to recur; a schedule left over is then taken away
     */
    async copyRecurring({ mailingId }: RunRecurringInput): Promise<number | null> {
      const run = Context.current().info.workflowExecution!.workflowId;
      const recurs = await inOneTransaction(pool, async (sql) => {
        if (!(await isRecurring(sql, mailingId))) return false;
        const [made] = await sql<{ mailing_id: number }>('select mailing_id from core_recurringcopy where run = $1', [run]);
        if (made) return made.mailing_id;
        if (!env.SENDING_ENABLED) return null;
        const copy = await copyMailing(sql, mailingId, { targeting: true, testGroup: false });
        await queueCopy(sql, mailingId, copy);
        await sql('insert into core_recurringcopy (run, mailing_id) values ($1, $2)', [run, copy]);
        return copy;
      });
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

/** Locks the mailing: a stop comes before the copy or after it. */
async function isRecurring(sql: Sql, mailingId: number): Promise<boolean> {
  const [row] = await sql(
    `select m.id from core_mailing m join core_recurringschedule r on r.mailing_id = m.id
     where m.id = $1 and m.status = 'recurring' and r.active for update of m`,
    [mailingId],
  );
  return row !== undefined;
}

/**
 * Makes the schedules that active recurring mailings lack, after the workflow service has lost them, and mends those that are for other times than
 * their rows say, after a change that was taken there and not here.
 * @returns how many
 */
export async function ensureRecurring({ pool, temporal }: Pick<ActivityDeps, 'pool' | 'temporal'>): Promise<number> {
  const { rows } = await pool.query<Recurrence & { mailingId: number }>(
    `select r.mailing_id as "mailingId", r.period, r.minute, r.hour, r.weekday, r.day, r.timezone
     from core_recurringschedule r join core_mailing m on m.id = r.mailing_id where r.active and m.status = 'recurring'`,
  );
  let made = 0;
  for (const row of rows) {
    const wanted = recurringSchedule(row.mailingId, row);
    const handle = temporal.schedule.getHandle(wanted.scheduleId);
    try {
      const { action } = await handle.describe();
      if ((action.args?.[0] as RunRecurringInput | undefined)?.when === wanted.action.args[0]!.when) continue;
      await handle.update(({ state }) => ({ ...wanted, state }));
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
      await temporal.schedule.create(wanted).catch((failure) => {
        if (!(failure instanceof ScheduleAlreadyRunning)) throw failure;
      });
    }
    made++;
  }
  return made;
}
