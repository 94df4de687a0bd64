import { isDeepStrictEqual } from 'node:util';
import type { Client, ScheduleDescription, ScheduleSummary } from '@temporalio/client';
import type { Env } from '../../config/env.ts';
import { identityAt } from '../../db/identity.ts';
import { type Finding, look, PATIENCE_MS, well, wrong } from '../../domain/finding.ts';
import { isLimitedByHand, MEMO } from '../../workflows/contracts.ts';
import { type Round, roundSchedule, roundsOf, SWEEP } from '../../workflows/rounds.ts';
import { lookAtSweeps } from './sweeps.ts';
import { lookAtZones } from './zone-tables.ts';

/** Of the sweep, which begins once a minute. */
const SWEEP_LATE_MS = 5 * 60_000;

const MIGRATE = 'npm run migrate';

/** The schedules there are, which of them are paused, and whether those of the platform are as its migration makes them. @param now by the clock of Temporal */
export async function lookAtSchedules(client: Client, env: Env, now: number): Promise<Finding[]> {
  const listed: ScheduleSummary[] = [];
  for await (const schedule of client.schedule.list()) listed.push(schedule);
  const names = listed.map(({ scheduleId }) => scheduleId);
  const paused = listed.filter(({ state }) => state?.paused).map(({ scheduleId }) => scheduleId);
  const zones = lookAtZones(listed);
  const found = await lookAtRounds(client, env, { names, paused, now });
  if (!paused.length) return zones.length && found.state === 'well' ? zones : [...zones, found];
  // One may be paused for months, of a recurring mailing: what else is wrong is said all the same.
  const said = look('schedules', `paused: ${paused.join(', ')}`, 'unpause them in the Temporal UI when that was not meant');
  return found.state === 'well' ? [said, ...zones] : [said, ...zones, found];
}

interface Listed {
  names: string[];
  paused: string[];
  now: number;
}

async function lookAtRounds(client: Client, env: Env, { names, paused, now }: Listed): Promise<Finding> {
  if (!names.includes(SWEEP.scheduleId)) return wrong('schedules', 'there is no sweep, which starts what has no run', MIGRATE);
  const rounds = roundsOf(env).filter(({ wanted }) => wanted);
  const missing = rounds.filter(({ scheduleId }) => !names.includes(scheduleId)).map(({ scheduleId }) => scheduleId);
  if (missing.length) return wrong('schedules', `there is no ${missing.join(', no ')}`, MIGRATE);
  const described = await Promise.all(rounds.map(({ scheduleId }) => client.schedule.getHandle(scheduleId).describe()));
  const others = rounds.filter((round, n) => !isAsMade(described[n]!, round)).map(({ scheduleId }) => scheduleId);
  if (others.length) return look('schedules', `not as they were made: ${others.join(', ')}`, `${MIGRATE}, which makes them so again`);
  const { info, action } = described[0]!;
  if (await isOfAnother(action.memo?.[MEMO.database], env)) {
    const todo = `two platforms in one namespace take each other’s work: give one a TEMPORAL_NAMESPACE of its own; where the other is gone, ${MIGRATE}`;
    return wrong('schedules', `those of namespace ${env.TEMPORAL_NAMESPACE} were made for another database`, todo);
  }
  const all = well('schedules', names.sort().join(', '));
  if (paused.includes(SWEEP.scheduleId)) return all;
  const last = info.recentActions.at(-1)?.takenAt ?? info.createdAt;
  const ago = now - last.getTime();
  if (ago > SWEEP_LATE_MS)
    return look('schedules', `the sweep began last ${Math.round(ago / 60_000)} minutes ago`, 'look at its run in the Temporal UI');
  return (await lookAtSweeps(client)) ?? all;
}

const STARTS = ['workflowType', 'workflowId', 'taskQueue', 'args'] as const;

/** Whether a schedule starts what the migration has it start, when and for as long as it says; not whether it is paused. */
export function isAsMade({ action, spec, policies, state }: ScheduleDescription, round: Round): boolean {
  const made = roundSchedule(round);
  return (
    STARTS.every((name) => isDeepStrictEqual(action[name], made.action[name])) &&
    !isLimitedByHand(action) &&
    isDeepStrictEqual(
      spec.intervals?.map(({ every, offset }) => [every, offset ?? 0]),
      made.spec.intervals.map(({ every }) => [every, 0]),
    ) &&
    ![spec.calendars, spec.skip].some((each) => each?.length) &&
    !spec.startAt &&
    !spec.endAt &&
    !spec.jitter &&
    policies.overlap === made.policies.overlap &&
    !policies.pauseOnFailure &&
    state.remainingActions === undefined
  );
}

/** @param identity of the database they were made for; nothing by a release that did not say it */
async function isOfAnother(identity: unknown, { DATABASE_URL: url }: Env): Promise<boolean> {
  const ours = identity !== undefined && url ? await identityAt(url, PATIENCE_MS) : null;
  return ours !== null && ours !== identity;
}
