import { type Client, ScheduleAlreadyRunning, ScheduleNotFoundError, type ScheduleOptions } from '@temporalio/client';
import type { Env } from '../config/env.ts';
import { leftByHand, MEMO } from '../workflows/contracts.ts';
import { type Round, roundSchedule, roundsOf, SWEEP } from '../workflows/rounds.ts';

/** How much later than it should be the next time of a schedule may be, while the clocks of machines differ. */
const STANDS_MS = 60_000;

/**
 * Makes the platform's own schedules what the settings say; to be run at every start. A schedule begins nothing before the latest time it has seen, whatever is changed in it: after a clock of Temporal's
 * that was an hour ahead and was set right it stands still for that hour, unless it is made anew. With the sweep stand those of recurring mailings, which it makes anew where they are gone.
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
    let stood = false;
    let state = {};
    await client.schedule.getHandle(scheduleId).update((found) => {
      of = found.action.memo?.[MEMO.database];
      state = leftByHand(found.state);
      const [next] = found.info.nextActionTimes;
      stood = next !== undefined && next.getTime() > Date.now() + round.minutes * 60_000 + STANDS_MS;
      return { spec, action, policies, state: leftByHand(found.state) };
    });
    // First, so that whoever is killed in between finds the sweep standing still once more.
    if (stood && scheduleId === SWEEP.scheduleId) await removeRecurring(client);
    if (stood) await makeAnew(client, { ...options, state });
    return database !== undefined && of !== undefined && of !== database;
  }
}

async function makeAnew(client: Client, options: ScheduleOptions): Promise<void> {
  await remove(client, options.scheduleId);
  await client.schedule.create(options).catch((error) => {
    // Another migration was first.
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  });
}

/** Not what somebody paused: it has nothing to miss. */
async function removeRecurring(client: Client): Promise<void> {
  for await (const { scheduleId, action, state } of client.schedule.list()) {
    if (action?.workflowType === 'runRecurring' && !state?.paused) await remove(client, scheduleId);
  }
}

async function remove(client: Client, scheduleId: string): Promise<void> {
  try {
    await client.schedule.getHandle(scheduleId).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}
