import type pg from 'pg';
import { type TrackedEvent, TrackWriter } from '../../core/tracking/track-writer.ts';

/** Openings (of link null) and clicks as the public endpoints write them, all at once. @throws what the database says */
export async function track(
  pool: pg.Pool,
  ...events: (Pick<TrackedEvent, 'userId' | 'mailingId'> & Partial<TrackedEvent>)[]
): Promise<void> {
  const writer = new TrackWriter(pool, (error) => {
    throw error;
  });
  for (const event of events) writer.add({ link: null, machine: false, at: new Date(), ...event });
  await writer.close();
}
