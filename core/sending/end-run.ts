import type { Pool } from '../../db/driver.ts';
import { UNDER_WAY } from '../../domain/mailing-status.ts';
import type { QueuedAt } from '../mailings/transitions.ts';
import { LostCommitsError } from './lost-commits.ts';

// The end of a run, written into its row before anything else of it: a worker that the workflow service does not reach goes on until its next turn, and no further.

/** Nothing more is begun in the run of a mailing; a later queueing's is left alone. */
export async function endRun(pool: Pool, mailingId: number, queuedAt: QueuedAt): Promise<void> {
  await pool.query(
    `update send_run r set ended = true from core_mailing m
     where r.mailing_id = $1 and m.id = $1 and m.status = 'sending' and not r.ended and ($2::timestamptz is null or m.queued_at = $2)`,
    [mailingId, queuedAt],
  );
}

/**
 * A worker has missed commits of its own in a run: nobody knows what others have lost.
 * @param run `send_run.started_at` as PostgreSQL writes it; null is any
 */
export async function endLostRun(pool: Pool, mailingId: number, run: string | null): Promise<void> {
  await pool.query(
    'update send_run set ended = true, lost_commits = true where mailing_id = $1 and ($2::timestamptz is null or started_at = $2)',
    [mailingId, run],
  );
}

/**
 * Whether a run that comes to its end has lost commits: a worker said so, or it has sent to everybody by what it was told, and the database knows of people who wait, or of
 * nothing that was begun; or its row says so already, by a try of which the answer was lost.
 * @param completed it has sent to everybody
 */
export async function hasLostCommits(pool: Pool, mailingId: number, completed: boolean, queuedAt: QueuedAt): Promise<boolean> {
  const { rows } = await pool.query<{ lost: boolean }>(
    `select case when m.status = 'died' then true when m.status <> 'sending' then $2
       else coalesce(r.lost_commits, false) or ($2 and exists (select from send_shard where mailing_id = $1 and not finished)) end as lost
     from core_mailing m left join send_run r on r.mailing_id = m.id
     where m.id = $1 and (m.status = any($3::text[]) or m.status = 'died' and m.errors ? $5) and ($4::timestamptz is null or m.queued_at = $4)`,
    [mailingId, completed, UNDER_WAY, queuedAt, new LostCommitsError().message],
  );
  return rows[0]?.lost ?? false;
}
