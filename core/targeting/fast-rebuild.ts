import type { Pool, PoolClient } from '../../db/driver.ts';
import { type AudienceContext, compileAudience } from '../../domain/targeting/compile.ts';
import type { TargetingField, TargetingSettings } from '../../domain/targeting/fields.ts';

// What a fast rebuild may start from, and why its result is that of a full one.
//
// With each set the horizon is kept: the oldest transaction that was still under way when the build began. Whatever was committed before it, the build has
// seen. Every later change of what a set is made of leaves a row whose xmin is not older than the horizon, or, where rows went, a line in targeting_gone,
// written by triggers (migration 132) in the same transaction. So everybody else is in the set exactly if they were; those named by either are asked for
// anew. The horizon is kept before the build takes its snapshot, so that lines a build needs are never cleared away.
//
// Only targeting whose answer about a person depends on nothing but that person's own rows is treated so: no clock, no other mailing, no report,
// no map, no limit.

const OWN_ROWS: { [Field in TargetingField]?: string[] } = {
  users: [],
  lists: [],
  states: [],
  countries: [],
  regions: [],
  zips: [],
  languages: [],
  counties: ['core_location'],
  cds: ['core_location'],
  state_house_districts: ['core_location'],
  state_senate_districts: ['core_location'],
  has_donated: ['core_order'],
  actions: ['core_action'],
};
/** Transaction numbers are compared by their age, which is exact for so many; far less than are given out in this time. */
const LONGEST = '1 day';
const MOST_TRANSACTIONS = 2 ** 30;

/** Those changed are looked for in each block of the set: past so many pairs, some seconds, a full build is the faster one. */
const MOST_PAIRS = 5_000_000;

interface FastPlan extends TargetingSettings {
  targetingVersion: number;
  landingPage: number | null;
  mergefile: number | null;
}

/** SQL: `$1` mailing, `$2` its targeting version: the base of its set, or no row when that cannot be shown to be current but for the changes since. */
const CURRENT_BASE = `
  select horizon from targeting_base b
  where mailing_id = $1 and targeting_version = $2 and built and kept_at > now() - interval '${LONGEST}'
    -- A row restored from a dump says nothing about this server's transactions.
    and xmin::text::bigint = written_by % 4294967296
    and pg_snapshot_xmax(pg_current_snapshot())::text::bigint - horizon < ${MOST_TRANSACTIONS}
    and not exists (select from send_shard s where s.mailing_id = b.mailing_id)
    and not exists (select from targeting_gone where user_id = 0 and gone_in >= b.horizon)
  for update`;

/**
 * Keeps the horizon of a full build that is about to begin; committed before the build takes its snapshot. Where another attempt may be under way the older of
 * the two stays, until one of them ends with its own.
 * @returns the build's horizon
 */
export async function keepHorizon(pool: Pool, mailingId: number): Promise<string> {
  const { rows } = await pool.query<{ horizon: string }>(
    `with now_there as (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon),
       kept as (
         insert into targeting_base as b (mailing_id, horizon) select $1, horizon from now_there
         on conflict (mailing_id) do update set built = false, kept_at = now(),
           horizon = case when b.built then excluded.horizon else least(b.horizon, excluded.horizon) end)
     select horizon from now_there`,
    [mailingId],
  );
  return rows[0]!.horizon;
}

/** A full build has ended: its set may be the base of a fast one. What no base needs any more is cleared away. */
export async function keepBase(client: PoolClient, mailingId: number, targetingVersion: number, horizon: string): Promise<void> {
  await markBuilt(client, mailingId, targetingVersion, horizon);
  await client.query(
    `delete from targeting_base where mailing_id in (
       select mailing_id from targeting_base where kept_at < now() - interval '${LONGEST}' for update skip locked)`,
  );
  await client.query('delete from targeting_gone where gone_in < (select min(horizon) from targeting_base)');
}

const markBuilt = (client: PoolClient, mailingId: number, targetingVersion: number, horizon: string) =>
  client.query(
    `update targeting_base set targeting_version = $2, horizon = $3, built = true, kept_at = now(), written_by = pg_current_xact_id()::text::bigint
     where mailing_id = $1`,
    [mailingId, targetingVersion, horizon],
  );

