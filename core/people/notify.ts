import type { Env } from '../../config/env.ts';
import type { Pool } from '../../db/driver.ts';
import { akidDigest } from '../../domain/akid.ts';
import { NAME_AND_ADDRESS } from '../../domain/people/person-columns.ts';
import type { Mail } from '../../mail/contracts.ts';
import { composePlainMail } from '../../mail/plain-mail.ts';
import { rowName } from '../row-name.ts';

const COLUMNS = ['email', ...NAME_AND_ADDRESS] as const;

const ACTION = `
  select ${rowName('m')} as name, m.email as address, m.action_id, p.name as page, coalesce(nullif(p.title, ''), p.name) as title, p.type,
    to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as done_at, ${COLUMNS.map((column) => `u.${column}`).join(', ')},
    array(select array[f.name, f.value] from core_actionfield f where f.parent_id = a.id order by f.id) as fields
  from core_transactionalmailing m join core_action a on a.id = m.action_id join core_page p on p.id = a.page_id join core_user u on u.id = a.user_id
  where m.id = $1`;

/** What strangers typed is cut off here: it is a note, not an archive. */
const LONGEST_VALUE = 2000;
/** Of this or that program that shows mails. */
const LINE_ENDS = /[\r\n\v\f\u0085\u2028\u2029]+/g;

/**
 * The mail that tells somebody of an action on a page: who, what they sent, where to look. Plain text, so that nothing in it does anything.
 * @returns null when the action is gone
 */
export async function composeNotification(
  pool: Pool,
  mailId: number,
  env: Pick<Env, 'BASE_URL' | 'MAIL_DOMAIN' | 'DEFAULT_FROM' | 'SECRET_KEY'>,
): Promise<Mail | null> {
  const { rows } = await pool.query(ACTION, [mailId]);
  const action = rows[0];
  if (!action) return null;
  const person = COLUMNS.filter((column) => action[column] !== '').map((column) => [column, action[column] as string]);
  // Whatever ends lines in it, no line may look like one of ours: strangers say what a field is called, too.
  const line = ([name, value]: string[]) => `${name}: ${value!.slice(0, LONGEST_VALUE)}`.replace(LINE_ENDS, '\n    ');
  const text = [
    `${action.title} (${action.type} page ${action.page}), ${action.done_at} UTC`,
    '',
    ...person.map(line),
    ...(action.fields.length > 0 ? ['', ...action.fields.map(line)] : []),
    '',
    `${env.BASE_URL}/rest/v1/action/${action.action_id}/`,
    '',
  ].join('\n');
  const digest = akidDigest(env.SECRET_KEY, `one-off.${action.name}`).slice(0, 16);
  // Not the bounce address of the person who acted: they are not to be taken off lists because a colleague's box is full.
  return composePlainMail(
    {
      from: env.DEFAULT_FROM,
      to: action.address,
      subject: `Action on ${action.title}`,
      messageId: `one-off.${action.name}.${digest}@${env.MAIL_DOMAIN}`,
      text,
    },
    env.MAIL_DOMAIN,
  );
}
