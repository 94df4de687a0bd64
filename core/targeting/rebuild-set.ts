import { inAbortableTransaction } from '../../db/abortable-transaction.ts';
import type { PoolClient } from '../../db/driver.ts';
import { sqlOn } from '../../db/sql.ts';
import { modifierErrors } from '../../domain/targeting/change.ts';
import { compileAudience } from '../../domain/targeting/compile.ts';
import { BLACKHOLED_STAGING, canBeMerged } from '../../domain/targeting/compile-reachable.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import { zipsAround } from '../geo/zips-around.ts';
import { tallyAnew } from '../sending/tally.ts';
import { isOwn, keepBase, keepHorizon, rebuildFast } from './fast-rebuild.ts';
import { refuseGoneExcludes } from './gone-excludes.ts';
import { type MemberDeps, type Members, readMembers, stageMembers } from './members.ts';
import { RebuildError } from './rebuild-error.ts';
import {
  AnotherTryError,
  AskedAgainError,
  type BuildPlan,
  beginRebuild,
  finishedResult,
  finishRebuild,
  type RebuildKey,
} from './rebuild-job.ts';

export interface RebuildDeps extends MemberDeps {
  /** Whether a build that asks for it may start from the set there is (see fast-rebuild.ts). */
  fastRebuild: boolean;
}

/** Compiling a plan that runs once costs more than it saves. */
const UNCOMPILED = 'set local jit = off';

export interface RebuildRequest extends RebuildKey {
  /** Ends the statements on the server too, within two seconds. */
  signal?: AbortSignal;
}

/**
 * Builds the saved set of a mailing anew: whoever is pending in it is replaced, in one transaction, by the audience of its targeting as it
 * stood when the build began, after everybody who is not pending. The job is finished and the mailing is `saved`, or `invalid` if its targeting changed
 * meanwhile, in that same transaction; where somebody has asked for it since, it is built once more. May be run again after any crash; a finished job gives its result at once.
 * @returns the number of users in the new set, after `limit`
 * @throws RebuildError when it would fail again the same way (see failRebuild); any other error may be tried again
 */
export async function rebuildSet(deps: RebuildDeps, request: RebuildRequest): Promise<{ count: number }> {
  for (;;) {
    try {
      return await build(deps, request);
    } catch (error) {
      if (!(error instanceof AskedAgainError)) throw error;
    }
  }
}

async function build(deps: RebuildDeps, request: RebuildRequest): Promise<{ count: number }> {
  const finished = await finishedResult(deps.pool, request);
  if (finished) return finished;
  const plan = await beginRebuild(deps.pool, request);
  // Changed since the build was asked for, or never looked at: before sending nobody asks.
  const wrong = Object.values(modifierErrors(plan)).flat();
  if (wrong.length) throw new RebuildError(wrong);
  await refuseGoneExcludes(deps.pool, plan.excludes);
  if (deps.fastRebuild && plan.fast && isOwn(plan)) {
    const count = await inAbortableTransaction(deps.pool, request.signal, (client) => updateSet(client, request, plan));
    if (count !== null) return { count };
  }
  const members = await readMembers(deps, plan, request.signal);
  const horizon = isOwn(plan) ? await keepHorizon(deps.pool, request.mailingId) : null;
  return inAbortableTransaction(deps.pool, request.signal, async (client) => {
    // Sorts and hash joins over the whole audience: one at a time per worker, so it may have room.
    await client.query(`set local work_mem = '128MB'`);
    await client.query(UNCOMPILED);
    return { count: await replaceSet(client, request, plan, members, horizon) };
  });
}

/** A fast build: what has changed since the set was built. @returns how many are in it, or null when only a full build will do */
async function updateSet(client: PoolClient, request: RebuildRequest, plan: BuildPlan): Promise<number | null> {
  const finished = await holdJob(client, request);
  if (finished) return finished.count;
  await client.query(UNCOMPILED);
  const { landingPage, mergefile } = plan;
  const count = await rebuildFast(client, request.mailingId, plan, { mailingId: request.mailingId, zipsAround, landingPage, mergefile });
  if (count !== null) await finishRebuild(client, request, plan, { count, onWire: 0, fast: true });
  return count;
}

/** Beside the mailing's id: who writes its set holds this lock, since a send's own build may come while one that was asked for is under way. */
const WRITING = 7_236_903;

