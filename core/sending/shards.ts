// Long: the statements of one log, which hold its promise together only side by side.

import { randomInt } from 'node:crypto';
import { plainArray } from '../../db/array-literals.ts';
import type { Pool, PoolClient } from '../../db/driver.ts';
import { LEDGER_STATE, type LedgerStateName } from '../../domain/words.ts';

/** A shard as its holder knows it. Positions are inclusive; `fence` proves that nobody took it since. */
export interface Shard {
  mailingId: number;
  shard: number;
  fence: number;
  /** Counts the commits of it, ours and those of others (`edits.ts`): a turn is carried out only on what its maker knows, and so at most once. */
  seq: number;
  fromPosition: number;
  toPosition: number;
  /** Nobody above it has been claimed. */
  claimedTo: number;
  pass: number;
  /** Whether it was left before with some waiting for their domain's rate. */
  throttled: boolean;
  /** In which run it was taken; null is any. */
  run: string | null;
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
  /** Somebody else has written about people of this shard since its holder looked: nothing of this turn was written (`readEdits`). */
  changed: boolean;
  /** Somebody asked the mailing to stop (written before the stop signal, so it holds even while the workflow service is away), or it has ended, or its run is being ended. */
  stopRequested: boolean;
  /** The mailing is being sent in another run by now: what we have of it is frozen no more. */
  begunAnew: boolean;
  /** Those who are `sending` by now: only these may touch a socket. */
  claimed: number[];
}

export const LOST: TurnResult = { held: false, changed: false, stopRequested: false, begunAnew: false, claimed: [] };

export type Db = Pool | PoolClient;
type Held = Pick<Shard, 'mailingId' | 'shard' | 'fence'>;

const { pending, sending, accepted, uncertain } = LEDGER_STATE;
/** What grows with each commit of a shard, and only grows: in it, one that was lost is missed. */
export const COMMITTED = 'seq';
/** No worker may have a longer one (SEND_LEASE_SECONDS). */
const LONGEST_LEASE_SECONDS = 300;
const WORKER_ENDED = 'the worker ended while this mail was on its way to the relay';

/** Whether the mailing $1 is being sent, in the run that began then. */
const GOES_ON = (began: string) => `exists (
  select from core_mailing m join send_run r on r.mailing_id = m.id
  where m.id = $1 and m.status = 'sending' and not m.stop_requested and not r.ended and (${began}::timestamptz is null or r.started_at = ${began}))`;

/**
 * Takes the first shard nobody holds, raising its fence, and settles what a dead holder left behind: whoever was `sending` becomes `uncertain`,
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
        order by throttled_at nulls first, shard limit 1 for update skip locked)
      update send_shard s set fence = s.fence + 1, held_until = clock_timestamp() + make_interval(secs => $2)
      from free f where s.mailing_id = f.mailing_id and s.shard = f.shard
      returning s.shard, s.fence, s.seq, s.from_position, s.to_position, s.claimed_to, s.pass, s.throttled_at is not null as throttled, f.abandoned`,
    values: [mailingId, leaseSeconds, run],
  });
  const row = rows[0];
  if (!row) return null;
  const shard = {
    mailingId,
    shard: row.shard,
    fence: Number(row.fence),
    seq: row.seq,
    fromPosition: row.from_position,
    toPosition: row.to_position,
    claimedTo: row.claimed_to,
    pass: row.pass,
    throttled: row.throttled,
    run,
  };
  if (row.abandoned) await settleLost(db, shard, WORKER_ENDED);
  return shard;
}

/**
 * Whoever is `sending` in a shard becomes `uncertain`. In a statement of its own, after the one that raised the fence, so that it sees every turn that still got through.
 * @param shard its `seq` is brought up to date
 */
export async function settleLost(db: Db, shard: Held & { seq?: number }, detail: string): Promise<void> {
  const { rows } = await db.query<{ seq: number }>({
    name: 'settle-lost',
    text: `
      with lost as (
        select array_agg(position) as positions, count(*)::int as many from send_open
        where mailing_id = $1 and shard = $2 and state = ${sending}),
      settled as (
        update send_shard s set seq = s.seq + 1, uncertain = s.uncertain + many from lost
        where s.mailing_id = $1 and s.shard = $2 and s.fence = $3 and many > 0 returning s.seq, positions, many)
      insert into send_log (mailing_id, shard, seq, positions, states, details)
      select $1, $2, seq, positions, array_fill(${uncertain}::int2, array[many]), array_fill($4::text, array[many]) from settled returning seq`,
    values: [shard.mailingId, shard.shard, shard.fence, detail],
  });
  if (rows[0]) shard.seq = rows[0].seq;
}

