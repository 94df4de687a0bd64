import { type Client, ScheduleAlreadyRunning, ScheduleNotFoundError, type ScheduleOptions } from '@temporalio/client';
import type { Env } from '../config/env.ts';
import { leftByHand, MEMO } from '../workflows/contracts.ts';
import { type Round, roundSchedule, roundsOf } from '../workflows/rounds.ts';

/**
 * Makes the platform's own schedules what the settings say; to be run at every start.
 * @param database whose they are (db/identity.ts), which they say from then on
 * @returns whether they said that they are another's: two platforms in one namespace take each other's work
 */
export async function ensureSchedules(client: Client, env: Env, database?: string): Promise<boolean> {
  let others = false;
  for (const round of roundsOf(env)) {
    if (!round.wanted) await remove(client, round.scheduleId);
    else if (await ensure(client, round, database)) others = true;
  }
  return others;
}

/** @returns whether it was another database's */
async function ensure(client: Client, round: Round, database?: string): Promise<boolean> {
  const { scheduleId, action: starts, ...rest } = roundSchedule(round);
  const options: ScheduleOptions = { ...rest, scheduleId, action: { ...starts, ...(database && { memo: { [MEMO.database]: database } }) } };
  try {
    await client.schedule.create(options);
    return false;
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    // Whatever the release before wanted; whether it is paused stays as it was.
    const { spec, action, policies = {} } = options;
    let of: unknown;
    await client.schedule.getHandle(scheduleId).update(({ state, action: { memo } }) => {
      of = memo?.[MEMO.database];
      return { spec, action, policies, state: leftByHand(state) };
    });
    return database !== undefined && of !== undefined && of !== database;
  }
}

async function remove(client: Client, scheduleId: string): Promise<void> {
  try {
    await client.schedule.getHandle(scheduleId).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}