/**
 * The job's row is its lock: a given-up attempt that still runs waits here, then finds it finished.
 * @throws AnotherTryError where another attempt has begun it since
 */
async function holdJob(client: PoolClient, request: RebuildRequest): Promise<{ count: number } | null> {
  await client.query('select pg_advisory_xact_lock($1, $2)', [WRITING, request.mailingId]);
  const { rows } = await client.query<{ tries: number }>('select tries from core_mailingrebuild where id = $1 for update', [request.jobId]);
  const finished = await finishedResult(client, request);
  if (!finished && request.nth !== undefined && rows[0]!.tries !== request.nth) throw new AnotherTryError();
  return finished;
}

/** Recipients in a row of the set. */
const BLOCK = 1000;

/** Whoever is pending leaves the set: what no shard covers goes, shards that nobody has ever held among it; in the others places become empty, and their workers look again. */
export async function emptySet(client: PoolClient, mailingId: number): Promise<void> {
  // In a statement of its own, so that the next ones see what those have written who held them.
  await client.query('select from send_shard where mailing_id = $1 and not finished order by shard for update', [mailingId]);
  for (const statement of UNCOVERED) await client.query(statement, [mailingId]);
  // The statistics may not know this mailing, and take it for one of a single block.
  await client.query('set local enable_nestloop = off');
  await client.query(EMPTIED, [mailingId]);
  await client.query('set local enable_nestloop = default');
}

/** Those at the end that were never taken, so that no worker can come back to one; then what lies behind the last that is left. */
const UNCOVERED = [
  `with gone as (
     delete from send_shard where mailing_id = $1
       and shard > coalesce((select max(shard) from send_shard where mailing_id = $1 and (fence > 0 or seq > 0 or finished or claimed_to >= from_position)), -1)
     returning shard)
   delete from send_tally where mailing_id = $1 and shard = any(array(select shard from gone))`,
  'delete from send_set where mailing_id = $1 and first > coalesce((select max(to_position) from send_shard where mailing_id = $1), 0)',
  `update send_set set user_ids = user_ids[1 : covered - first + 1] from (select max(to_position) as covered from send_shard where mailing_id = $1) shards
   where mailing_id = $1 and first > covered - ${BLOCK} and first <= covered and first + cardinality(user_ids) - 1 > covered`,
];

/**
 * Shard by shard, and of each with what its log says alone: all together would be joined by ranges of positions, each block with each shard. Who waits: whom the log says so of, and whoever
 * stands above those claimed, but for those it names; nearly always that is a whole block.
 */
const EMPTIED = `
  with shards as (
    update send_shard set seq = seq + 1 where mailing_id = $1 and not finished returning shard, seq, from_position, to_position, claimed_to),
  told as (insert into send_log (mailing_id, shard, seq, edit) select $1, shard, seq, true from shards),
  named as materialized (
    select shard, position, bool_and(waits) as waits from (
      select shard, position, state = ${LEDGER_STATE.pending} as waits from send_said join shards using (shard) where mailing_id = $1
      union all
      select shard, unnest(accepted), false from send_log join shards using (shard) where mailing_id = $1) each
    group by 1, 2),
  blocks as materialized (
    select h.shard, b.first, greatest(b.first, h.from_position) as low, least(b.last, h.to_position) as high, h.claimed_to,
      b.first >= h.from_position and b.last <= h.to_position and b.first > h.claimed_to as is_whole
    from shards h, lateral (
      select first, first + cardinality(user_ids) - 1 as last from send_set
      where mailing_id = $1 and first > h.from_position - ${BLOCK} and first <= h.to_position order by first) b),
  said as materialized (
    select shard, first, array_agg(position) filter (where waits) as again, array_agg(position) filter (where not waits) as done
    from blocks join named using (shard) where position between low and high and (waits or position > claimed_to) group by 1, 2),
  waiting as materialized (
    select first, null::int[] as positions from blocks left join said using (shard, first) where is_whole and done is null
    union all
    select first, array_agg(position) from blocks left join said using (shard, first), generate_series(low, high) as position
    where (done is not null or not is_whole) and (position = any(again) or (position > claimed_to and (position = any(done)) is not true)) group by 1)
  update send_set b set user_ids = case when waiting.positions is null then array_fill(0, array[cardinality(user_ids)]) else (
    select array_agg(case when w.position is null then user_id else 0 end order by n)
    from unnest(b.user_ids) with ordinality u (user_id, n) left join unnest(waiting.positions) w (position) on w.position = b.first + n - 1) end
  from waiting where b.mailing_id = $1 and b.first = waiting.first`;

