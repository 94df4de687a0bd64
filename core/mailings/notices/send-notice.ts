import { sqlOn } from '../../../db/sql.ts';
import { run, tables } from '../../../entities/tables.ts';
import { type Ending, type ReadyMail, sendOnce } from '../../people/send-once.ts';
import { goneSoFar } from '../../people/who-went.ts';
import { finalProof } from './final-proof.ts';
import type { NoticeDeps } from './notice.ts';
import { submitterMail } from './submitter-mail.ts';
import { readNotice } from './written.ts';

/**
 * Sends one notice, once. What is wrong with it is written to its row and is nobody else's trouble.
 * @throws RelayDownError while the relay takes no mail
 */
export async function sendNotice(deps: NoticeDeps, id: number): Promise<void> {
  const { pool, log } = deps;
  await sendOnce(pool, 'core_mailingnotice', id, () => prepare(deps, id));
  const [sent] = await run(sqlOn(pool), tables.selectFrom('core_mailingnotice').where('id', '=', id).select('status'));
  if (sent && sent.status !== 'sent') log.warn({ noticeId: id, status: sent.status }, 'a notice about a mailing was not sent');
}

async function prepare(deps: NoticeDeps, id: number): Promise<ReadyMail | Ending> {
  // Of the mail's recipients, and in what reports, relay and database say, may stand who is erased before it goes out.
  const gone = await goneSoFar(sqlOn(deps.pool));
  const notice = await readNotice(deps.pool, id);
  if (notice.stale) return { status: 'failed', detail: 'it could not be sent for two days, and is of no use any more' };
  const ready = await (notice.kind === 'final_proof' ? finalProof(deps, notice) : submitterMail(deps, notice));
  return 'mail' in ready ? { ...ready, gone } : ready;
}
