// Long: the statements of one table, which hold its promise together only side by side.

import { randomInt } from 'node:crypto';
import type { Pool, PoolClient } from '../../db/driver.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import { writeTallies } from './tally.ts';

/** A shard as its holder knows it. Positions are inclusive; `fence` proves that nobody took it since. */
export interface Shard {
  mailingId: number;
  shard: number;
  fence: number;
  fromPosition: number;
  toPosition: number;
  claimedTo: number;
  pass: number;
  /** When this pass began, as PostgreSQL writes it. */
  passBegan: string;
  /** Whether it was left before with some waiting for their domain's rate. */
  throttled: boolean;
}

/** What became of one recipient, as one group commit records it. */
export interface Recorded {
  position: number;
  state: number;
  detail: string | null;
}

export interface TurnResult {
  /** False: another worker holds the shard now; nothing of this turn was written. */
  held: boolean;
  /** Somebody asked the mailing to stop (written before the stop signal, so it holds even while the workflow service is away), or it has ended. */
  stopRequested: boolean;
  /** Those of the named positions that were still pending and are now `sending`: only these may touch a socket. */
  claimed: number[];
}

type Db = Pool | PoolClient;

/** Whether the mailing $1 is being sent, in the run that began then. */
const GOES_ON = (began: string) => `exists (
  select from core_mailing m join send_run r on r.mailing_id = m.id
  where m.id = $1 and m.status = 'sending' and not m.stop_requested and (${began}::timestamptz is null or r.started_at = ${began}))`;

/**
 * Takes the first shard nobody holds, raising its fence, and settles what a dead holder left behind: rows in `sending` become `uncertain`,
 * because nobody can know whether the relay has them.
 * Of a mailing that is not being sent, or not in this run any more, it takes none: a worker that slept through a stop may still ask.
 * SKIP LOCKED so that workers asking at the same moment get different shards instead of waiting for each other.
 * @param run `send_run.started_at` as PostgreSQL writes it; null is any
 */
export async function takeShard(db: Db, mailingId: number, leaseSeconds: number, run: string | null = null): Promise<Shard | null> {
  const { rows } = await db.query({
    name: 'take-shard',
    text: `
      with free as (
        select mailing_id, shard, held_until is not null as abandoned from send_shard
        where mailing_id = $1 and not finished and (held_until is null or held_until < clock_timestamp())
          and (not_before is null or not_before <= clock_timestamp()) and ${GOES_ON('$3')}
        order by throttled_at nulls first, shard limit 1 for update skip locked),
      lost as (
        update send_ledger l set state = ${LEDGER_STATE.uncertain}, changed_at = now(),
          detail = 'the worker ended while this mail was on its way to the relay'
        from free f join send_shard s using (mailing_id, shard)
        where f.abandoned and l.mailing_id = f.mailing_id and l.position between s.from_position and s.to_position
          and l.state = ${LEDGER_STATE.sending}
        returning 1)
      update send_shard s set fence = s.fence + 1, held_until = clock_timestamp() + make_interval(secs => $2),
        uncertain = s.uncertain + (select count(*) from lost)
      from free f where s.mailing_id = f.mailing_id and s.shard = f.shard
      returning s.shard, s.fence, s.from_position, s.to_position, s.claimed_to, s.pass, s.pass_began::text,
        s.throttled_at is not null as throttled`,
    values: [mailingId, leaseSeconds, run],
  });
  const row = rows[0];
  if (!row) return null;
  return {
    mailingId,
    shard: row.shard,
    fence: Number(row.fence),
    fromPosition: row.from_position,
    toPosition: row.to_position,
    claimedTo: row.claimed_to,
    pass: row.pass,
    passBegan: row.pass_began,
    throttled: row.throttled,
  };
}

/** No worker may have a longer one (SEND_LEASE_SECONDS). */
const LONGEST_LEASE_SECONDS = 300;

/**
 * A lease that seems to run for longer than any can was given out before the database's clock was set back: from now on it runs for as long as the longest,
 * so that a dead worker's shard is not held until the clock is where it was. Who lives renews it with every turn.
 */
async function shortenLeases(db: Db, mailingId: number): Promise<void> {
  await db.query({
    name: 'shorten-leases',
    text: `
      update send_shard set held_until = clock_timestamp() + make_interval(secs => $2)
      where mailing_id = $1 and not finished and held_until > clock_timestamp() + make_interval(secs => $2 + 1)`,
    values: [mailingId, LONGEST_LEASE_SECONDS],
  });
}

/**
 * When a send has ended with nobody at work on it: settles what dead holders left behind, so that the uncertain are listed at once and not only when the mailing
 * is queued again. The fence is raised in a statement of its own, so that the second one sees every turn that still got through.
 * @returns milliseconds until a lease that still runs is over; 0 when there is none
 */
