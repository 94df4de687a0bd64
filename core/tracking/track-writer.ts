import { BatchWriter } from '../../db/batch-writer.ts';
import type { Pool } from '../../db/driver.ts';
import { ofUser } from '../sending/of-user.ts';

/** One opening or click, as a public endpoint saw it. */
export interface TrackedEvent {
  userId: number;
  mailingId: number;
  /** The link's number; null is an opening. */
  link: number | null;
  machine: boolean;
  at: Date;
}

/** Writes openings and clicks in groups, so that a million people may open at once. */
export class TrackWriter extends BatchWriter<TrackedEvent> {
  constructor(pool: Pool, onTrouble?: (error: Error, waiting: number) => void) {
    super((events) => recordEvents(pool, events), onTrouble);
  }
}

/**
 * One statement: the events, what each recipient has done so far, and the totals by subject. Who is first seen to open or click is told from the row's
 * old value, so that a count of people is never a count over events. Rows are taken in order, so that two writers cannot lock each other out.
 */
async function recordEvents(pool: Pool, events: TrackedEvent[]): Promise<void> {
  await pool.query({
    name: 'record-tracking',
    text: `
      with event as (
        select e.* from unnest($1::int[], $2::int[], $3::int[], $4::bool[], $5::timestamptz[]) as e(user_id, mailing_id, link, machine, at)
          join core_user u on u.id = e.user_id join core_mailing m on m.id = e.mailing_id),
      opened as (insert into core_open (user_id, mailing_id, machine, created_at) select user_id, mailing_id, machine, at from event where link is null),
      clicked as (insert into core_click (user_id, mailing_id, link_number, machine, created_at)
        select user_id, mailing_id, link, machine, at from event where link is not null),
      person as (
        select mailing_id, user_id, count(*) filter (where link is null and not machine)::int as opens, count(*) filter (where link is null)::int as raw_opens,
          count(*) filter (where link is not null and not machine)::int as clicks, count(*) filter (where link is not null)::int as raw_clicks
        from event group by 1, 2 order by 1, 2),
      seen as (
        insert into core_trackedrecipient as r (mailing_id, user_id, opens, raw_opens, clicks, raw_clicks) select * from person
        on conflict (mailing_id, user_id) do update set opens = r.opens + excluded.opens, raw_opens = r.raw_opens + excluded.raw_opens,
          clicks = r.clicks + excluded.clicks, raw_clicks = r.raw_clicks + excluded.raw_clicks
        returning new.mailing_id, new.user_id,
          (coalesce(old.opens, 0) = 0 and new.opens > 0)::int as opens, (coalesce(old.raw_opens, 0) = 0 and new.raw_opens > 0)::int as raw_opens,
          (coalesce(old.clicks, 0) = 0 and new.clicks > 0)::int as clicks, (coalesce(old.raw_clicks, 0) = 0 and new.raw_clicks > 0)::int as raw_clicks),
      subjects as (select mailing_id, count(*)::int as many from core_mailingsubject where mailing_id = any($2) group by 1)
      insert into core_trackedtotal as t (mailing_id, place, opens, raw_opens, clicks, raw_clicks, total_opens, total_raw_opens, total_clicks, total_raw_clicks)
        select seen.mailing_id, coalesce(l.position % subjects.many, 0), sum(seen.opens), sum(seen.raw_opens), sum(seen.clicks), sum(seen.raw_clicks),
          sum(person.opens), sum(person.raw_opens), sum(person.clicks), sum(person.raw_clicks)
        from seen join person using (mailing_id, user_id) left join subjects using (mailing_id)
          left join send_record l on ${ofUser('l', 'seen.user_id')} and l.mailing_id = seen.mailing_id
        group by 1, 2 order by 1, 2
      on conflict (mailing_id, place) do update set opens = t.opens + excluded.opens, raw_opens = t.raw_opens + excluded.raw_opens,
        clicks = t.clicks + excluded.clicks, raw_clicks = t.raw_clicks + excluded.raw_clicks,
        total_opens = t.total_opens + excluded.total_opens, total_raw_opens = t.total_raw_opens + excluded.total_raw_opens,
        total_clicks = t.total_clicks + excluded.total_clicks, total_raw_clicks = t.total_raw_clicks + excluded.total_raw_clicks`,
    values: [
      events.map((event) => event.userId),
      events.map((event) => event.mailingId),
      events.map((event) => event.link),
      events.map((event) => event.machine),
      events.map((event) => event.at),
    ],
  });
}
