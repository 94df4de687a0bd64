import type { Pool } from '../../db/driver.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';

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

/** A page of those in one state (failed, skipped or uncertain), and how many there are. */
export async function readRecipients(pool: Pool, mailingId: number, state: number, { limit, offset }: { limit: number; offset: number }) {
  const counted = await pool.query<{ total: number }>(`select count(*)::int as total from (${LISTED}) listed`, [mailingId, state]);
  const { rows } = await pool.query<Recipient>(
    `select case when user_id > 0 then '/rest/v1/user/' || user_id || '/' end as user, position, coalesce(detail, '') as detail, ${timestampSql('changed_at')} as changed_at
     from (${LISTED}) listed order by position limit $3 offset $4`,
    [mailingId, state, limit, offset],
  );
  return { rows, total: counted.rows[0]!.total };
}
