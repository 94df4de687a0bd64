import { InputError } from '../../../domain/errors.ts';
import { compileOnce } from '../../../mail/compile-once.ts';
import { RenderError } from '../../../mail/contracts.ts';
import { readsUsers } from '../../accounts/holds-grant.ts';
import { ERASED } from '../../people/erased.ts';
import { NEVER_MAILED } from '../../people/never-mailed.ts';
import type { Ending, ReadyMail } from '../../people/send-once.ts';
import { readContent } from '../../sending/content.ts';
import { mailSettings } from '../../sending/mail-settings.ts';
import { recipientColumns } from '../../sending/recipient-columns.ts';
import { relayFor } from '../../sending/relay-chain.ts';
import { readReportValues } from '../../sending/report-values.ts';
import { readSamples } from '../proof-samples.ts';
import type { Notice, NoticeDeps } from './notice.ts';

/**
 * The mail as the first of the recipients gets it, for a reviewer to look at while it goes out; as a made-up person would, where whoever queued the mailing may
 * not see members.
 */
export async function finalProof(deps: NoticeDeps, notice: Notice): Promise<ReadyMail | Ending> {
  const { pool, env } = deps;
  const { mailing_id: mailingId } = notice;
  const { rows } = await pool.query<{ email: string; unwanted: boolean }>(
    `select u.email, exists (select from core_blackholedemail b where b.email = lower(u.email)) as unwanted from core_user u
      where u.id = $1 and not ${ERASED}`,
    [notice.reviewer_id],
  );
  const reviewer = rows[0];
  if (!reviewer) return { status: 'skipped', detail: 'this reviewer no longer exists' };
  if (reviewer.unwanted) return { status: 'skipped', detail: NEVER_MAILED };
  const stored = await readContent(pool, mailingId, env.DEFAULT_FROM);
  const values = await readReportValues(deps, mailingId);
  const content = { ...values.put(stored.content), subjects: stored.content.subjects.map((subject) => `[FINAL PROOF] ${subject}`) };
  try {
    const mail = compileOnce(content, mailSettings(env));
    const job = { proofs: 1, proof_users: [], made_up: !(await queuedByReader(pool, mailingId)) };
    const [sample] = await readSamples(deps, mailingId, job, recipientColumns(mail), content.mergefile?.columns);
    if (!sample) return { status: 'skipped', detail: 'nobody is in the saved set' };
    // By their place goes which of the subjects they get; made-up people have none.
    const position = sample.position ?? 0;
    const proof = mail.renderProof({ ...sample, position }, reviewer.email, `notice-${notice.name}`);
    return { mail: proof, relay: await relayFor(deps, content.from) };
  } catch (error) {
    if (error instanceof RenderError || error instanceof InputError) return { status: 'failed', detail: error.message };
    throw error;
  }
}

async function queuedByReader(pool: NoticeDeps['pool'], mailingId: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from core_mailing m join auth_user a on a.id = m.queued_by_id where m.id = $1 and ${readsUsers('a')}`,
    [mailingId],
  );
  return rowCount === 1;
}
