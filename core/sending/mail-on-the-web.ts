import type { Env } from '../../config/env.ts';
import type { Pool } from '../../db/driver.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import { compileOnce } from '../../mail/compile-once.ts';
import { type MailingContent, type Recipient, RenderError } from '../../mail/contracts.ts';
import { readMail } from '../../mail/read-mail.ts';
import { contentSent } from './earlier-runs.ts';
import { mailSettings } from './mail-settings.ts';
import { ofUser } from './of-user.ts';
import { recipientColumns } from './recipient-columns.ts';

interface Deps {
  pool: Pool;
  env: Env;
}

/** The HTML of a mail as it was sent to somebody, of the content frozen then; null where there is none to show on the web, or no more. */
export async function mailOnTheWeb({ pool, env }: Deps, mailingId: number, userId: number): Promise<string | null> {
  const sent = await pool.query<{ content: MailingContent; position: number; sent_at: Date }>(
    `select ${contentSent('r', 'l')} -> 'content' as content, l.position, l.changed_at as sent_at from core_mailing m
       join send_run r on r.mailing_id = m.id join send_record l on l.mailing_id = m.id
     where m.id = $1 and m.web_viewable and ${ofUser('l', '$2')} and l.state = any($3)`,
    [mailingId, userId, [LEDGER_STATE.sending, LEDGER_STATE.accepted, LEDGER_STATE.uncertain]],
  );
  const [row] = sent.rows;
  if (!row) return null;
  const mail = compileOnce(row.content, mailSettings(env));
  const found = await pool.query<Recipient>(`select u.id as user_id, u.email${recipientColumns(mail)} from core_user u where u.id = $1`, [
    userId,
  ]);
  if (!found.rows[0]) return null;
  try {
    const { message } = mail.render({ ...found.rows[0], position: row.position }, row.sent_at);
    const { html } = await readMail(Buffer.from(message, 'latin1'));
    return html || '';
  } catch (error) {
    // What the mail needs of the person is gone since.
    if (error instanceof RenderError) return null;
    throw error;
  }
}
