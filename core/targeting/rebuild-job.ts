import type { Pool } from '../../db/driver.ts';

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
