import { LEDGER_STATE } from '../../domain/words.ts';
import { momentOf } from '../mailings/timeline.ts';
import { type Db, releaseShard, type Shard, settleLost } from './shards.ts';
import { TALLIED } from './tally.ts';

/** 2020-01-01 in seconds since 1970, as the view `send_record` has it. */
export const RECORD_EPOCH = 1_577_836_800;
const { pending, sending, accepted } = LEDGER_STATE;

/**
 * The end of a pass, with nothing of ours on the wire: the shard is finished when nobody in it is pending. Otherwise it is read again from its beginning:
 * after a growing pause when the relay put somebody off, at once when mails merely came back unsent. In turns (with domain rates)
 * the pass goes on for those who have not had one; the shard then waits behind all others. Of a finished shard the record is written: who was accepted, what
 * became of the others, how many of each there are by subject, and when they were accepted; its log and its part of the set go. Should anybody be left in `sending` whom nobody answers for,
 * then that is said: a mailing must not be completed over somebody forgotten.
 */
export async function endPass(db: Db, shard: Shard, retrySeconds: number, inTurns = false): Promise<void> {
  if (await tryToEnd(db, shard, retrySeconds, inTurns)) return;
  await settleLost(db, shard, 'the mail was on its way when the database was away');
  if (await tryToEnd(db, shard, retrySeconds, inTurns)) return;
  // Somebody of it was merged, deleted or erased this very moment: whoever takes it next looks again.
  await releaseShard(db, shard);
}

/** @returns false, and nothing was done, where somebody is `sending` still, or others have written about people of the shard */
async function tryToEnd(db: Db, shard: Shard, retrySeconds: number, inTurns: boolean): Promise<boolean> {
  const { mailingId, fence, fromPosition, toPosition } = shard;
  const { rows } = await db.query<{ ended: boolean; cut: boolean }>({
    name: 'end-pass',
    text: `
      with open as materialized (
        select mailing_id, shard, position, user_id, state, changed_at, detail, said from send_open where mailing_id = $1 and shard = $2),
      ended as (
        update send_shard s set seq = s.seq + 1, held_until = null, finished = left_over is not true,
          throttled_at = case when goes_on then clock_timestamp() end,
          deferred = case when goes_on then s.deferred else 0 end,
          pass = s.pass + (s.deferred > 0 and not goes_on)::int,
          pass_seq = case when goes_on then s.pass_seq else s.seq + 1 end,
          not_before = case when s.deferred > 0 and not goes_on then clock_timestamp() + make_interval(secs => $5 * 2 ^ (s.pass - 1)) end
        from (
          select bool_or(state = ${pending}) as left_over, bool_or(state = ${sending}) as lost,
            $6 and coalesce(bool_or(said is null or said <= pass_seq or detail is null) filter (where state = ${pending}), false) as goes_on
          from send_shard h left join open using (mailing_id, shard) where mailing_id = $1 and shard = $2) p
        where s.mailing_id = $1 and s.shard = $2 and s.fence = $3 and s.seq = $4 and lost is not true
        returning finished),
      done as not materialized (select * from open where (select finished from ended)),
      recorded as (
        insert into send_accepted (user_id, mailing_id, position, sent_second)
        select user_id, mailing_id, position, (floor(date_part('epoch', changed_at)) - ${RECORD_EPOCH})::int from done where state = ${accepted} and detail is null),
      timed as (
        insert into send_timeline as t (mailing_id, shard, at, accepted)
        select $1, $2, ${momentOf('changed_at', 'begun', 'second')}, sum(many)
        from (select changed_at, count(*) as many from done where state = ${accepted} and detail is null group by changed_at) d,
          (select started_at as begun from core_mailing where id = $1) m group by 3
        on conflict (mailing_id, shard, at) do update set accepted = t.accepted + excluded.accepted),
      noted as (
        insert into send_exception (mailing_id, position, user_id, shard, state, changed_at, detail)
        select mailing_id, position, user_id, shard, state, changed_at, detail from done where state <> ${accepted} or detail is not null),
      forgot as (delete from send_log where mailing_id = $1 and shard = $2 and (select finished from ended)),
      used as (
        delete from send_set where mailing_id = $1 and first >= $7 and first + cardinality(user_ids) - 1 <= $8 and (select finished from ended)),
      cut as (
        update send_set b set user_ids = ${without('b', '$7', '$8')}
        where mailing_id = $1 and first > $7 - 1000 and first <= $8 and (first < $7 or first + cardinality(user_ids) - 1 > $8)
          and (select finished from ended) returning 1),
      tallied as (
        insert into send_tally as t (mailing_id, shard, place, targeted, accepted, failed, skipped, uncertain)
        select $1, $2, position % (select greatest(count(*), 1)::int from core_mailingsubject where mailing_id = $1), ${TALLIED} from done group by 3
        on conflict (mailing_id, shard, place) do update set accepted = t.accepted + excluded.accepted, failed = t.failed + excluded.failed,
          skipped = t.skipped + excluded.skipped, uncertain = t.uncertain + excluded.uncertain)
      select exists (select from ended) as ended, exists (select from cut) as cut`,
    values: [mailingId, shard.shard, fence, shard.seq, retrySeconds, inTurns, fromPosition, toPosition],
  });
  // A block that several shards shared goes with the last of them.
  if (rows[0]!.cut) {
    await db.query('delete from send_set where mailing_id = $1 and first > $2 - 1000 and first <= $3 and 0 = all(user_ids)', [
      mailingId,
      fromPosition,
      toPosition,
    ]);
  }
  return rows[0]!.ended;
}

/** SQL: the ids of block `block` with empty places at the positions from `from` to `to`. */
const without = (block: string, from: string, to: string) => `(
  select array_agg(case when ${block}.first + n - 1 between ${from} and ${to} then 0 else user_id end order by n)
  from unnest(${block}.user_ids) with ordinality as u (user_id, n))`;
