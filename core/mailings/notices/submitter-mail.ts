import { sqlOn } from '../../../db/sql.ts';
import { run, tables } from '../../../entities/tables.ts';
import { usableAddress } from '../../../mail/address.ts';
import { composePlainMail } from '../../../mail/plain-mail.ts';
import { NEVER_MAILED, neverMailed } from '../../people/never-mailed.ts';
import type { Ending, ReadyMail } from '../../people/send-once.ts';
import { relayFor } from '../../sending/relay-chain.ts';
import { SENT_SO_FAR } from '../counts.ts';
import type { Notice, NoticeDeps } from './notice.ts';

const HEADLINE: Record<string, string> = {
  completed: 'is completed',
  stopped: 'was stopped',
  died: 'has died: it cannot go on',
  not_sent: 'was not sent and is a draft again',
};

/** Tells the submitter of a mailing how it ended, with its numbers as they are now. */
export async function submitterMail(deps: NoticeDeps, notice: Notice): Promise<ReadyMail | Ending> {
  const { pool, env } = deps;
  const accounts = tables.selectFrom('auth_user').where('id', '=', notice.account_id).where('is_active', '=', true);
  const [account] = await run(sqlOn(pool), accounts.select('email'));
  const to = usableAddress(account?.email ?? '');
  if (to === null) return { status: 'skipped', detail: 'the submitter has no address, or no active account any more' };
  if ((await neverMailed(sqlOn(pool), [to]))(to)) return { status: 'skipped', detail: NEVER_MAILED };
  const { rows } = await pool.query<{
    subject: string | null;
    started_at: Date | null;
    finished_at: Date | null;
    counts: Record<string, number>;
  }>(
    `select (select text from core_mailingsubject s where s.mailing_id = m.id order by position limit 1) as subject, started_at, finished_at,
        jsonb_build_object('targeted', coalesce(expected_send_count, 0), 'accepted', sent.accepted, 'failed', sent.failed, 'skipped', sent.skipped,
          'uncertain', sent.uncertain) as counts
      from core_mailing m, ${SENT_SO_FAR} where id = $1`,
    [notice.mailing_id],
  );
  const mailing = rows[0]!;
  const headline = `Mailing ${notice.mailing_id} ${HEADLINE[notice.kind]}`;
  const { targeted = 0, accepted = 0, failed = 0, skipped = 0, uncertain = 0 } = mailing.counts;
  const numbers = {
    'accepted by the relay': accepted,
    'refused by the relay': failed,
    skipped,
    uncertain,
    'not sent': targeted - accepted - failed - skipped - uncertain,
  };
  const paragraphs = [
    `${headline}.`,
    mailing.subject && `Subject: ${mailing.subject}`,
    notice.reasons.map((reason) => `Why: ${reason}`).join('\n'),
    mailing.started_at &&
      Object.entries(numbers)
        .map(([what, many]) => `${String(many).padStart(10)}  ${what}`)
        .join('\n'),
    mailing.started_at && `Begun ${shown(mailing.started_at)}${mailing.finished_at ? `, ended ${shown(mailing.finished_at)}` : ''}.`,
    `${env.BASE_URL}/rest/v1/mailer/${notice.mailing_id}/`,
  ];
  const text = `${paragraphs.filter(Boolean).join('\n\n')}\n`;
  const messageId = `notice-${notice.name}@${env.MAIL_DOMAIN}`;
  const mail = await composePlainMail({ from: env.DEFAULT_FROM, to, subject: headline, messageId, text }, env.MAIL_DOMAIN);
  return { mail, relay: await relayFor(deps, env.DEFAULT_FROM) };
}

const shown = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
