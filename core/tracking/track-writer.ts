import { BatchWriter } from '../../db/batch-writer.ts';
import type { Pool } from '../../db/driver.ts';
import { momentOf } from '../mailings/timeline.ts';
import { placeOf } from '../sending/place-of.ts';

/** One opening or click, as a public endpoint saw it. */
export interface TrackedEvent {
  userId: number;
  mailingId: number;
  /** The link's number; null is an opening. */
  link: number | null;
  machine: boolean;
}

/** Writes openings and clicks in groups, so that a million people may open at once. */
export class TrackWriter extends BatchWriter<TrackedEvent> {
  constructor(pool: Pool, onTrouble?: (error: Error, waiting: number) => void, now?: () => number) {
    super((batchId, events, ages) => recordEvents(pool, batchId, events, ages), onTrouble, now);
  }
}

/** Who had none before: `seen` has no more of them than came with these events. Old values themselves are returned since PostgreSQL 18 only. */
const FIRST = (count: string) => `(seen.${count} = person.${count} and person.${count} > 0)::int as ${count}`;

/**
 * One statement: the events, what each recipient has done so far, the totals by subject, and those over time. Who is first seen to open or click is told from the row
 * itself, so that a count of people is never a count over events. Rows are taken in order, so that two writers cannot lock each other out. A batch that is written
 * already has no events any more.
 */
async function recordEvents(pool: Pool, batchId: string, events: TrackedEvent[], ages: number[]): Promise<void> {
  await pool.query({
    name: 'record-tracking',
    text: `
      with fresh as (insert into written_batch (id) values ($6) on conflict do nothing returning id),
      event as (
        select coalesce(u.id, became.id) as user_id, e.mailing_id, e.link, e.machine, at, ${momentOf('at', 'm.started_at', 'minute')} as moment
        from fresh cross join unnest($1::int[], $2::int[], $3::int[], $4::bool[], $5::float8[]) as e(user_id, mailing_id, link, machine, age)
          cross join lateral (select statement_timestamp() - make_interval(secs => age) as at) happened
          join core_mailing m on m.id = e.mailing_id left join core_user u on u.id = e.user_id
          left join lateral (select core_present_user(e.user_id) as id where u.id is null) became on true
        where coalesce(u.id, became.id) is not null),
      opened as (insert into core_open (user_id, mailing_id, machine, created_at) select user_id, mailing_id, machine, at from event where link is null),
      clicked as (insert into core_click (user_id, mailing_id, link_number, machine, created_at)
        select user_id, mailing_id, link, machine, at from event where link is not null),
      person as (
        select mailing_id, user_id, count(*) filter (where link is null and not machine)::int as opens, count(*) filter (where link is null)::int as raw_opens,
          count(*) filter (where link is not null and not machine)::int as clicks, count(*) filter (where link is not null)::int as raw_clicks,
          min(moment) filter (where link is null and not machine) as opened, min(moment) filter (where link is not null and not machine) as clicked
        from event group by 1, 2),
      seen as (
        insert into core_trackedrecipient as r (mailing_id, user_id, opens, raw_opens, clicks, raw_clicks)
        select mailing_id, user_id, opens, raw_opens, clicks, raw_clicks from person order by 1, 2
        on conflict (mailing_id, user_id) do update set opens = r.opens + excluded.opens, raw_opens = r.raw_opens + excluded.raw_opens,
          clicks = r.clicks + excluded.clicks, raw_clicks = r.raw_clicks + excluded.raw_clicks
        returning mailing_id, user_id, opens, raw_opens, clicks, raw_clicks),
      subjects as (select mailing_id, count(*)::int as many from core_mailingsubject where mailing_id = any($2) group by 1),
      placed as (
        select seen.mailing_id, seen.user_id, case when subjects.many > 1 then coalesce(${placeOf('seen.mailing_id', 'seen.user_id')} % subjects.many, 0) else 0 end as place,
          ${FIRST('opens')}, ${FIRST('raw_opens')}, ${FIRST('clicks')}, ${FIRST('raw_clicks')},
          person.opens as total_opens, person.raw_opens as total_raw_opens, person.clicks as total_clicks, person.raw_clicks as total_raw_clicks, opened, clicked
        from seen join person using (mailing_id, user_id) left join subjects using (mailing_id)),
      timed as (
        insert into core_trackedtimeline as t (mailing_id, at, place, opens, total_opens, clicks, total_clicks)
        select mailing_id, moment, place, sum(opens), sum(total_opens), sum(clicks), sum(total_clicks) from (
          select mailing_id, moment, place, 0 as opens, (link is null)::int as total_opens, 0 as clicks, (link is not null)::int as total_clicks
            from event join placed using (mailing_id, user_id) where not machine
          union all select mailing_id, opened, place, 1, 0, 0, 0 from placed where opens > 0
          union all select mailing_id, clicked, place, 0, 0, 1, 0 from placed where clicks > 0) counted
        group by 1, 2, 3 order by 1, 2, 3
        on conflict (mailing_id, at, place) do update set opens = t.opens + excluded.opens, total_opens = t.total_opens + excluded.total_opens,
          clicks = t.clicks + excluded.clicks, total_clicks = t.total_clicks + excluded.total_clicks)
      insert into core_trackedtotal as t (mailing_id, place, opens, raw_opens, clicks, raw_clicks, total_opens, total_raw_opens, total_clicks, total_raw_clicks)
        select mailing_id, place, sum(opens), sum(raw_opens), sum(clicks), sum(raw_clicks), sum(total_opens), sum(total_raw_opens), sum(total_clicks), sum(total_raw_clicks)
        from placed group by 1, 2 order by 1, 2
      on conflict (mailing_id, place) do update set opens = t.opens + excluded.opens, raw_opens = t.raw_opens + excluded.raw_opens,
        clicks = t.clicks + excluded.clicks, raw_clicks = t.raw_clicks + excluded.raw_clicks,
        total_opens = t.total_opens + excluded.total_opens, total_raw_opens = t.total_raw_opens + excluded.total_raw_opens,
        total_clicks = t.total_clicks + excluded.total_clicks, total_raw_clicks = t.total_raw_clicks + excluded.total_raw_clicks`,
    values: [
      events.map((event) => event.userId),
      events.map((event) => event.mailingId),
      events.map((event) => event.link),
      events.map((event) => event.machine),
      ages,
      batchId,
    ],
  });
}
