import { InputError } from '../../domain/errors.ts';
import { RenderError } from '../../mail/contracts.ts';
import { compileOneOff } from '../../mail/one-off.ts';
import type { CoreDeps } from '../deps.ts';
import { rowName } from '../row-name.ts';
import { mailSettings } from '../sending/mail-settings.ts';
import { recipientColumns } from '../sending/recipient-columns.ts';
import { relayFor } from '../sending/relay-chain.ts';
import { NEVER_MAILED } from './never-mailed.ts';
import { composeNotification } from './notify.ts';
import { type Ending, type ReadyMail, sendOnce } from './send-once.ts';

const CONTENT = `
  select ${rowName('m')} as name, m.user_id, f.email_subject as subject, f.email_body as html, coalesce(nullif(f.email_custom_from, ''), l.from_line) as from_line,
    w.template, w.text_template, w.unsubscribe_text, w.unsubscribe_html, coalesce(g.iso_code, '') as language
  from core_transactionalmailing m join core_action a on a.id = m.action_id join core_pagefollowup f on f.page_id = a.page_id
  join core_page p on p.id = a.page_id left join core_language g on g.id = p.language_id
  left join lateral (select from_line from core_fromline x where x.id = f.email_from_line_id or (f.email_from_line_id is null and x.is_default)
    order by x.id = f.email_from_line_id desc nulls last, x.id limit 1) l on true
  left join core_emailwrapper w on w.id = f.email_wrapper_id
  where m.id = $1`;

/** With whether its address was blackholed while it waited: that of a confirmation is the person's as it is now, by a merge say. */
const KIND = `
  select is_notification, exists (select from core_blackholedemail where email = lower(case when is_notification then m.email else u.email end)) as unwanted
  from core_transactionalmailing m join core_user u on u.id = m.user_id, lateral (select kind like 'notification%' as is_notification) k where m.id = $1`;

/**
 * Sends one confirmation, or one notification of an action, once.
 * @throws as `sendOnce` does
 */
export async function sendConfirmation(deps: Pick<CoreDeps, 'pool' | 'env' | 'relay'>, mailId: number): Promise<void> {
  const { pool, env } = deps;
  await sendOnce(pool, 'core_transactionalmailing', mailId, async () => {
    const { rows } = await pool.query<{ is_notification: boolean; unwanted: boolean }>(KIND, [mailId]);
    if (rows[0]?.unwanted) return { status: 'skipped', detail: NEVER_MAILED };
    return rows[0]?.is_notification ? notification() : confirmation();
  });

  async function notification(): Promise<ReadyMail | Ending> {
    const mail = await composeNotification(pool, mailId, env);
    return mail ? { mail, relay: await relayFor(deps, env.DEFAULT_FROM) } : { status: 'skipped', detail: 'the action is gone' };
  }

  async function confirmation(): Promise<ReadyMail | Ending> {
    const { rows } = await pool.query(CONTENT, [mailId]);
    const row = rows[0];
    if (!row) return { status: 'skipped', detail: 'the page or the action is gone' };
    try {
      const wrapper =
        row.template || row.text_template
          ? {
              template: row.template,
              textTemplate: row.text_template,
              unsubscribeText: row.unsubscribe_text,
              unsubscribeHtml: row.unsubscribe_html,
            }
          : null;
      const settings = mailSettings(env);
      const from = row.from_line ?? env.DEFAULT_FROM;
      const mail = compileOneOff({ subject: row.subject, html: row.html, from, wrapper, language: row.language }, settings);
      const found = await pool.query(
        `select u.id as user_id, 0 as position, u.email${recipientColumns(mail.compiled)} from core_user u where u.id = $1`,
        [row.user_id],
      );
      if (!found.rows[0]) return { status: 'skipped', detail: 'this user no longer exists' };
      return { mail: mail.render(found.rows[0], row.name), relay: await relayFor(deps, from) };
    } catch (error) {
      if (error instanceof RenderError || error instanceof InputError) return { status: 'failed', detail: error.message };
      throw error;
    }
  }
}