/** Whether a send the audience asks about has shards that are not finished: whoever stands in those is found by ranges of positions, which nothing but loops can join. */
async function isUnderWay(client: PoolClient, mailingId: number, { includes, excludes }: BuildPlan): Promise<boolean> {
  const asked = [mailingId, ...(includes.mailings ?? []), ...(excludes.mailings ?? [])];
  const { rows } = await client.query('select from send_shard where mailing_id = any($1::int[]) and not finished limit 1', [asked]);
  return rows.length > 0;
}

/** Who may be on the wire of a worker that was cut off as the mailing died: they are uncertain only when its lease has ended. */
async function onTheWire(client: PoolClient, mailingId: number): Promise<number> {
  const { rows } = await client.query<{ many: number }>(
    // Shard by shard: all together, each block of the set would be held against each.
    `select count(*)::int as many from send_shard s, lateral (
       select from send_open o where o.mailing_id = s.mailing_id and o.shard = s.shard and o.state = ${LEDGER_STATE.sending} offset 0) wire
     where s.mailing_id = $1 and not s.finished and s.claimed_to >= s.from_position`,
    [mailingId],
  );
  return rows[0]!.many;
}

/** Everything inside the transaction of a full build. */
async function replaceSet(
  client: PoolClient,
  request: RebuildRequest,
  plan: BuildPlan,
  members: Members,
  horizon: string | null,
): Promise<number> {
  const { mailingId } = request;
  const finished = await holdJob(client, request);
  if (finished) return finished.count;
  const merged = canBeMerged(plan) && !(await isUnderWay(client, mailingId, plan));
  await stageMembers(client, plan, members, merged ? [BLACKHOLED_STAGING] : []);
  await emptySet(client, mailingId);

  // Who may have got the mail counts against the limit. Whoever is in it already keeps their place, and new ones come after every shard of an earlier run.
  const kept = await client.query<{ last: number; mailed: number; anew: boolean }>(
    `select coalesce(max(to_position), 0) as last, coalesce(sum(accepted + uncertain), 0)::int as mailed, count(*) = 0 as anew
     from send_shard where mailing_id = $1`,
    [mailingId],
  );
  const { last, mailed, anew } = kept.rows[0]!;
  // Those who waited in shards that were begun were counted there, and are counted with the new set from now on.
  if (!anew) await tallyAnew(sqlOn(client), mailingId);
  const onWire = anew ? 0 : await onTheWire(client, mailingId);
  const limit = plan.limit === null ? null : Math.max(0, plan.limit - mailed - onWire);
  const { landingPage, mergefile } = plan;
  const audience = compileAudience({ ...plan, limit }, { mailingId, zipsAround, anew, landingPage, mergefile, merged });
  const joinOtherwise = (allowed: 'off' | 'default') =>
    client.query(`set local enable_hashjoin = ${allowed}; set local enable_nestloop = ${allowed}`);
  if (merged) await joinOtherwise('off');
  const next = audience.values.length;
  // They come in the order of their places. Where that is one somebody asked for it is made sure of, which sorts everybody once more.
  const inOrder = plan.sort_by === null ? '' : 'order by place';
  const inserted = await client.query<{ count: number }>(
    `with placed as (
       insert into send_set (mailing_id, first, least_user, most_user, user_ids)
       select $${next + 1}::int, $${next + 2}::int + min(place), min(user_id), max(user_id), array_agg(user_id ${inOrder})
       from (${audience.text}) audience group by (place - 1) / ${BLOCK} returning cardinality(user_ids) as many)
     select coalesce(sum(many), 0)::int as count from placed`,
    [...audience.values, mailingId, last],
  );
  if (merged) await joinOtherwise('default');
  const { count } = inserted.rows[0]!;
  if (horizon !== null) await keepBase(client, mailingId, plan.targetingVersion, horizon);
  await finishRebuild(client, request, plan, { count, onWire, fast: false });
  return count;
}
