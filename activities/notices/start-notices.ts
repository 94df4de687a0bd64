import type { Client } from '@temporalio/client';
import type { WrittenNotice } from '../../core/mailings/notices/tell-submitter.ts';
import type { ActivityDeps } from '../deps.ts';
import { startRun } from '../start-run.ts';

/** Starts the mails of notices that are committed. Nobody waits for it: what cannot be started now is started by the sweep. */
export function startNotices({ temporal, log }: { temporal: Client; log: ActivityDeps['log'] }, notices: readonly WrittenNotice[]): void {
  for (const { id, mailing_id: mailingId } of notices) {
    startRun(temporal, 'sendNotice', { jobId: id }, { mailingId, summary: `Mailing ${mailingId}: notice ${id}` }).catch((error: Error) =>
      log.warn({ noticeId: id, error: error.message }, 'a notice could not be started; the sweep will'),
    );
  }
}
