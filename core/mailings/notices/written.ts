import type { Pool, PoolClient } from '../../../db/driver.ts';
import { rowName } from '../../row-name.ts';
import type { Notice } from './notice.ts';
import type { WrittenNotice } from './tell-submitter.ts';

/** Writes a final proof for each reviewer, within the transaction that begins the send. */
export async function tellReviewers(db: PoolClient, mailingId: number): Promise<WrittenNotice[]> {
  const { rows } = await db.query(
    `insert into core_mailingnotice (mailing_id, kind, reviewer_id)
      select mailing_id, 'final_proof', user_id from core_mailing_reviewers where mailing_id = $1 order by user_id returning id, mailing_id`,
    [mailingId],
  );
  return rows;
}

/** A notice that is to be sent; stale when it is too old to be of use. */
export async function readNotice(pool: Pool, id: number): Promise<Notice & { stale: boolean }> {
  const { rows } = await pool.query<Notice & { stale: boolean }>(
    `select id, ${rowName('n')} as name, mailing_id, kind, account_id, reviewer_id, reasons, created_at < now() - interval '2 days' as stale
      from core_mailingnotice n where id = $1`,
    [id],
  );
  return rows[0]!;
}
