import type { Sql } from '../../db/sql.ts';
import { LEDGER_STATE } from '../../domain/words.ts';

const SETTLED = ['accepted', 'failed', 'skipped', 'uncertain'] as const;

/** Columns of a tally over rows of `send_record`. */
export const TALLIED = `count(*)::int as targeted, ${SETTLED.map(
  (state) => `count(*) filter (where state = ${LEDGER_STATE[state]})::int as ${state}`,
).join(', ')}`;

/**
 * Writes the tallies of shards of a mailing anew: who is meant, of the record and of the set, and what the record says of them; what the log says is counted when the shard
 * is finished. The subjects may have been changed: so a tally is written when its shard is cut, or taken up again.
 * How many of so many numbers in a row leave a remainder can be told: in a set of ten million nobody is looked at but those who are not there any more.
 * The blocks of a shard are asked for by themselves, and of whom the record has it is worked out in which shard they are: joined, all of a mailing would be held against all its shards.
 * @param shards finished ones, too; null is all that are not finished
 */
export async function tallyAnew(sql: Sql, mailingId: number, shards: number[] | null = null): Promise<void> {
  // Of a shard that was finished and is to be sent to again, part is in the record.
  const [{ recorded } = { recorded: [] }] = await sql<{ recorded: number[] }>(
    `with gone as (
       delete from send_tally where mailing_id = $1
         and shard = any(array(select shard from send_shard where mailing_id = $1 and ($2::int[] is null and not finished or shard = any($2))))
       returning shard, accepted + failed + skipped + uncertain as settled)
     select array(select distinct shard from gone where settled > 0) as recorded`,
    [mailingId, shards],
  );
  await sql(
    `with shards as materialized (
       select shard, from_position, to_position from send_shard where mailing_id = $1 and ($2::int[] is null and not finished or shard = any($2))),
     subjects as materialized (select greatest(count(*), 1)::int as many from core_mailingsubject where mailing_id = $1),
     recorded as materialized (
       select array_agg(from_position order by shard) as froms, array_agg(to_position order by shard) as tos, array_agg(shard order by shard) as names
       from shards where shard = any($3::int[])),
     blocks as materialized (
       select h.shard, greatest(b.first, h.from_position) as first, least(b.first + cardinality(b.user_ids) - 1, h.to_position) as last,
         case when 0 = any(b.user_ids) then b.user_ids[greatest(h.from_position - b.first, 0) + 1 : h.to_position - b.first + 1] end as with_gaps
       from shards h, lateral (
         select first, user_ids from send_set where mailing_id = $1 and first > h.from_position - 1000 and first <= h.to_position order by first) b)
     insert into send_tally (mailing_id, shard, place, targeted, accepted, failed, skipped, uncertain)
     select $1, shard, place, sum(targeted)::int, ${SETTLED.map((state) => `sum(${state})::int`).join(', ')} from (
       select shard, place, (last - place + many) / many - (first - 1 - place + many) / many as targeted, ${SETTLED.map((state) => `0 as ${state}`).join(', ')}
       from blocks, subjects, generate_series(0, many - 1) as place where last >= first
       union all
       select shard, (first + n::int - 1) % many, -count(*), 0, 0, 0, 0
       from blocks, subjects, unnest(with_gaps) with ordinality u (user_id, n) where user_id = 0 group by 1, 2
       union all
       select shard, position % many, ${TALLIED} from subjects, (
         select names[n] as shard, position, ${LEDGER_STATE.accepted} as state
         from (
           select position, width_bucket(position, froms) as n, tos, names from recorded, send_accepted
           where cardinality($3::int[]) > 0 and mailing_id = $1 and position between froms[1] and tos[cardinality(tos)]) accepted
         where position <= tos[n]
         union all
         select shard, position, state from send_exception where mailing_id = $1 and shard = any($3::int[])) settled
       group by 1, 2) of_shard
     group by 2, 3 having sum(targeted) > 0`,
    [mailingId, shards, recorded],
  );
}
