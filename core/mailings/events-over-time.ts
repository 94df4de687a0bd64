import type { Sql } from '../../db/sql.ts';
import { LEDGER_STATE } from '../../domain/words.ts';

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

export async function readSpan(sql: Sql, mailingId: number): Promise<Span> {
  const [span] = await sql<Span>(
    `select extract(epoch from m.started_at)::float8 as begun, extract(epoch from coalesce(m.finished_at, now()))::float8 as sent,
       extract(epoch from (select greatest((select max(created_at) from core_open where mailing_id = m.id), (select max(created_at) from core_click where mailing_id = m.id))))::float8 as opened
     from core_mailing m where m.id = $1`,
    [mailingId],
  );
  return span ?? { begun: null, sent: 0, opened: null };
}

/** Mails accepted in steps of so many seconds. Reads the mailing's whole range of the ledger: no index holds the times. */
export function acceptedOverTime(sql: Sql, mailingId: number, step: number): Promise<Bucket[]> {
  return sql<Bucket>(
    `select date_part('epoch', ${bucketOf('changed_at')}) as at, count(*)::int as accepted
     from send_record where mailing_id = $1 and state = ${LEDGER_STATE.accepted} and changed_at is not null group by ${bucketOf('changed_at')}`,
    [mailingId, step],
  );
}

/** What people opened and clicked, in steps of so many seconds. */
export function openedOverTime(sql: Sql, mailingId: number, step: number): Promise<Bucket[]> {
  return sql<Bucket>(
    `select date_part('epoch', ${bucketOf('created_at')}) as at, count(*) filter (where opening)::int as opens,
       count(*) filter (where not opening)::int as clicks
     from (select created_at, true as opening from core_open where mailing_id = $1 and not machine
       union all select created_at, false from core_click where mailing_id = $1 and not machine) event group by ${bucketOf('created_at')}`,
    [mailingId, step],
  );
}

/** SQL of the step of `$2` seconds a time falls into. Arithmetic of whole numbers: with epochs, which are numeric, most of the statement's time goes into it. */
const bucketOf = (column: string) => `date_bin(make_interval(secs => $2), ${column}, to_timestamp(0))`;
