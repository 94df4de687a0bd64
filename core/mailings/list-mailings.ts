import type { Sql } from '../../db/sql.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import type { MailingStatus, QueryStatus } from '../../domain/words.ts';
import { SENT_SO_FAR } from './counts.ts';

/** A mailing as the list shows it. */
export interface ListedMailing {
  id: number;
  accepted: number;
  failed: number;
  skipped: number;
  uncertain: number;
  /** The first subject. */
  subject: string;
  notes: string;
  status: MailingStatus;
  query_status: QueryStatus;
  /** Somebody has asked it to stop, and it has not stopped yet. */
  stop_requested: boolean;
  saved_count: number | null;
  /** How many it goes or went to; as far as is known. */
  targeted: number;
  created_at: string;
  scheduled_for: string | null;
  started_at: string | null;
  finished_at: string | null;
}

const STAMPS = ['created_at', 'scheduled_for', 'started_at', 'finished_at'];

const ORDERS = {
  newest: 'm.id desc',
  /** What is at work before what waits for its time, of that the first to come. */
  soonest: `m.status = 'scheduled', m.scheduled_for, m.id desc`,
  ended: 'm.finished_at desc nulls last, m.id desc',
};

/** Mailings, by default the newest first. `statuses` null is all of them; `words` are a part of a subject or of the notes. */
export function listMailings(
  sql: Sql,
  {
    statuses,
    words,
    limit,
    offset,
    before = null,
    archived = false,
    order = 'newest',
  }: {
    statuses: readonly MailingStatus[] | null;
    words: string;
    limit: number;
    offset: number;
    /** Only those with a smaller id. */
    before?: number | null;
    archived?: boolean;
    order?: keyof typeof ORDERS;
  },
): Promise<ListedMailing[]> {
  return sql<ListedMailing>(
    `select m.id, coalesce((select text from core_mailingsubject s where s.mailing_id = m.id order by position limit 1), '') as subject, m.notes, m.status, m.stop_requested,
        m.query_status, m.saved_count, coalesce(m.expected_send_count, m.saved_count, 0) as targeted,
        ${STAMPS.map((stamp) => `${timestampSql(`m.${stamp}`)} as ${stamp}`).join(', ')}, sent.*
      from (
        select * from core_mailing m where hidden = $5 and ($6::int is null or id < $6) and ($1::text[] is null or status = any($1))
          and ($2 = '' or strpos(lower(notes), lower($2)) > 0 or id::text = $2
            or exists (select from core_mailingsubject s where s.mailing_id = m.id and strpos(lower(s.text), lower($2)) > 0))
        order by ${ORDERS[order]} limit $3 offset $4) m, ${SENT_SO_FAR}
      order by ${ORDERS[order]}`,
    [statuses, words, limit, offset, archived, before],
  );
}

/** How many mailings there are in each status, the hidden ones left out. */
export function countByStatus(sql: Sql): Promise<{ status: MailingStatus; n: number }[]> {
  return sql<{ status: MailingStatus; n: number }>('select status, count(*)::int as n from core_mailing where not hidden group by status');
}
