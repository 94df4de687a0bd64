import { LEDGER_STATE } from '../../domain/words.ts';
import type { Sql } from '../sql.ts';

/**
 * Takes a person out of every sending that is under way or may be taken up again: their mail, where it has not begun, becomes skipped. A worker
 * that has read the person's row already finds it no longer pending when it wants to begin, and sends nothing.
 * @param mailingIds only out of these
 */
export async function skipPendingMail(sql: Sql, userId: number, reason: string, mailingIds: number[] | null = null): Promise<void> {
  // Shard first, ledger second: the order in which the workers lock.
  const shards = await sql<{ mailing_id: number; shard: number; position: number }>(
    `select s.mailing_id, s.shard, l.position from send_ledger l
     join send_shard s on s.mailing_id = l.mailing_id and l.position between s.from_position and s.to_position
     where l.user_id = $1 and l.state = ${LEDGER_STATE.pending} and ($2::int[] is null or l.mailing_id = any($2::int[]))
     order by s.mailing_id, s.shard for update of s`,
    [userId, mailingIds],
  );
  for (const { mailing_id: mailingId, shard, position } of shards) {
    await sql(
      `with skipped as (
         update send_ledger set state = ${LEDGER_STATE.skipped}, changed_at = now(), detail = $4
         where mailing_id = $1 and position = $3 and state = ${LEDGER_STATE.pending} returning 1)
       update send_shard set skipped = skipped + (select count(*) from skipped) where mailing_id = $1 and shard = $2`,
      [mailingId, shard, position, reason],
    );
  }
}