/**
 * A lease that seems to run for longer than any can was given out before the database's clock was set back, and so was a pause: from now on it runs for as long as the longest,
 * so that neither a dead worker's shard nor one whose people were put off is held until the clock is where it was. Who lives renews its lease with every turn.
 * @param retrySeconds of the first pause, as at the end of a pass; null leaves pauses alone
 */
async function shortenWaits(db: Db, mailingId: number, retrySeconds: number | null = null): Promise<void> {
  const pause = '$3::float8 * 2 ^ greatest(pass - 2, 0)';
  const tooLong = (column: string, seconds: string) => `${column} > clock_timestamp() + make_interval(secs => ${seconds} + 1)`;
  const shortened = (column: string, seconds: string) =>
    `${column} = case when ${tooLong(column, seconds)} then clock_timestamp() + make_interval(secs => ${seconds}) else ${column} end`;
  await db.query({
    name: 'shorten-waits',
    text: `
      update send_shard set ${shortened('held_until', '$2')}, ${shortened('not_before', pause)}
      where mailing_id = $1 and not finished and (${tooLong('held_until', '$2')} or ${tooLong('not_before', pause)})`,
    values: [mailingId, LONGEST_LEASE_SECONDS, retrySeconds],
  });
}

/**
 * When a send has ended with nobody at work on it: settles what dead holders left behind, so that the uncertain are listed at once and not only when the mailing
 * is queued again.
 * @returns milliseconds until a lease that still runs is over; 0 when there is none
 */
export async function settleAbandoned(db: Db, mailingId: number): Promise<number> {
  await shortenWaits(db, mailingId);
  const fenced = await db.query<{ shard: number; fence: number }>(
    `update send_shard set fence = fence + 1 where mailing_id = $1 and not finished and held_until < clock_timestamp()
     returning shard, fence::float8 as fence`,
    [mailingId],
  );
  for (const { shard, fence } of fenced.rows) {
    await settleLost(db, { mailingId, shard, fence }, WORKER_ENDED);
    await db.query('update send_shard set held_until = null where mailing_id = $1 and shard = $2 and fence = $3', [
      mailingId,
      shard,
      fence,
    ]);
  }
  // One whose lease ran out only now is of the next try.
  const { rows } = await db.query(
    `select coalesce(max(1000 * greatest(extract(epoch from held_until - clock_timestamp()), 0.001)), 0)::float8 as wait_ms
     from send_shard where mailing_id = $1 and not finished and held_until is not null`,
    [mailingId],
  );
  return Math.ceil(rows[0].wait_ms);
}

/**
 * One group commit, one statement: a line of the log with the outcomes gathered since the last one, and the shard's row with how far mails may be on the wire from
 * now on, the counters and the lease; all under the fence. The shard brings its `seq` along, so that a turn is carried out once at most, whatever becomes of
 * its answer, and never over what somebody else has written meanwhile.
 * @param shard its `seq` and `claimedTo` are brought up to date
 * @param done not twice the same position; those claimed again, who stand below `claimedTo`, among them as `sending`
 * @param next who is claimed; everybody else up to the highest of them has to be in `done`, or in the log already
 */
export async function commitTurn(db: Db, shard: Shard, leaseSeconds: number, done: Recorded[], next: number[]): Promise<TurnResult> {
  // Not always the last one: those who waited for their domain's rate come in between.
  const claimedTo = next.reduce((highest, position) => Math.max(highest, position), shard.claimedTo);
  const taken: number[] = [];
  const others: Recorded[] = [];
  for (const each of done) {
    if (each.state === accepted && each.detail === null) taken.push(each.position);
    else others.push(each);
  }
  const count = (name: LedgerStateName) => others.reduce((sum, { state }) => sum + (state === LEDGER_STATE[name] ? 1 : 0), 0);
  const { rows } = await db.query<{ stop_requested: boolean; begun_anew: boolean }>({
    name: 'commit-turn',
    text: `
      with turned as (
        update send_shard set seq = seq + 1, held_until = clock_timestamp() + make_interval(secs => $5), claimed_to = $6,
          accepted = accepted + $7, failed = failed + $8, skipped = skipped + $9, uncertain = uncertain + $10, deferred = deferred + $11
        where mailing_id = $1 and shard = $2 and fence = $3 and seq = $4 returning seq),
      logged as (
        insert into send_log (mailing_id, shard, seq, accepted, positions, states, details)
        select $1, $2, seq, $12, $13, $14, $15 from turned where $12::int[] is not null or $13::int[] is not null)
      select (select stop_requested or status <> 'sending' from core_mailing where id = $1) or coalesce(run.ended, false) as stop_requested,
        coalesce(run.started_at <> $16::timestamptz, false) as begun_anew from turned left join send_run run on run.mailing_id = $1`,
    values: [
      shard.mailingId,
      shard.shard,
      shard.fence,
      shard.seq,
      leaseSeconds,
      claimedTo,
      taken.length,
      count('failed'),
      count('skipped'),
      count('uncertain'),
      others.reduce((sum, { state, detail }) => sum + (state === pending && detail !== null ? 1 : 0), 0),
      taken.length ? plainArray(taken) : null,
      ...(others.length
        ? [
            plainArray(others.map(({ position }) => position)),
            plainArray(others.map(({ state }) => state)),
            others.map(({ detail }) => detail),
          ]
        : [null, null, null]),
      shard.run,
    ],
  });
  const row = rows[0];
  if (!row) return notTurned(db, shard);
  shard.seq++;
  shard.claimedTo = claimedTo;
  return { held: true, changed: false, stopRequested: row.stop_requested, begunAnew: row.begun_anew, claimed: next };
}