export async function settleAbandoned(db: Db, mailingId: number): Promise<number> {
  await shortenLeases(db, mailingId);
  const fenced = await db.query<{ shard: number }>(
    'update send_shard set fence = fence + 1 where mailing_id = $1 and not finished and held_until < clock_timestamp() returning shard',
    [mailingId],
  );
  const { rows } = await db.query(
    `with abandoned as (
        select shard, from_position, to_position from send_shard
        where mailing_id = $1 and shard = any($2::int[]) and held_until < clock_timestamp() for update),
      lost as (
        update send_ledger l set state = ${LEDGER_STATE.uncertain}, changed_at = now(),
          detail = 'the worker ended while this mail was on its way to the relay'
        from abandoned a where l.mailing_id = $1 and l.position between a.from_position and a.to_position and l.state = ${LEDGER_STATE.sending}
        returning a.shard),
      settled as (
        update send_shard s set held_until = null, uncertain = s.uncertain + (select count(*) from lost where lost.shard = s.shard)
        from abandoned a where s.mailing_id = $1 and s.shard = a.shard)
      -- One whose lease ran out only now is of the next try.
      select coalesce(max(1000 * greatest(extract(epoch from held_until - clock_timestamp()), 0.001)), 0)::float8 as wait_ms
      from send_shard where mailing_id = $1 and not finished and held_until is not null and shard <> all($2::int[])`,
    [mailingId, fenced.rows.map(({ shard }) => shard)],
  );
  return Math.max(0, Math.ceil(rows[0].wait_ms));
}

/**
 * One group commit, one statement: records the outcomes gathered since the last one, marks the next recipients as `sending`, keeps
 * the counters and renews the lease, all under the fence. The row lock on the shard makes it one after the other with any newer holder; counters
 * are what the statement really changed, so a turn repeated after a lost answer counts nothing twice.
 * Rows are named by `= any`, not by a join with the arrays: a join is planned by how many rows the mailing is thought to have, and for a mailing younger than
 * the table's statistics that is one, so that every turn would read the whole mailing.
 */
export async function commitTurn(db: Db, shard: Shard, leaseSeconds: number, done: Recorded[], next: number[]): Promise<TurnResult> {
  const { accepted, failed, skipped, uncertain, pending, sending } = LEDGER_STATE;
  const { rows } = await db.query({
    name: 'commit-turn',
    text: `
      with held as (
        select mailing_id, shard from send_shard where mailing_id = $1 and shard = $2 and fence = $3 for update),
      done as (
        update send_ledger l set changed_at = now(),
          state = ($6::int2[])[array_position($5::int[], l.position)],
          -- What is said of somebody erased meanwhile is not kept (core/sending/recipients-who-go.ts).
          detail = case when l.detail = '' and ($6::int2[])[array_position($5::int[], l.position)] <> ${accepted} then ''
            else ($7::text[])[array_position($5::int[], l.position)] end
        from held
        where l.mailing_id = $1 and l.position = any($5::int[]) and l.state in (${pending}, ${sending})
        returning l.state),
      next as (
        update send_ledger l set state = ${sending} from held
        where l.mailing_id = $1 and l.position = any($8::int[]) and l.state = ${pending}
        returning l.position)
      update send_shard s set held_until = clock_timestamp() + make_interval(secs => $4),
        claimed_to = greatest(s.claimed_to, $9),
        accepted = s.accepted + (select count(*) from done where state = ${accepted}),
        failed = s.failed + (select count(*) from done where state = ${failed}),
        skipped = s.skipped + (select count(*) from done where state = ${skipped}),
        uncertain = s.uncertain + (select count(*) from done where state = ${uncertain}),
        deferred = s.deferred + $10
      from held where s.mailing_id = held.mailing_id and s.shard = held.shard
      returning (select coalesce(array_agg(position), '{}') from next) as claimed,
        (select stop_requested or status <> 'sending' from core_mailing where id = $1) as stop_requested`,
    values: [
      shard.mailingId,
      shard.shard,
      shard.fence,
      leaseSeconds,
      done.map((d) => d.position),
      done.map((d) => d.state),
      done.map((d) => d.detail),
      next,
      // Not always the last one: those who waited for their domain's rate come in between.
      next.reduce((highest, position) => Math.max(highest, position), 0),
      done.filter((d) => d.state === pending && d.detail !== null).length,
    ],
  });
  const row = rows[0];
  return row ? { held: true, stopRequested: row.stop_requested, claimed: row.claimed } : { held: false, stopRequested: false, claimed: [] };
}

/**
 * After a lost connection to the database: statements of ours may have been carried out without us hearing of it, and others may still arrive. So the shard
 * gets a new fence, past which nothing sent before counts, not even an earlier try of this; and whom the turn without an answer may have claimed was never
 * started, so they are pending again. Two statements, for the second must see what a turn has claimed whose end the first one had to wait for.
 * @param next whom that turn was to claim
 * @param fences under which we may hold it: the last one we know of, and those of tries that were not answered
 * @returns false: the shard is not ours any more
 */
