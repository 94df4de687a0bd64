import type { Client } from '../../db/driver.ts';
import { MAILS_WAIT } from '../reports/report-task.ts';

/** How many of each were put where they cannot go out by themselves. */
export interface Held {
  /** Were being sent; now `stopped`. */
  stopped: number;
  /** Waited to be sent; now `draft`. */
  drafts: number;
  /** Proof requests, confirmations, notices, reports to be mailed and deliveries to webhooks that had not ended; now ended, unsent. */
  jobs: number;
}

/**
 * Holds what was under way when a backup was taken. What the platform sent between the backup and its end is not in the backup: going on by itself it would
 * send that a second time. So mailings being sent, or sent in part, are stopped and others that wait are drafts again, each saying why, and people decide. Only where
 * nothing was sent after the backup (everything was down when it was taken, say) may it be left out.
 */
export async function holdSends(client: Client, takenAt: string): Promise<Held> {
  const reason = JSON.stringify([
    `restored from a backup of ${takenAt}: whoever was mailed after it is not known here, and would be mailed again`,
  ]);
  const count = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rowCount ?? 0;
  return {
    stopped: await count(
      `update core_mailing set status = 'stopped', stop_requested = false, finished_at = now(), errors = $1
       where status = 'sending' or (status in ('queued', 'scheduled', 'rebuilding_at_send') and started_at is not null)`,
      [reason],
    ),
    drafts: await count(
      `update core_mailing set status = 'draft', stop_requested = false, errors = $1 where status in ('queued', 'scheduled', 'rebuilding_at_send')`,
      [reason],
    ),
    jobs:
      (await count('update core_mailingproof set finished = true, success = false, errors = $1, finished_at = now() where not finished', [
        reason,
      ])) +
      (await count(
        `update core_transactionalmailing set status = case status when 'pending' then 'failed' else 'uncertain' end,
           detail = 'restored from a backup', updated_at = now() where status in ('pending', 'sending')`,
      )) +
      (await count(
        `update core_mailingnotice set status = case status when 'pending' then 'failed' else 'uncertain' end,
           detail = 'restored from a backup', updated_at = now() where status in ('pending', 'sending')`,
      )) +
      (await count(
        `update core_backgroundtask set status = 'failed', errors = $1, finished_at = now(), updated_at = now()
         where status in ('pending', 'running') and emails <> '[]'`,
        [reason],
      )) +
      (await count(
        `update core_backgroundtask set mails_begun = jsonb_array_length(emails), mails_over = jsonb_array_length(emails), errors = errors || $1::jsonb
         where ${MAILS_WAIT}`,
        [reason],
      )) +
      (await count(`update core_webhookdelivery set status = 'failed', last_error = 'restored from a backup' where status = 'pending'`)),
  };
}
