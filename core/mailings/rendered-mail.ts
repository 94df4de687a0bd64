import type { Env } from '../../config/env.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { compileOnce } from '../../mail/compile-once.ts';
import { type Recipient, RenderError } from '../../mail/contracts.ts';
import { previewTextIn } from '../../mail/preview-text.ts';
import { readMail } from '../../mail/read-mail.ts';
import { type Queryable, readContent } from '../sending/content.ts';
import { mailSettings } from '../sending/mail-settings.ts';
import { recipientColumns } from '../sending/recipient-columns.ts';

interface Deps {
  pool: Queryable;
  env: Env;
}

/** A mail as its reader would see it. */
export interface RenderedMail {
  subject: string;
  /** The preview text, as inboxes show it after the subject; empty where there is none. */
  preview: string;
  from: string;
  html: string;
  text: string;
  /** Short names of reports it shows: they are read when sending begins and for proofs, and nothing stands in their places here. */
  withoutReports: string[];
}

/**
 * The mail of a mailing, as its content stands now, for one user. It is made as proofs are: its links name nobody, and nothing in it counts as an opening.
 * @param position of the user in the set; the subject goes by it
 * @returns the mail, or why this user would get none
 * @throws NotFoundError without such a user
 */
export async function renderMail({ pool, env }: Deps, mailingId: number, userId: number, position: number): Promise<RenderedMail | string> {
  try {
    const { content } = await readContent(pool, mailingId, env.DEFAULT_FROM);
    const mail = compileOnce(content, mailSettings(env));
    const { rows } = await pool.query(`select u.id as user_id, u.email${recipientColumns(mail)} from core_user u where u.id = $1`, [
      userId,
    ]);
    const [user] = rows as Recipient[];
    if (!user) throw new NotFoundError();
    const { message } = mail.renderProof({ ...user, position }, user.email, '');
    const { subject = '', from, html, text = '' } = await readMail(Buffer.from(message, 'latin1'));
    const withoutReports = [...new Set((mail.reports ?? []).map(({ name }) => name))];
    return { subject, preview: previewTextIn(html || ''), from: from?.text ?? '', html: html || '', text, withoutReports };
  } catch (error) {
    if (error instanceof RenderError) return `This person would be skipped: ${error.message}.`;
    if (error instanceof InputError) return `The mail cannot be made yet. ${Object.values(error.fields).flat().join(' ')}`;
    throw error;
  }
}
