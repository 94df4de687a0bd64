import type { Sql } from '../../db/sql.ts';
import { LEDGER_STATE } from '../../domain/words.ts';

const { accepted } = LEDGER_STATE;

/** SQL of the step of `$2` seconds `at` falls into. Arithmetic of whole numbers: with epochs, which are numeric, most of the statement's time goes into it. */
const STEP = 'date_bin(make_interval(secs => $2), at, to_timestamp(0))';

/** From when to when things happened to a mailing, in seconds since the epoch; null where nothing has. */
export interface Span {
  begun: number | null;
  sent: number;
  opened: number | null;
}

/** What was counted in one step of time. */
export interface Bucket {
  at: number;
  [series: string]: number;
}

/** Mails are accepted until the sending ends, and later where an operator takes uncertain ones for accepted: in the record, or in the log of shards that are not finished. */
export async function readSpan(sql: Sql, mailingId: number): Promise<Span> {
  const [span] = await sql<Span>(
    `select extract(epoch from m.started_at)::float8 as begun, extract(epoch from case when m.finished_at is null then now() else greatest(m.finished_at,
         (select max(changed_at) from send_exception where mailing_id = m.id and state = ${accepted}),
         (select max(l.at) from send_log l join send_shard s using (mailing_id, shard)
           where l.mailing_id = m.id and not s.finished and (cardinality(l.accepted) > 0 or ${accepted} = any(l.states)))) end)::float8 as sent,
       extract(epoch from (select max(at) from core_trackedtimeline where mailing_id = m.id))::float8 as opened
     from core_mailing m where m.id = $1`,
    [mailingId],
  );
  return span ?? { begun: null, sent: 0, opened: null };
}

/**
 * Mails accepted in steps of so many seconds: of finished shards as it was counted when they were, with those an operator took for accepted since; of shards under way
 * as the log says.
 */
export function acceptedOverTime(sql: Sql, mailingId: number, step: number): Promise<Bucket[]> {
  return sql<Bucket>(
    `with shard as (select shard from send_shard where mailing_id = $1 and not finished)
     select date_part('epoch', ${STEP}) as at, sum(mails)::int as accepted from (
       select at, accepted as mails from send_timeline where mailing_id = $1
       union all select changed_at, 1 from send_exception where mailing_id = $1 and state = ${accepted}
       union all select date_trunc('second', l.at), cardinality(l.accepted) from send_log l join shard using (shard) where l.mailing_id = $1
       union all select at, 1 from send_said join shard using (shard) where mailing_id = $1 and state = ${accepted}) counted
     where mails > 0 group by ${STEP}`,
    [mailingId, step],
  );
}

/** What people opened and clicked, in steps of so many seconds. */
export function openedOverTime(sql: Sql, mailingId: number, step: number): Promise<Bucket[]> {
  return sql<Bucket>(
    `select date_part('epoch', ${STEP}) as at, sum(total_opens)::int as opens, sum(total_clicks)::int as clicks
     from core_trackedtimeline where mailing_id = $1 group by ${STEP}`,
    [mailingId, step],
  );
}

/** How many people opened, and clicked, for the first time in a step of time. */
export interface FirstTimes extends Bucket {
  /** The subject's number, from 0. */
  place: number;
  opens: number;
  clicks: number;
}

/**
 * By subject, when people opened or clicked first, in steps of so many seconds: the sum of a subject is how many of its recipients did. Programs are left out.
 * @param subjects how many there are: what came when there were more stands where results have it
 */
export function firstTimesBySubject(sql: Sql, mailingId: number, step: number, subjects: number): Promise<FirstTimes[]> {
  return sql<FirstTimes>(
    `select date_part('epoch', ${STEP}) as at, place % $3::int as place, sum(opens)::int as opens, sum(clicks)::int as clicks
     from core_trackedtimeline where mailing_id = $1 group by ${STEP}, place % $3::int order by 1`,
    [mailingId, step, Math.max(1, subjects)],
  );
}
