// Long: every statement that writes how far a build is, each of which goes by what the others write.
import type { Pool, PoolClient } from '../../db/driver.ts';
import type { Sql } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { REBUILDABLE } from '../../domain/mailing-status.ts';
import type { TargetingSettings } from '../../domain/targeting/fields.ts';
import type { MailingStatus, QueryStatus } from '../../domain/words.ts';
import { toldSince } from '../reports/told-since.ts';
import { refuseGoneExcludes } from './gone-excludes.ts';
import { BUILD_SAYS_WHY, RebuildError } from './rebuild-error.ts';

// The one place that writes how far a rebuild is: its row (asked for, begun, finished), and the mailing's query status with it.

/** What asking for a rebuild overwrites of the mailing. Times as PostgreSQL writes them. */
export interface BeforeRebuild {
  queryStatus: QueryStatus;
  queryQueuedAt: string | null;
}

/** A rebuild somebody asks for, of a mailing whose row the caller's transaction holds. @returns its id */
export async function writeRebuildJob(sql: Sql, mailingId: number, fast: boolean, accountId: number): Promise<number> {
  const [job] = await sql<{ id: number }>(
    `insert into core_mailingrebuild (mailing_id, targeting_version, fast, account_id)
     select id, targeting_version, $2, $3 from core_mailing where id = $1 returning id`,
    [mailingId, fast, accountId],
  );
  await sql(`update core_mailing set query_status = 'queued', query_queued_at = now() where id = $1 and status = any($2::text[])`, [
    mailingId,
    REBUILDABLE,
  ]);
  return job!.id;
}

/** A rebuild somebody joins that has begun with a targeting that was changed since: as it ends it finds that it is asked for once more. */
export async function askAgain(sql: Sql, mailingId: number, jobId: number): Promise<void> {
  await sql(
    `update core_mailing m set query_status = 'queued', query_queued_at = now() from core_mailingrebuild r
     where m.id = $1 and r.id = $2 and not r.finished and m.query_status = 'rebuilding' and r.targeting_version <> m.targeting_version`,
    [mailingId, jobId],
  );
}

/** As it was before: nothing could be started. A run that was started all the same finds no job, and ends. */
export async function takeRebuildBack(sql: Sql, mailingId: number, jobId: number, before: BeforeRebuild): Promise<void> {
  await sql(
    `with gone as (delete from core_mailingrebuild where id = $2 and started_at is null and not finished returning mailing_id)
     update core_mailing set query_status = case when $3 = 'saved' and targeting_version <> targeting_version_saved then 'invalid' else $3 end,
       query_queued_at = $4
     from gone where core_mailing.id = $1 and gone.mailing_id = core_mailing.id and query_status = 'queued'`,
    [mailingId, jobId, before.queryStatus, before.queryQueuedAt],
  );
}

/**
 * The unfinished rebuild a mailing's send makes for itself: the running one, or a new one. It is not that of a request, whose run would fail it because the mailing's time
 * has come.
 * @returns the id of its row
 */
export async function openRebuildJob(pool: Pool, mailingId: number): Promise<number> {
  const opened = await pool.query<{ id: number }>(
    `insert into core_mailingrebuild (mailing_id, targeting_version, at_send)
     select id, targeting_version, true from core_mailing where id = $1
     on conflict (mailing_id, at_send) where not finished do update set targeting_version = excluded.targeting_version
     returning id`,
    [mailingId],
  );
  if (!opened.rows[0]) throw new Error(`There is no mailing ${mailingId}`);
  return opened.rows[0].id;
}

/** Notes that a build is begun, once more where it was before. @returns how manieth try this is; 0 of a build that is gone */
export async function countTry(pool: Pool, jobId: number): Promise<number> {
  const { rows } = await pool.query<{ tries: number }>('update core_mailingrebuild set tries = tries + 1 where id = $1 returning tries', [
    jobId,
  ]);
  return rows[0]?.tries ?? 0;
}

/** The account a build counts for: whoever asked for it, or queued the mailing it is made for. Null when nobody is known. */
export async function askedBy(pool: Pool, { jobId, mailingId }: { jobId?: number; mailingId?: number }): Promise<number | null> {
  const { rows } = await pool.query<{ account: number | null }>(
    jobId === undefined
      ? 'select queued_by_id as account from core_mailing where id = $1'
      : 'select account_id as account from core_mailingrebuild where id = $1',
    [jobId ?? mailingId],
  );
  return rows[0]?.account ?? null;
}

/** So long one waits for the row of a build, which a try that was given up may hold: each that waits has a connection. */
const LOCK_LIMIT = '10s';

