import type pg from 'pg';
import { type TrackedEvent, TrackWriter } from '../../core/tracking/track-writer.ts';

/** Openings (of link null) and clicks as the public endpoints write them, all at once; `at` where it was not just now. @throws what the database says */
export async function track(
  pool: pg.Pool,
  ...events: (Pick<TrackedEvent, 'userId' | 'mailingId'> & Partial<TrackedEvent> & { at?: Date })[]
): Promise<void> {
  let now = 0;
  const fails = (error: Error) => {
    throw error;
  };
  const writer = new TrackWriter(pool, fails, () => now);
  for (const { at = new Date(), ...event } of events) {
    now = at.getTime();
    writer.add({ link: null, machine: false, ...event });
  }
  now = Date.now();
  await writer.close();
}
