import { ApplicationFailure } from '@temporalio/activity';
import { InputError } from '../../domain/errors.ts';
import { recipientColumns } from '../../entities/sending/recipient-columns.ts';
import { type Outcome, RenderError } from '../../mail/contracts.ts';
import { compileOneOff } from '../../mail/one-off.ts';
import type { ActivityDeps } from '../deps.ts';
import { relayFor } from '../signing.ts';
import { composeNotification } from './notify.ts';

type Ending = { status: 'sent' | 'failed' | 'uncertain' | 'skipped'; detail: string };

const CONTENT = `
  select m.user_id, f.email_subject as subject, f.email_body as html, coalesce(nullif(f.email_custom_from, ''), l.from_line) as from_line,
    w.template, w.text_template, w.unsubscribe_text, w.unsubscribe_html
  from core_transactionalmailing m join core_action a on a.id = m.action_id join core_pagefollowup f on f.page_id = a.page_id
  left join lateral (select from_line from core_fromline x where x.id = f.email_from_line_id or (f.email_from_line_id is null and x.is_default)
    order by x.id = f.email_from_line_id desc nulls last limit 1) l on true
  left join core_emailwrapper w on w.id = f.email_wrapper_id
  where m.id = $1`;

/**
 * Sends one confirmation, or one notification of an action. It is marked `sending` and committed before the relay can have it; whoever finds it so after a crash cannot know
 * whether it went out, and says uncertain instead of sending it twice.
 * @throws ApplicationFailure when the relay is not taking mail: it is pending again, to be tried later
 */
export async function sendConfirmation(deps: Pick<ActivityDeps, 'pool' | 'env' | 'relay'>, mailId: number): Promise<void> {
  const { pool, env } = deps;
  const claimed = await pool.query<{ status: string; kind: string }>(
    `update core_transactionalmailing m set status = case m.status when 'pending' then 'sending' else 'uncertain' end, updated_at = now(),
       detail = case m.status when 'pending' then '' else 'the worker ended while this mail was on its way to the relay' end
     where id = $1 and status in ('pending', 'sending') returning status, kind`,
    [mailId],
  );
  const claim = claimed.rows[0];
  if (claim?.status !== 'sending') return;
  const outcome = await (claim.kind.startsWith('notification') ? notify() : confirm());
  if (outcome === 'again') {
    await pool.query(`update core_transactionalmailing set status = 'pending', updated_at = now() where id = $1`, [mailId]);
    throw ApplicationFailure.retryable('the relay is not taking mail', 'RelayDown');
  }
  await pool.query(
    `update core_transactionalmailing set status = $2, detail = $3, updated_at = now(), sent_at = case when $2 = 'sent' then now() end where id = $1`,
    [mailId, outcome.status, outcome.detail.slice(0, 500)],
  );

  async function notify(): Promise<Ending | 'again'> {
    const mail = await composeNotification(pool, mailId, env);
    if (!mail) return { status: 'skipped', detail: 'the action is gone' };
    return endingOf(await (await relayFor(deps, env.DEFAULT_FROM)).send(mail));
  }

  async function confirm(): Promise<Ending | 'again'> {
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
      const settings = { baseUrl: env.BASE_URL, mailDomain: env.MAIL_DOMAIN, secretKey: env.SECRET_KEY };
      const from = row.from_line ?? env.DEFAULT_FROM;
      const mail = compileOneOff({ subject: row.subject, html: row.html, from, wrapper }, settings);
      const found = await pool.query(
        `select u.id as user_id, 0 as position, u.email${recipientColumns(mail.compiled)} from core_user u where u.id = $1`,
        [row.user_id],
      );
      if (!found.rows[0]) return { status: 'skipped', detail: 'this user no longer exists' };
      const relay = await relayFor(deps, from);
      return endingOf(await relay.send(mail.render(found.rows[0], mailId), undefined, true));
    } catch (error) {
      if (error instanceof RenderError || error instanceof InputError) return { status: 'failed', detail: error.message };
      throw error;
    }
  }
}

function endingOf(outcome: Outcome): Ending | 'again' {
  switch (outcome.kind) {
    case 'accepted':
      return { status: 'sent', detail: '' };
    case 'failed':
      return { status: 'failed', detail: outcome.reply };
    case 'uncertain':
      return { status: 'uncertain', detail: outcome.reply };
    default:
      return 'again';
  }
}
