import type { Client } from '@temporalio/client';
import type { WrittenNotice } from '../../core/mailings/notices/tell-submitter.ts';
import type { PoolClient } from '../../db/driver.ts';
import type { ActivityDeps } from '../deps.ts';
import { startRun } from '../start-run.ts';

/** Writes a final proof for each reviewer, within the transaction that begins the send. */
export async function tellReviewers(db: PoolClient, mailingId: number): Promise<WrittenNotice[]> {
  const { rows } = await db.query(
    `insert into core_mailingnotice (mailing_id, kind, reviewer_id)
      select mailing_id, 'final_proof', user_id from core_mailing_reviewers where mailing_id = $1 order by user_id returning id, mailing_id`,
    [mailingId],
  );
  return rows;
}

/** Starts the mails of notices that are committed. Nobody waits for it: what cannot be started now is started by the sweep. */
export function startNotices({ temporal, log }: { temporal: Client; log: ActivityDeps['log'] }, notices: readonly WrittenNotice[]): void {
  for (const { id, mailing_id: mailingId } of notices) {
    startRun(temporal, 'sendNotice', { jobId: id }, { mailingId, summary: `Mailing ${mailingId}: notice ${id}` }).catch((error: Error) =>
      log.warn({ noticeId: id, error: error.message }, 'a notice could not be started; the sweep will'),
    );
  }
}
