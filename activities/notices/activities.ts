import { finalProof } from '../../core/mailings/notices/final-proof.ts';
import type { Notice, NoticeDeps } from '../../core/mailings/notices/notice.ts';
import { submitterMail } from '../../core/mailings/notices/submitter-mail.ts';
import { type Ending, type ReadyMail, sendOnce } from '../../core/people/send-once.ts';
import type { NoticeInput } from '../../workflows/contracts.ts';

export type NoticeActivities = ReturnType<typeof createNoticeActivities>;

/** Mails that tell people about a mailing: its submitter how it ended, its reviewers how it looks. */
export function createNoticeActivities(deps: NoticeDeps) {
  const { pool, log } = deps;

  async function prepare(id: number): Promise<ReadyMail | Ending> {
    const { rows } = await pool.query<Notice & { stale: boolean }>(
      `select id, mailing_id, kind, account_id, reviewer_id, reasons, created_at < now() - interval '2 days' as stale
        from core_mailingnotice where id = $1`,
      [id],
    );
    const notice = rows[0]!;
    if (notice.stale) return { status: 'failed', detail: 'it could not be sent for two days, and is of no use any more' };
    return notice.kind === 'final_proof' ? finalProof(deps, notice) : submitterMail(deps, notice);
  }

  return {
    /**
     * Sends one notice, once. What is wrong with it is written to its row and is nobody else's trouble.
     * @throws ApplicationFailure while the relay takes no mail
     */
    async sendNotice({ jobId }: NoticeInput): Promise<void> {
      await sendOnce(pool, 'core_mailingnotice', jobId, () => prepare(jobId));
      const { rows } = await pool.query<{ status: string }>('select status from core_mailingnotice where id = $1', [jobId]);
      if (rows[0] && rows[0].status !== 'sent')
        log.warn({ noticeId: jobId, status: rows[0].status }, 'a notice about a mailing was not sent');
    },
  };
}
