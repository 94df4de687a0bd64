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

/** No index holds the state (it would cost every outcome a write more): both statements read the mailing's own range of the ledger. */
export async function readRecipients(pool: Pool, mailingId: number, state: number, { limit, offset }: { limit: number; offset: number }) {
  const counted = await pool.query<{ total: number }>(
    'select count(*)::int as total from send_ledger where mailing_id = $1 and state = $2',
    [mailingId, state],
  );
  const { rows } = await pool.query<Recipient>(
    `select case when user_id > 0 then '/rest/v1/user/' || user_id || '/' end as user, position, coalesce(detail, '') as detail, ${timestampSql('changed_at')} as changed_at
     from send_ledger where mailing_id = $1 and state = $2 order by position limit $3 offset $4`,
    [mailingId, state, limit, offset],
  );
  return { rows, total: counted.rows[0]!.total };
}