/** An end without a result, of the builds in `over` (id, mailing_id). The query status says so where no other build of the mailing is under way. @param errors what the poll document shows */
const FAILED = (errors: string) => `job as (
    update core_mailingrebuild r set finished = true, success = false, results = null, errors = ${errors}::jsonb,
      started_at = coalesce(r.started_at, now()), finished_at = now()
    from over where r.id = over.id returning r.id, r.mailing_id
  )
  update core_mailing m set query_status = 'failed', query_completed_at = now()
  from job where m.id = job.mailing_id and m.query_status in ('queued', 'rebuilding')
    and not exists (select from core_mailingrebuild other where other.mailing_id = m.id and other.id <> job.id and not other.finished)`;

/**
 * Ends a build without a result. The set that was saved before stays as it is; the mailing's query status becomes `failed`
 * unless it has moved on. Harmless when the job is finished already.
 * @param errors what the poll document shows
 * @param gone `goneSoFar` before it was begun, where the database told why
 * @param nth which try says so: nothing, where another has begun it since
 */
export async function failRebuild(
  pool: Pool,
  { jobId, errors, gone, nth = null }: { mailingId: number; jobId: number; errors: string[]; gone?: string | null; nth?: number | null },
): Promise<void> {
  await inOneTransaction(pool, async (sql) => {
    await sql(`set local lock_timeout = '${LOCK_LIMIT}'`);
    await sql('select from core_mailingrebuild where id = $1 for update', [jobId]);
    const told = gone === undefined ? errors : await toldSince(sql, gone, errors);
    await sql(
      `with over as (select id from core_mailingrebuild where id = $1 and not finished and tries = coalesce($3, tries) for update), ${FAILED('$2')}`,
      [jobId, JSON.stringify(told), nth],
    );
  });
}

/** Why the last set that a send built for itself failed. */
export async function whySetFailed(pool: Pool, mailingId: number): Promise<string[]> {
  const { rows } = await pool.query<{ errors: string[] }>(
    'select errors from core_mailingrebuild where mailing_id = $1 and at_send and finished and not success order by id desc limit 1',
    [mailingId],
  );
  return rows[0]?.errors ?? [BUILD_SAYS_WHY];
}

const SEND_HAS_ENDED = 'The sending it was for has ended.';

/**
 * Ends the builds that sends left unfinished, their runs having died: a mailing that is being rebuilt by its send has its build still. What somebody else holds is left to the
 * next time.
 */
export async function endLeftBuilds(pool: Pool): Promise<void> {
  await pool.query(
    `with over as (
       select r.id from core_mailingrebuild r join core_mailing m on m.id = r.mailing_id
       where r.at_send and not r.finished and m.status <> 'rebuilding_at_send' for update of r, m skip locked
     ), ${FAILED('$1')}`,
    [JSON.stringify([SEND_HAS_ENDED])],
  );
}

/** Which build it is. */
export interface RebuildKey {
  mailingId: number;
  /** The unfinished row of core_mailingrebuild this build belongs to; `openRebuildJob` makes one. */
  jobId: number;
  /** Which try this is (`countTry`). One that was given up, and ends late, has what there was then: its mailing may have been stopped, changed and queued again since. */
  nth?: number;
  /** The build stands only if the mailing is in one of these when it begins and when it ends. */
  during: readonly MailingStatus[];
}

/** What is built. */
export interface BuildPlan extends TargetingSettings {
  targetingVersion: number;
  /** A fast build was asked for. */
  fast: boolean;
  /** See AudienceContext. */
  landingPage: number | null;
  mergefile: number | null;
}

/** What became of a build that is over; null of one that is not. @throws RebuildError when it has failed, or is gone */
export async function finishedResult(pool: Pool | PoolClient, { jobId }: RebuildKey): Promise<{ count: number } | null> {
  const job = await pool.query<{ finished: boolean; success: boolean; results: number | null; errors: string[] }>(
    'select finished, success, results, errors from core_mailingrebuild where id = $1',
    [jobId],
  );
  const row = job.rows[0];
  if (!row) throw new RebuildError(['The rebuild is gone.']);
  if (!row.finished) return null;
  if (!row.success) throw new RebuildError(row.errors);
  return { count: row.results ?? 0 };
}

/** Its targeting was changed while a set was built, and somebody has asked for one since: this one is of no use. */
export class AskedAgainError extends Error {}

/** Whoever is at a build now says how it ends. */
export class AnotherTryError extends Error {
  constructor() {
    super('another try is at this build, or it is over');
  }
}

const NOT_IN_STATE = 'The mailing is no longer in a state in which its users can be rebuilt.';

/**
 * Marks the build as begun, for everyone to see, and fixes what is built: the targeting of this moment. Of one that is over, or at which another try is, nothing is marked: nobody would
 * ever say that it has ended.
 * @throws RebuildError where the mailing has moved on; AnotherTryError where the build has
 */