/** Why a turn was not carried out: asked by itself, since every turn would pay for it. */
async function notTurned(db: Db, { mailingId, shard, fence }: Held): Promise<TurnResult> {
  const { rowCount } = await db.query('select from send_shard where mailing_id = $1 and shard = $2 and fence = $3', [
    mailingId,
    shard,
    fence,
  ]);
  const held = rowCount === 1;
  return { ...LOST, held, changed: held };
}

/** What the log of a shard says above the commit its holder knows of. */
interface Since {
  seq: number;
  /** How many turns, which must be the holder's own. */
  turns: number;
  /** What others have written about people, in order. */
  edits: Recorded[];
}

/** @returns null when nobody holds the shard under this fence any more */
async function readSince(db: Db, { mailingId, shard, seq }: Shard, fence: number): Promise<Since | null> {
  const { rows } = await db.query<Since>(
    `select s.seq, s.seq - $4::int - lines as turns, edits from send_shard s, (
       select count(distinct l.seq)::int as lines, coalesce(json_agg(e order by l.seq) filter (where e.position is not null), '[]') as edits
       from send_log l left join lateral unnest(l.positions, l.states, l.details) as e (position, state, detail) on true
       where l.mailing_id = $1 and l.shard = $2 and l.seq > $4 and l.edit) since
     where s.mailing_id = $1 and s.shard = $2 and s.fence = $3`,
    [mailingId, shard, fence, seq],
  );
  return rows[0] ?? null;
}

/**
 * What others have written about people of our shard since we looked last.
 * @param shard its `seq` is brought up to date
 * @returns null when the shard is not ours any more
 */
export async function readEdits(db: Db, shard: Shard): Promise<Recorded[] | null> {
  const since = await readSince(db, shard, shard.fence);
  if (since === null) return null;
  shard.seq = since.seq;
  return since.edits;
}

/** Whether others have written of somebody that they neither wait nor are on the wire. */
export const isSettled = ({ state }: Recorded): boolean => state !== pending && state !== sending;

/** Whom of a shard the log names, as whoever takes it has to know. */
export interface Look {
  /** Who is pending though somebody was claimed above them, in order: put off in an earlier pass, come back unsent, left waiting, or to be sent to once more. */
  again: number[];
  /** Whom it names above `claimedTo`. */
  beyond: number[];
  /** Of whom no words are to be kept. */
  forgotten: number[];
}

/** @param shard its `claimedTo` and `seq` are brought up to date; @throws Error when it is not ours any more */
export async function lookAt(db: Db, shard: Shard): Promise<Look> {
  if (shard.seq === 0) return { again: [], beyond: [], forgotten: [] };
  const { rows } = await db.query<Look & { seq: number; claimed_to: number }>({
    name: 'look-at-shard',
    text: `
      select s.seq, s.claimed_to, coalesce(array_agg(position order by position) filter (
          where state = ${pending} and (said.seq <= pass_seq or detail is null)), '{}') as again,
        coalesce(array_agg(position) filter (where position > claimed_to), '{}') as beyond,
        coalesce(array_agg(position) filter (where detail = '' and state in (${pending}, ${sending})), '{}') as forgotten
      from send_shard s left join send_said said using (mailing_id, shard)
      where mailing_id = $1 and shard = $2 and fence = $3 group by s.seq, s.claimed_to`,
    values: [shard.mailingId, shard.shard, shard.fence],
  });
  if (!rows[0]) throw new Error('the shard was taken over');
  const { seq, claimed_to: claimedTo, ...look } = rows[0];
  shard.seq = seq;
  shard.claimedTo = claimedTo;
  return look;
}

