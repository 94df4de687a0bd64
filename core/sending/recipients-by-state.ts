import type { Pool } from '../../db/driver.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import { LEDGER_STATE } from '../../domain/words.ts';

/** A recipient as listed. */
export interface Recipient {
  /** URI; null of one who was deleted since, or merged with somebody else in the mailing. */
  user: string | null;
  position: number;
  detail: string;
  changed_at: string | null;
}

/** Who is failed, skipped or uncertain: an index holds those of finished shards, the log of the others those of whom there is something to say. */
const LISTED = `
  select position, user_id, changed_at, detail from send_exception where mailing_id = $1 and state = $2
  union all
  select said.position, b.user_ids[said.position - b.first + 1], said.at, said.detail
  from send_said said join send_shard s using (mailing_id, shard) join send_set b on b.mailing_id = said.mailing_id
    and b.first > said.position - 1000 and b.first <= said.position and b.user_ids[said.position - b.first + 1] <> 0
  where said.mailing_id = $1 and said.state = $2 and not s.finished`;

/** Which of them, by position: past so many of them, or past a position. */
export interface RecipientPage {
  limit: number;
  offset: number;
  /** Position of the last one of the page before; the offset then says nothing. */
  after?: number | null;
}

const COUNTERS: Record<number, string> = {
  [LEDGER_STATE.failed]: 'failed',
  [LEDGER_STATE.skipped]: 'skipped',
  [LEDGER_STATE.uncertain]: 'uncertain',
};

/** A page of those in one state (failed, skipped or uncertain), and how many there are: shards count them. */
export async function readRecipients(
  pool: Pool,
  mailingId: number,
  state: number,
  { limit, offset, after = null }: RecipientPage,
): Promise<{ rows: Recipient[]; total: number }> {
  const { rows } = await pool.query<{ total: number; page: Recipient[] | null }>(
    `with page as (
       select * from (${LISTED}) listed where position > $3 order by position limit $4 offset $5)
     select (select coalesce(sum(${COUNTERS[state]}), 0)::int from send_shard where mailing_id = $1) as total, (
       select json_agg(json_build_object(
         'user', case when user_id > 0 then '/rest/v1/user/' || user_id || '/' end, 'position', position,
         'detail', coalesce(detail, ''), 'changed_at', ${timestampSql('changed_at')}) order by position)
       from page) as page`,
    [mailingId, state, after ?? 0, limit, after === null ? offset : 0],
  );
  return { rows: rows[0]!.page ?? [], total: rows[0]!.total };
}