export async function reconcile(
  db: Db,
  shard: Shard,
  fences: number[],
  fresh: number,
  leaseSeconds: number,
  next: number[],
): Promise<boolean> {
  const { mailingId } = shard;
  const fenced = await db.query(
    `update send_shard set fence = $4, held_until = clock_timestamp() + make_interval(secs => $5)
      where mailing_id = $1 and shard = $2 and fence = any($3::bigint[])`,
    [mailingId, shard.shard, fences, fresh, leaseSeconds],
  );
  if (fenced.rowCount !== 1) return false;
  const { rowCount } = await db.query(
    `with held as (
        select mailing_id, shard from send_shard where mailing_id = $1 and shard = $2 and fence = $3 for update),
      back as (
        update send_ledger l set state = ${LEDGER_STATE.pending} from held
        where l.mailing_id = $1 and l.position = any($4::int[]) and l.state = ${LEDGER_STATE.sending})
      select from held`,
    [mailingId, shard.shard, fresh, next],
  );
  return rowCount === 1;
}

/** A fence for `reconcile`. Whoever takes a shard raises its fence by one, so that none of these is ever taken for another's. */
export const freshFence = (fence: number): number => fence + randomInt(2, 2 ** 30);

/** Gives a shard back in good order (nothing `sending`), to go on behind `claimedTo`. */
export async function releaseShard(db: Db, shard: Shard, claimedTo: number): Promise<void> {
  await db.query({
    name: 'release-shard',
    text: `update send_shard set held_until = null, claimed_to = $4 where mailing_id = $1 and shard = $2 and fence = $3`,
    values: [shard.mailingId, shard.shard, shard.fence, claimedTo],
  });
}

/**
 * The end of a pass, with nothing of ours on the wire: the shard is finished when nobody in it is pending. Otherwise it is read again from its beginning:
 * after a growing pause when the relay put somebody off, at once when mails merely came back unsent. In turns (with domain rates)
 * the pass goes on for those who have not had one; the shard then waits behind all others. Of a finished shard it is written down what became of its
 * people. Should anybody be left in `sending` whom nobody answers for, then that is said: a mailing must not be completed over somebody forgotten.
 */
export async function endPass(db: Db, shard: Shard, retrySeconds: number, inTurns = false): Promise<void> {
  const { mailingId, fence, fromPosition, toPosition } = shard;
  // Before, so that the tally sees it.
  await db.query({
    name: 'settle-stray',
    text: `
      with held as (
        select mailing_id, shard from send_shard where mailing_id = $1 and shard = $2 and fence = $3 for update),
      stray as (
        update send_ledger l set state = ${LEDGER_STATE.uncertain}, changed_at = now(), detail = 'the mail was on its way when the database was away'
        from held where l.mailing_id = $1 and l.position between $4 and $5 and l.state = ${LEDGER_STATE.sending}
        returning 1)
      update send_shard s set uncertain = s.uncertain + (select count(*) from stray)
      from held where s.mailing_id = held.mailing_id and s.shard = held.shard and exists (select from stray)`,
    values: [mailingId, shard.shard, fence, fromPosition, toPosition],
  });
  await db.query({
    name: 'end-pass',
    text: `
      with ended as (
        update send_shard s set held_until = null, claimed_to = s.from_position - 1,
          finished = not left_over,
          throttled_at = case when goes_on then clock_timestamp() end,
          deferred = case when goes_on then s.deferred else 0 end,
          pass = s.pass + (s.deferred > 0 and not goes_on)::int,
          -- The ledger's times are in whole milliseconds, rounded.
          pass_began = case when goes_on then s.pass_began else clock_timestamp() + interval '1 ms' end,
          not_before = case when s.deferred > 0 and not goes_on then clock_timestamp() + make_interval(secs => $4 * 2 ^ (s.pass - 1)) end
        from (
          select count(*) > 0 as left_over, $7 and coalesce(bool_or(changed_at is null or changed_at < $8::timestamptz), false) as goes_on
          from (
            select l.changed_at from send_ledger l where l.mailing_id = $1 and l.position between $5 and $6 and l.state = ${LEDGER_STATE.pending}
            limit case when $7 then null else 1 end) left_behind) p
        where s.mailing_id = $1 and s.shard = $2 and s.fence = $3
        returning finished)
      ${writeTallies('s.shard = $2 and exists (select from ended where finished)')}`,
    values: [mailingId, shard.shard, fence, retrySeconds, fromPosition, toPosition, inTurns, shard.passBegan],
  });
}

/** What is left when no shard is free: nothing at all, or milliseconds until one may be; and whether the run goes on at all. */
export async function shardsLeft(
  db: Db,
  mailingId: number,
  run: string | null = null,
): Promise<{ unfinished: number; waitMs: number; goesOn: boolean }> {
  await shortenLeases(db, mailingId);
  const { rows } = await db.query({
    name: 'shards-left',
    text: `select count(*)::int as unfinished, ${GOES_ON('$2')} as goes_on,
        coalesce(1000 * extract(epoch from min(greatest(held_until, not_before)) - clock_timestamp()), 0)::float8 as wait_ms
      from send_shard where mailing_id = $1 and not finished`,
    values: [mailingId, run],
  });
  const { unfinished, wait_ms: waitMs, goes_on: goesOn } = rows[0];
  return { unfinished, waitMs: Math.max(0, Math.ceil(waitMs)), goesOn };
}
