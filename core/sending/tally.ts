import type { Sql } from '../../db/sql.ts';
import { LEDGER_STATE } from '../../domain/words.ts';

/** Columns of a tally over rows of `send_record`. */
export const TALLIED = `count(*)::int as targeted, ${(['accepted', 'failed', 'skipped', 'uncertain'] as const)
  .map((state) => `count(*) filter (where state = ${LEDGER_STATE[state]})::int as ${state}`)
  .join(', ')}`;

/**
 * Writes the tallies of shards of a mailing anew: who is meant, of the record and of the set, and what the record says of them; what the log says is counted when the shard
 * is finished. The subjects may have been changed: so a tally is written when its shard is cut, or taken up again.
 * @param shards finished ones, too; null is all that are not finished
 */
export async function tallyAnew(sql: Sql, mailingId: number, shards: number[] | null = null): Promise<void> {
  // Of a shard that was finished and is to be sent to again, part is in the record.
  const [{ recorded } = { recorded: [] }] = await sql<{ recorded: number[] }>(
    `with gone as (
       delete from send_tally t using send_shard s
       where t.mailing_id = $1 and s.mailing_id = $1 and s.shard = t.shard and ($2::int[] is null and not s.finished or s.shard = any($2))
       returning t.shard, t.accepted + t.failed + t.skipped + t.uncertain as settled)
     select array(select distinct shard from gone where settled > 0) as recorded`,
    [mailingId, shards],
  );
  await sql(
    `insert into send_tally (mailing_id, shard, place, targeted, accepted, failed, skipped, uncertain)
     select $1, shard, position % (select greatest(count(*), 1)::int from core_mailingsubject where mailing_id = $1), ${TALLIED} from (
       select h.shard, greatest(b.first, h.from_position) + n::int - 1 as position, null::int as state
       from send_shard h join send_set b on b.mailing_id = h.mailing_id and b.first > h.from_position - 1000 and b.first <= h.to_position,
         unnest(b.user_ids[greatest(h.from_position - b.first, 0) + 1 : h.to_position - b.first + 1]) with ordinality u (user_id, n)
       where h.mailing_id = $1 and user_id <> 0 and ($2::int[] is null and not h.finished or h.shard = any($2))
       union all
       select h.shard, r.position, ${LEDGER_STATE.accepted}
       from send_shard h join send_accepted r on r.mailing_id = $1 and r.position between h.from_position and h.to_position
       where h.mailing_id = $1 and h.shard = any($3::int[])
       union all
       select shard, position, state from send_exception where mailing_id = $1 and shard = any($3::int[])) of_shard
     group by 2, 3`,
    [mailingId, shards, recorded],
  );
}
