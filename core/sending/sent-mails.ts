import type { Pool } from '../../db/driver.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import { RECORD_EPOCH } from './end-pass.ts';
import { ofUser } from './of-user.ts';

export interface SentMail {
  /** Below 0 when the user was deleted since. */
  user_id: number;
  mailing_id: number;
  created_at: string;
  subject: string;
}

/** What mails are asked for by. */
export interface OfWhom {
  user?: number;
  mailing?: number;
}

/** Which of them, in order of mailing and position. */
interface Page {
  limit: number;
  offset: number;
}

const { accepted } = LEDGER_STATE;
const COLUMNS = 'user_id, mailing_id, position, changed_at';

/** A page of the mails the relay took, and how many there are. */
export async function sentMails(pool: Pool, { user, mailing }: OfWhom, page: Page): Promise<{ mails: SentMail[]; total: number }> {
  const [read, values] = user === undefined ? [BY_SHARD, [mailing ?? null]] : [BY_USER, [mailing ?? null, user]];
  // Subjects are dealt out by position, as they were when the mail was made.
  const { rows } = await pool.query<{ total: string; mails: SentMail[] | null }>(
    `with ${read(`$${values.length + 1}::int`, `$${values.length + 2}::int`)}
     select (select many from total) as total, (
       select json_agg(json_build_object('user_id', l.user_id, 'mailing_id', l.mailing_id, 'created_at', ${timestampSql('l.changed_at')}, 'subject', coalesce(s.text, ''))
         order by l.mailing_id, l.position)
       from page l
         left join lateral (select array_agg(m.text order by m.position) as texts from core_mailingsubject m where m.mailing_id = l.mailing_id) m on true
         left join lateral (select m.texts[1 + l.position % cardinality(m.texts)] as text) s on true) as mails`,
    [...values, page.limit, page.offset],
  );
  return { mails: rows[0]!.mails ?? [], total: Number(rows[0]!.total) };
}

/** A person's mails, of one mailing ($1) or all: indexes find them, and the blocks of sets they may stand in. */
const BY_USER = (limit: string, offset: string) => `
  found as materialized (
    select ${COLUMNS} from send_record l where ${ofUser('l', '$2')} and l.state = ${accepted} and ($1::int is null or l.mailing_id = $1)),
  total as (select count(*) as many from found),
  page as (select * from found order by mailing_id, position limit ${limit} offset ${offset})`;

/**
 * The mails of a mailing ($1), or of all: shards know how many they have, so that only those are read in which the page lies. Of one that was finished, and has
 * people who are to be mailed again, the others stand in the record still; nobody stands in both.
 */
const BY_SHARD = (limit: string, offset: string) => `
  counted as materialized (
    select mailing_id, shard, from_position, to_position, finished, accepted, sum(accepted) over (order by mailing_id, shard) - accepted as before
    from send_shard where ($1::int is null or mailing_id = $1) and accepted > 0),
  total as (select coalesce(sum(accepted), 0) as many from counted),
  shards as materialized (select * from counted where before < ${offset}::bigint + ${limit} and before + accepted > ${offset}),
  page as (
    select l.* from shards h cross join lateral (
      select user_id, mailing_id, position, to_timestamp(${RECORD_EPOCH} + sent_second::float8) as changed_at from send_accepted
        where mailing_id = h.mailing_id and position between h.from_position and h.to_position
      union all select ${COLUMNS} from send_exception
        where mailing_id = h.mailing_id and state = ${accepted} and position between h.from_position and h.to_position
      union all select ${COLUMNS} from send_open
        where not h.finished and mailing_id = h.mailing_id and shard = h.shard and state = ${accepted}) l
    order by mailing_id, position limit ${limit} offset ${offset} - (select min(before) from shards))`;