export async function beginRebuild(pool: Pool, { mailingId, jobId, during, nth }: RebuildKey): Promise<BuildPlan> {
  const { rows } = await pool.query<BuildPlan>(
    `with present as materialized (
       select id from core_mailingrebuild where id = $2 and not finished and tries = coalesce($4, tries) for update
     ), mailing as (
       update core_mailing set query_status = 'rebuilding', query_started_at = now(), query_completed_at = null
       from present where core_mailing.id = $1 and status = any($3) returning core_mailing.*
     ), job as (
       update core_mailingrebuild set started_at = coalesce(core_mailingrebuild.started_at, now()), targeting_version = mailing.targeting_version
       from mailing where core_mailingrebuild.id = $2
     )
     select includes, excludes, "limit", sort_by, targeting_version as "targetingVersion",
       (select fast from core_mailingrebuild where id = $2) as fast,
       case when target_group_from_landing_page then coalesce(landing_page_id, 0) end as "landingPage",
       case when target_mergefile then coalesce(mergefile_id, 0) end as mergefile from present left join mailing on true`,
    [mailingId, jobId, during, nth ?? null],
  );
  const [plan] = rows;
  if (!plan) throw new AnotherTryError();
  if (plan.includes === null) throw new RebuildError([NOT_IN_STATE]);
  return plan;
}

/** What came of a build. */
interface Built {
  count: number;
  /** Who is in a shard of the mailing, neither settled nor in the new set. */
  onWire: number;
  fast: boolean;
}

/**
 * The set stands: the mailing and the job say so, in the transaction that wrote it. One that was being sent before has so many people from now on: those settled, those on the wire, and
 * these.
 * @throws RebuildError where the mailing has moved on, or what it excludes is gone; AskedAgainError
 */
export async function finishRebuild(
  client: PoolClient,
  request: RebuildKey,
  plan: BuildPlan,
  { count, onWire, fast }: Built,
): Promise<void> {
  // Held from here on, asked for again or not: who asks later is not to join a build that does not look for them any more.
  const { rows } = await client.query<{ again: boolean }>(
    `select query_status = 'queued' and targeting_version <> $2 as again from core_mailing where id = $1 for no key update`,
    [request.mailingId, plan.targetingVersion],
  );
  if (rows[0]?.again) throw new AskedAgainError();
  // Looked at before, and once more now: what was deleted while it was built has kept nobody out.
  await refuseGoneExcludes(client, plan.excludes);
  const saved = await client.query(
    `update core_mailing set saved_count = $2::int,
       expected_send_count = case when expected_send_count is not null
         then $2::int + $5::int + (select coalesce(sum(accepted + failed + skipped + uncertain), 0) from send_shard where mailing_id = $1) end, targeting_version_saved = $3, query_completed_at = clock_timestamp(),
       query_status = case when targeting_version = $3 then 'saved' else 'invalid' end,
       query_previous_runtime = round(extract(epoch from clock_timestamp() - query_started_at)::numeric, 3)
     where id = $1 and status = any($4)`,
    [request.mailingId, count, plan.targetingVersion, request.during, onWire],
  );
  if (!saved.rowCount) throw new RebuildError([NOT_IN_STATE]);
  await client.query(
    `update core_mailingrebuild set finished = true, success = true, results = $2, was_fast = $3, errors = '[]', finished_at = clock_timestamp()
      where id = $1 and not finished`,
    [request.jobId, count, fast],
  );
}

/**
 * Mailings whose audience a change of mailing `$1` changes. Others that are queued, being sent or completed are left alone: somebody has agreed to their
 * audience, and whoever of it is mailed once more must not bring others along.
 */
const AFFECTED = `(id = $1 or ((includes -> 'mailings' @> $2::jsonb or excludes -> 'mailings' @> $2::jsonb)
  and status not in ('queued', 'rebuilding_at_send', 'sending', 'completed')))`;

/** Holds their rows until the transaction's end, in an order that two callers share. Openings and clicks of those that were sent are still written. */
export async function holdAudiencesOf(sql: Sql, id: number): Promise<void> {
  await sql(`select from core_mailing where ${AFFECTED} order by id for no key update`, [id, JSON.stringify(id)]);
}

/**
 * Raises the version of the mailing and of those that include or exclude it and marks their saved sets as out of date. A build under way sees
 * by the version that its result is.
 */
export async function invalidateAudiencesOf(sql: Sql, id: number): Promise<void> {
  await sql(
    `update core_mailing set targeting_version = targeting_version + 1,
       query_status = case when query_status = 'saved' then 'invalid' else query_status end
     where ${AFFECTED}`,
    [id, JSON.stringify(id)],
  );
}
