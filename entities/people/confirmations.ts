import type { Sql } from '../sql.ts';

/**
 * Writes down that a person is to get the confirmation of an action, where the page's followup sends one: in the transaction of the action, so
 * that there is never one without the other. Who is blackholed gets none.
 * @returns the id of the mail, for its run; null when none is to be sent
 */
export async function askForConfirmation(sql: Sql, action: { id: number; userId: number; pageId: number }): Promise<number | null> {
  const [mail] = await sql<{ id: number }>(
    `insert into core_transactionalmailing (user_id, action_id, kind, email)
     select u.id, $1, 'confirmation', u.email from core_user u, core_pagefollowup f
     where u.id = $2 and f.page_id = $3 and f.send_email and (f.email_subject <> '' or f.email_body <> '')
       and not exists (select from core_blackholedemail b where b.email = lower(u.email))
     on conflict (action_id, kind) do nothing returning id`,
    [action.id, action.userId, action.pageId],
  );
  return mail?.id ?? null;
}