/**
 * After a lost connection to the database: statements of ours may have been carried out without us hearing of it, and others may still arrive. So the shard
 * gets a new fence, past which nothing sent before counts, not even an earlier try of this; and whom the turn without an answer was to claim was never
 * started, so they are pending again, but for those whom others have settled meanwhile. The fence in a statement of its own, for what follows must see what
 * a turn has written whose end it had to wait for.
 * @param shard its `seq` is brought up to date
 * @param fences under which we may hold it: the last one we know of, and those of tries that were not answered
 * @param next whom that turn was to claim
 * @returns whether the turn was carried out, and what others have written meanwhile; null when the shard is not ours any more
 */
export async function reconcile(
  db: Db,
  shard: Shard,
  fences: number[],
  fresh: number,
  leaseSeconds: number,
  next: number[],
): Promise<{ carriedOut: boolean; edits: Recorded[] } | null> {
  const place = [shard.mailingId, shard.shard];
  const fenced = await db.query(
    `update send_shard set fence = $3, held_until = clock_timestamp() + make_interval(secs => $5)
      where mailing_id = $1 and shard = $2 and fence = any($4::bigint[])`,
    [...place, fresh, fences, leaseSeconds],
  );
  if (fenced.rowCount !== 1) return null;
  for (;;) {
    const since = await readSince(db, shard, fresh);
    if (since === null) return null;
    const { seq, turns, edits } = since;
    const settled = new Set(edits.filter(isSettled).map(({ position }) => position));
    const unsettled = next.filter((position) => !settled.has(position));
    // As an edit, so that the next try, should this one not be answered either, does not take it for the turn.
    const back = unsettled.length
      ? await db.query(
          `with turned as (
              update send_shard set seq = seq + 1 where mailing_id = $1 and shard = $2 and fence = $3 and seq = $4 returning seq)
            insert into send_log (mailing_id, shard, seq, edit, positions, states, details)
            select $1, $2, seq, true, $5::int[], array_fill(${pending}::int2, array[cardinality($5::int[])]), array_fill(null::text, array[cardinality($5::int[])])
            from turned`,
          [...place, fresh, seq, unsettled],
        )
      : null;
    if (back?.rowCount === 0) continue;
    shard.seq = seq + (back ? 1 : 0);
    return { carriedOut: turns > 0, edits };
  }
}

/** A fence for `reconcile`. Whoever takes a shard raises its fence by one, so that none of these is ever taken for another's. */
export const freshFence = (fence: number): number => fence + randomInt(2, 2 ** 30);

/** Gives a shard back in good order: nothing is `sending`. */
export async function releaseShard(db: Db, { mailingId, shard, fence }: Held): Promise<void> {
  await db.query({
    name: 'release-shard',
    text: 'update send_shard set held_until = null where mailing_id = $1 and shard = $2 and fence = $3',
    values: [mailingId, shard, fence],
  });
}

/**
 * What is left when no shard is free: nothing at all, or milliseconds until one may be; and whether the run goes on at all.
 * @param retrySeconds for which those who were put off wait at first
 */
export async function shardsLeft(
  db: Db,
  mailingId: number,
  run: string | null = null,
  retrySeconds: number | null = null,
): Promise<{ unfinished: number; waitMs: number; dueMs: number | null; goesOn: boolean }> {
  await shortenWaits(db, mailingId, retrySeconds);
  const { rows } = await db.query({
    name: 'shards-left',
    text: `select count(*)::int as unfinished, ${GOES_ON('$2')} as goes_on,
        coalesce(1000 * extract(epoch from min(greatest(held_until, not_before)) - clock_timestamp()), 0)::float8 as wait_ms,
        1000 * extract(epoch from min(coalesce(not_before, clock_timestamp())) filter (where held_until is null) - clock_timestamp())::float8 as due_ms
      from send_shard where mailing_id = $1 and not finished`,
    values: [mailingId, run],
  });
  const { unfinished, wait_ms: waitMs, due_ms: dueMs, goes_on: goesOn } = rows[0];
  const milliseconds = (time: number) => Math.max(0, Math.ceil(time));
  return { unfinished, waitMs: milliseconds(waitMs), dueMs: dueMs === null ? null : milliseconds(dueMs), goesOn };
}

/** Mails of a mailing that were accepted, over all its runs. */
export async function acceptedInAll(db: Db, mailingId: number): Promise<number> {
  const { rows } = await db.query('select coalesce(sum(accepted), 0)::int as accepted from send_shard where mailing_id = $1', [mailingId]);
  return rows[0].accepted;
}
