import type { Sql } from '../../db/sql.ts';
import type { Recorded } from './shards.ts';

/** A shard of a mailing. */
export interface ShardKey {
  mailing_id: number;
  shard: number;
}

/**
 * Writes a line into the log of a shard that somebody else may hold: its holder finds at its next turn that the shard has moved on, and looks again before it claims
 * anybody. The caller's transaction holds the shard's row.
 * @param said the last word about each position
 * @param counted what it adds to the shard's counters
 * @param at when it became so, where that is not now
 */
export async function edit(
  sql: Sql,
  { mailing_id: mailingId, shard }: ShardKey,
  said: Recorded[],
  counted: { skipped?: number; accepted?: number; uncertain?: number; failed?: number } = {},
  at: string | null = null,
): Promise<void> {
  const { skipped = 0, accepted = 0, uncertain = 0, failed = 0 } = counted;
  await sql(
    `with edited as (
       update send_shard set seq = seq + 1, skipped = skipped + $3, accepted = accepted + $4, uncertain = uncertain + $5, failed = failed + $6
       where mailing_id = $1 and shard = $2 returning seq)
     insert into send_log (mailing_id, shard, seq, at, edit, positions, states, details)
       select $1, $2, seq, coalesce($10, now()), true, $7, $8, $9 from edited`,
    [
      mailingId,
      shard,
      skipped,
      accepted,
      uncertain,
      failed,
      said.map(({ position }) => position),
      said.map(({ state }) => state),
      said.map(({ detail }) => detail),
      at,
    ],
  );
}
