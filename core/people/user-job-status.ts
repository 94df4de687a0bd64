import type { Pool } from '../../db/driver.ts';
import type { Sql } from '../../db/sql.ts';
import type { Log } from '../deps.ts';
import { finalReason } from '../final-reason.ts';

// The one place that writes how far jobs about users and their lists are: pending, and once complete or failed.

/** Why a job about a user cannot be done, in words its row shall say. Nothing was changed. */
export class UserJobError extends Error {}

/** Ends a job with the error that kept it from being done. @throws the error, where trying again may mend it */
export async function failUserJob(
  { pool, log }: { pool: Pool; log: Log },
  table: 'core_usermerge' | 'core_erasure' | 'core_listdeletion',
  jobId: number,
  error: unknown,
): Promise<void> {
  const reason = error instanceof UserJobError ? error.message : finalReason(error);
  if (reason === null) throw error;
  log.warn({ table, jobId }, 'a job about a user failed');
  await pool.query(`update ${table} set status = 'failed', errors = $2, updated_at = now() where id = $1 and status = 'pending'`, [
    jobId,
    JSON.stringify([reason]),
  ]);
}

/** In the transaction that deleted the list. */
export async function completeListDeletion(sql: Sql, jobId: number): Promise<void> {
  await sql(`update core_listdeletion set status = 'complete', updated_at = now() where id = $1 and status = 'pending'`, [jobId]);
}

/** In the transaction that merged the users. */
export async function completeMerge(sql: Sql, jobId: number): Promise<void> {
  await sql(`update core_usermerge set status = 'complete', updated_at = now() where id = $1 and status = 'pending'`, [jobId]);
}

/** In the transaction that erased the user. @param emailHash what the erasure is remembered by */
export async function completeErasure(sql: Sql, jobId: number, emailHash: string): Promise<void> {
  // A file that came since the transaction began came before its end, and may name them.
  await sql(
    `update core_erasure set status = 'complete', email_hash = $2, updated_at = clock_timestamp() where id = $1 and status = 'pending'`,
    [jobId, emailHash],
  );
}
