import type { Sql } from '../../db/sql.ts';

/** Signups, or events, one transaction takes away. */
const BATCH = 1000;

/**
 * Takes some of the events of a campaign away that is about to be deleted, and before them whoever comes to them. All at once, whoever signs up for one of them, or hosts another,
 * would wait for the last of them, each on a connection everybody else has need of.
 * @returns the last event it is at; null when the rest may go with the campaign
 */
export async function clearCampaign(sql: Sql, campaignId: number): Promise<number | null> {
  const found = await sql<{ id: number }>('select id from events_event where campaign_id = $1 order by id limit $2', [campaignId, BATCH]);
  const events = found.map(({ id }) => id);
  const signups = await sql(
    `delete from events_eventsignup where id = any(array(select id from events_eventsignup where event_id = any($1::int[]) order by event_id limit $2))
     returning id`,
    [events, BATCH],
  );
  if (signups.length < BATCH) {
    if (events.length < BATCH) return null;
    await sql('delete from events_event where id = any($1::int[])', [events]);
  }
  return events.at(-1)!;
}