/** Whether targeting asks for nothing but a person's own rows. */
export const isOwn = (plan: FastPlan): boolean =>
  plan.limit === null &&
  plan.sort_by === null &&
  plan.landingPage === null &&
  plan.mergefile === null &&
  [plan.includes, plan.excludes].every(
    (targeting) =>
      Object.keys(targeting).every((field) => OWN_ROWS[field as TargetingField]) && !targeting.zips?.some((zip) => zip.includes(',')),
  );

/**
 * Brings the saved set of a mailing up to date, in the caller's transaction: those changed since it was built are taken out or in, at the end.
 * @returns how many are in the set, or null when only a full build will do
 */
export async function rebuildFast(client: PoolClient, mailingId: number, plan: FastPlan, context: AudienceContext): Promise<number | null> {
  const { rows } = await client.query<{ horizon: string }>(CURRENT_BASE, [mailingId, plan.targetingVersion]);
  if (!rows[0]) return null;
  const next = await client.query<{ horizon: string }>('select pg_snapshot_xmin(pg_current_snapshot())::text as horizon');
  const fields = [plan.includes, plan.excludes].flatMap((targeting) => Object.keys(targeting) as TargetingField[]);
  const tables = new Set(['core_subscription', ...fields.flatMap((field) => OWN_ROWS[field] ?? [])]);
  const audience = compileAudience(plan, { ...context, anew: true, among: 'changed' });
  const at = audience.values.length + 1;
  const since = (row: string) => `age(${row}.xmin) <= age(($${at}::bigint % 4294967296)::text::xid)`;
  // One statement, one snapshot: who changed, and who of them is meant.
  await client.query('create temporary table target_changed (user_id int not null, wanted boolean not null) on commit drop');
  await client.query(
    `insert into target_changed
     with changed as materialized (
       select id as user_id from core_user u where ${since('u')}
       ${[...tables].map((table) => `union select user_id from ${table} x where ${since('x')}`).join(' ')}
       union select u.id from core_blackholedemail b join core_user u on lower(u.email) = b.email where ${since('b')}
       union select user_id from targeting_gone where gone_in >= $${at}::bigint)
     select changed.user_id, audience.user_id is not null as wanted from changed left join (${audience.text}) audience using (user_id)`,
    [...audience.values, rows[0].horizon],
  );
  await client.query('analyze target_changed');
  const { rows: pairs } = await client.query<{ many: number }>(
    'select (select count(*) from target_changed)::float8 * (select count(*) from send_set where mailing_id = $1) as many',
    [mailingId],
  );
  return pairs[0]!.many > MOST_PAIRS ? null : applyChanges(client, mailingId, plan, next.rows[0]!.horizon);
}

async function applyChanges(client: PoolClient, mailingId: number, plan: FastPlan, horizon: string): Promise<number> {
  // Sets that may be built so are in the order of ids, so that the bounds of a block say nearly all.
  const within = 'b.mailing_id = $1 and c.user_id between b.least_user and b.most_user and c.user_id = any(b.user_ids)';
  // Found once: where the statistics do not know the mailing and take it for one of a single block, it would be done for each of them.
  await client.query(
    `with going as materialized (
       select b.first, array_agg(c.user_id) as user_ids from target_changed c join send_set b on ${within} where not c.wanted group by 1)
     update send_set b set user_ids = (
       select array_agg(case when user_id = any(going.user_ids) then 0 else user_id end order by n) from unnest(b.user_ids) with ordinality u (user_id, n))
     from going where b.mailing_id = $1 and b.first = going.first`,
    [mailingId],
  );
  await client.query(
    `insert into send_set (mailing_id, first, least_user, most_user, user_ids)
     select $1, last + min(place), min(user_id), max(user_id), array_agg(user_id order by place)
     from (select coalesce(max(first + cardinality(user_ids) - 1), 0) as last from send_set where mailing_id = $1) set,
       (select user_id, row_number() over (order by user_id) as place from target_changed c
         where c.wanted and not exists (select from send_set b where ${within})) coming
     group by last, (place - 1) / 1000`,
    [mailingId],
  );
  await markBuilt(client, mailingId, plan.targetingVersion, horizon);
  const { rows } = await client.query<{ count: number }>(
    'select coalesce(sum(cardinality(array_remove(user_ids, 0))), 0)::int as count from send_set where mailing_id = $1',
    [mailingId],
  );
  return rows[0]!.count;
}
