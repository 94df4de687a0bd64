import type { Sql } from '../../db/sql.ts';
import { SENT_SO_FAR } from './counts.ts';

/** How many a mailing that has begun still has to go to; null of one that has not. */
export async function stillWaiting(sql: Sql, mailingId: number): Promise<number | null> {
  const [row] = await sql<{ many: number | null }>(
    `select case when m.started_at is not null
       then greatest(0, coalesce(m.expected_send_count, 0) - sent.accepted - sent.failed - sent.skipped - sent.uncertain) end as many
     from core_mailing m, ${SENT_SO_FAR} where m.id = $1`,
    [mailingId],
  );
  return row?.many ?? null;
}
