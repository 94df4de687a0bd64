import type { Pool } from '../../db/driver.ts';
import { hoursAt, readSendingHours } from '../../domain/sending-hours.ts';
import { NOTHING_SENT, type SliceResult } from '../../domain/slice-result.ts';
import type { CoreDeps } from '../deps.ts';
import { shardsLeft } from './shards.ts';

interface ClosedHours {
  open: false;
  opensInMs: number;
  reason: string;
}

export type HoursNow = { open: true; closesInMs: number } | ClosedHours;

/**
 * How the sending hours of this instance stand; null when it has none.
 * @param at milliseconds since the epoch; by default what this process takes for it
 */
export function hoursNow({ env, clock }: Pick<CoreDeps, 'env' | 'clock'>, at?: number): HoursNow | null {
  const hours = readSendingHours(env.SENDING_HOURS, env.SENDING_TIMEZONE);
  if (!hours) return null;
  const now = at ?? clock?.now() ?? Date.now();
  const found = hoursAt(hours, now);
  return found.open ? found : { open: false, opensInMs: found.opensAt - now, reason: `outside the sending hours, ${hours.shown}` };
}

/** The same by the clock of the database: workers whose own are wrong would send before the hours open, or after they close. */
export async function hoursByDatabase(pool: Pool, deps: Pick<CoreDeps, 'env' | 'clock'>): Promise<HoursNow | null> {
  if (!deps.env.SENDING_HOURS || deps.clock) return hoursNow(deps);
  const { rows } = await pool.query<{ now: number }>('select (1000 * extract(epoch from clock_timestamp()))::float8 as now');
  return hoursNow(deps, rows[0]!.now);
}

/** A worker that ends right behind the last mail leaves a shard that nobody waits in, and that is not finished. */
const SOMEBODY_WAITS = `select from send_shard where mailing_id = $1 and not finished
  and to_position - from_position + 1 > accepted + failed + skipped + uncertain limit 1`;

/**
 * What a slice does while the hours are closed: nothing, but see whether there is anything to wait for.
 * @returns null where nobody waits any more: what is left to do sends no mail, and need not wait until they open
 */
export async function closedSlice(pool: Pool, mailingId: number, hours: ClosedHours): Promise<SliceResult | null> {
  const { rows } = await pool.query<{ stop_requested: boolean }>('select stop_requested from core_mailing where id = $1', [mailingId]);
  if (rows[0]?.stop_requested) return { ...NOTHING_SENT, next: 'stop' };
  const { unfinished, goesOn } = await shardsLeft(pool, mailingId);
  if (unfinished === 0) return { ...NOTHING_SENT, next: 'finished' };
  // A worker has ended it, having missed commits: nobody is to hear of that only when the hours open.
  if (!goesOn) return { ...NOTHING_SENT, next: 'stop' };
  if ((await pool.query(SOMEBODY_WAITS, [mailingId])).rows.length === 0) return null;
  return { ...NOTHING_SENT, next: 'closed', waitMs: hours.opensInMs, reason: hours.reason };
}
