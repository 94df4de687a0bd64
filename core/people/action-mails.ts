import type { Sql } from '../../db/sql.ts';

/** Most addresses that are told of an action on one page. */
export const MOST_NOTIFIED = 20;

/**
 * Writes down which mails an action on a page means, as its followup says: the confirmation to the person (when `confirm`), and a notification to
 * each address that is to be told. In the transaction of the action, so that there is never one without the other. Who is blackholed gets none.
 * @param wish `most`: confirmations the person may get in an hour; null is as many as there are. Strangers may fill in anybody's address. Those of a time to come, but for some that
 * are written just now, are of before the clock of the database was set back
 * @returns ids of the mails, each for a run of its own
 */
export async function askForMails(
  sql: Sql,
  action: { id: number; userId: number; pageId: number },
  { confirm, most = null }: { confirm: boolean; most?: number | null },
): Promise<number[]> {
  const mails = await sql<{ id: number }>(
    `insert into core_transactionalmailing (user_id, action_id, kind, email)
     select u.id, $1, m.kind, m.email from core_user u join core_pagefollowup f on f.page_id = $3
     cross join lateral (
       select 'confirmation' as kind, u.email where $4 and f.send_email and (f.email_subject <> '' or f.email_body <> '')
         and ($5::int is null or $5 > (select count(*) from core_transactionalmailing t
           where t.user_id = u.id and t.kind = 'confirmation' and t.created_at between now() - interval '1 hour' and now() + interval '1 minute'))
       union all select 'notification-' || n, address from jsonb_array_elements_text(f.notifications) with ordinality x (address, n)
         where f.send_notifications and n <= ${MOST_NOTIFIED}
     ) m
     where u.id = $2 and not exists (select from core_blackholedemail b where b.email = lower(m.email))
     on conflict (action_id, kind) do nothing returning id`,
    [action.id, action.userId, action.pageId, confirm, most],
  );
  return mails.map(({ id }) => id);
}
