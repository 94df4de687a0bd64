import type { NoticeDeps } from '../../core/mailings/notices/notice.ts';
import { sendNotice } from '../../core/mailings/notices/send-notice.ts';
import type { NoticeInput } from '../../workflows/contracts.ts';
import { heartbeating } from '../heartbeating.ts';

export type NoticeActivities = ReturnType<typeof createNoticeActivities>;

/** Mails that tell people about a mailing: its submitter how it ended, its reviewers how it looks. */
export function createNoticeActivities(deps: NoticeDeps) {
  return {
    /** Sends one notice, once; fails, to be tried again, while the relay takes no mail. */
    sendNotice: ({ jobId }: NoticeInput): Promise<void> => heartbeating(() => sendNotice(deps, jobId)),
  };
}
