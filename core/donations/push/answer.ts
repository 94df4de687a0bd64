import type { Sql } from '../../../db/sql.ts';
import { answerAkid } from '../../../domain/akid.ts';
import { titleOf } from '../../../domain/page-types.ts';
import { fieldsSql } from '../../people/custom-fields.ts';
import { ON_PUSH, orderSql, uriSql } from '../shown.ts';

const SELECT = `
  select a.user_id, a.mailing_id, a.taken_with,
    json_build_object(
      'akid', null,
      'created_at', ${ON_PUSH.time('a.created_at')},
      'created_user', a.created_user,
      'fields', ${fieldsSql('core_actionfield', 'a.id')},
      'id', a.id,
      'ip_address', a.ip_address,
      'is_forwarded', a.is_forwarded,
      'link', a.link,
      'mailing', ${uriSql('mailing', 'a.mailing_id')},
      'opq_id', a.opq_id,
      'order', ${orderSql('a.id', ON_PUSH)},
      'page', ${uriSql('donationpage', 'a.page_id')},
      'referring_mailing', ${uriSql('mailing', 'a.referring_mailing_id')},
      'referring_user', ${uriSql('user', 'a.referring_user_id')},
      'resource_uri', ${uriSql('donationaction', 'a.id')},
      'source', a.source,
      'status', a.status,
      'subscribed_user', a.subscribed_user,
      'taf_emails_sent', null,
      'type', '${titleOf('donation')}',
      'updated_at', ${ON_PUSH.time('a.updated_at')},
      'user', ${uriSql('user', 'a.user_id')}) as action
  from core_action a where a.id = $1`;

/** The donation action as a push answers with it, or null when it is gone. */
export async function pushedAction(sql: Sql, actionId: number, secret: string): Promise<Record<string, unknown> | null> {
  const [row] = await sql<{ user_id: number; mailing_id: number | null; taken_with: string; action: Record<string, unknown> }>(SELECT, [
    actionId,
  ]);
  return row ? { ...row.action, akid: answerAkid(secret, row.mailing_id, row.user_id, row.taken_with) } : null;
}
