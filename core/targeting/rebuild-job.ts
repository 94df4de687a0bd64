import type { Pool } from '../../db/driver.ts';
import type { Sql } from '../../db/sql.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import type { QueryStatus } from '../../domain/words.ts';

// The rows of rebuilds: how they are asked for, taken back, failed and read. How one succeeds is the end of the build itself (rebuild-set.ts).

/** What asking for a rebuild overwrites of the mailing. Times as PostgreSQL writes them. */
export interface BeforeRebuild {
  queryStatus: QueryStatus;
  queryQueuedAt: string | null;
}

/** A rebuild somebody asks for, of a mailing whose row the caller's transaction holds. @returns its id */
export async function writeRebuildJob(sql: Sql, mailingId: number, fast: boolean): Promise<number> {
  const [job] = await sql<{ id: number }>(
    'insert into core_mailingrebuild (mailing_id, targeting_version, fast) select id, targeting_version, $2 from core_mailing where id = $1 returning id',
    [mailingId, fast],
  );
  await sql(`update core_mailing set query_status = 'queued', query_queued_at = now() where id = $1`, [mailingId]);
  return job!.id;
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

/** How far a rebuild is, as its poll document shows it. */
export interface RebuildState {
  finished: boolean;
  success: boolean;
  started_at: string | null;
  finished_at: string | null;
  results: number | null;
  errors: string[];
}

export async function readRebuild(pool: Pool, mailingId: number, jobId: number): Promise<RebuildState | null> {
  const { rows } = await pool.query<RebuildState>(
    `select finished, success, ${timestampSql('started_at')} as started_at, ${timestampSql('finished_at')} as finished_at, results, errors
     from core_mailingrebuild where mailing_id = $1 and id = $2`,
    [mailingId, jobId],
  );
  return rows[0] ?? null;
}

/**
 * The unfinished rebuild of a mailing: the running one, or a new one. For builds no request asked for (just before sending).
 * @returns the id of its row
 */
export async function openRebuildJob(pool: Pool, mailingId: number): Promise<number> {
  const opened = await pool.query<{ id: number }>(
    `insert into core_mailingrebuild (mailing_id, targeting_version)
     select id, targeting_version from core_mailing where id = $1
     on conflict (mailing_id) where not finished do update set targeting_version = excluded.targeting_version
     returning id`,
    [mailingId],
  );
  if (!opened.rows[0]) throw new Error(`There is no mailing ${mailingId}`);
  return opened.rows[0].id;
}

/**
 * Ends a build without a result. The set that was saved before stays as it is; the mailing's query status becomes `failed`
 * unless it has moved on. Harmless when the job is finished already.
 * @param errors what the poll document shows
 */
export async function failRebuild(pool: Pool, job: { mailingId: number; jobId: number; errors: string[] }): Promise<void> {
  await pool.query(
    `with job as (
       update core_mailingrebuild set finished = true, success = false, results = null, errors = $3::jsonb,
         started_at = coalesce(started_at, now()), finished_at = now()
       where id = $2 and not finished returning mailing_id
     )
     update core_mailing set query_status = 'failed', query_completed_at = now()
     from job where core_mailing.id = $1 and core_mailing.id = job.mailing_id and query_status in ('queued', 'rebuilding')`,
    [job.mailingId, job.jobId, JSON.stringify(job.errors)],
  );
}
