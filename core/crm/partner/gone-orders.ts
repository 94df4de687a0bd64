import type { Sql } from '../../../db/sql.ts';

// What was begun for an order and its payments, and what the partner system said of it when it refused, ends when they do: the integration, which comes back to
// what is there alone, would keep it for ever. A try under way finds that it has lost its intent, and then nothing to send.

const dropOf = (orders: string): string => `
  delete from partner_intent where (kind = 'order' and local_id in (${orders}))
    or (kind = 'transaction' and local_id in (select t.id from core_transaction t where t.order_id in (${orders})))`;

const OF_ORDER = dropOf('select $1::int');
const OF_USER = dropOf('select o.id from core_order o where o.user_id = $1::int');

/** Before an order is deleted. */
export async function dropOrderIntents(sql: Sql, orderId: number): Promise<void> {
  await sql(OF_ORDER, [orderId]);
}

/** Before a user is deleted with all their orders; what was said of the user themselves goes, too, while whom they were there is still to be told. */
export async function dropUserIntents(sql: Sql, userId: number): Promise<void> {
  await sql(OF_USER, [userId]);
  await sql(`update partner_intent set error = '' where kind = 'user' and local_id = $1 and error <> ''`, [userId]);
}
