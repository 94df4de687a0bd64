import type { Client } from '@temporalio/client';
import { type Finding, look } from '../../domain/finding.ts';
import { SWEEP } from '../../workflows/rounds.ts';
import { isAsMade } from './schedules.ts';

/** The sweep is due each minute, so that it is now at most so long before its next time, by Temporal's clock. */
const ROUND_MS = 60_000;
/** A schedule that has just had its time says so after a moment. */
const SLACK_MS = 30_000;
/** Of a clock that is behind, `aheadThere` tells the latest it may show: by so much it may be behind that, too. */
export const TOLD_WITHIN_MS = ROUND_MS + 2 * SLACK_MS;

/** How many milliseconds Temporal's clock is ahead of ours, at least, as far as the next time of the sweep tells; 0 where that tells nothing. Temporal tells nobody its clock. */
export async function aheadThere(client: Client): Promise<number> {
  const described = await client.schedule
    .getHandle('sweep')
    .describe()
    .catch(() => null);
  // When it has answered: what that took is of no clock.
  const now = Date.now();
  const isEachMinute = described && !described.state.paused && isAsMade(described, SWEEP);
  const next = isEachMinute ? described.info.nextActionTimes[0]?.getTime() : undefined;
  return next === undefined ? 0 : Math.min(Math.max(now, next - ROUND_MS - SLACK_MS), next + SLACK_MS) - now;
}

/**
 * Whether Temporal's clock is another than ours: it is the one by which recurring mailings go out. One that was ahead and has been set right looks the same, since schedules begin nothing before the latest
 * time they have seen. @param off of `aheadThere`
 */
export function lookAtItsClock(off: number): Finding[] {
  if (Math.abs(off) < 1_000) return [];
  const seconds = Math.round(Math.abs(off) / 1000);
  const how =
    off < 0
      ? `${seconds} s behind ours, or its schedules stand still`
      : `${seconds} s ahead of ours, or it was, and its schedules stand still until then`;
  const says = `Temporal's is at least ${how}; recurring mailings go out by it`;
  const todo =
    off < 0 ? 'have all set by NTP' : 'have all set by NTP, restart Temporal, and then npm run migrate, which makes the schedules anew';
  return [look('clock', says, todo)];
}
