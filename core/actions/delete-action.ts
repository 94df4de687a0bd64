import type { Sql } from '../../db/sql.ts';
import { removeOrder } from '../donations/change-order.ts';

/** Whether an action is a donation with an order. */
export async function hasOrder(sql: Sql, actionId: number): Promise<boolean> {
  return (await sql('select 1 from core_order where action_id = $1', [actionId])).length > 0;
}

/**
 * Deletes an action with what exists by it alone: its fields, what it reported of targets, the order of a donation with all its parts. What it did to
 * people stays: their lists, and the history of these, which names no action then. A mail that was not sent yet finds no action and is skipped.
 */
export async function deleteAction(sql: Sql, id: number): Promise<void> {
  const orders = await sql<{ id: number }>('select id from core_order where action_id = $1', [id]);
  for (const order of orders) await removeOrder(sql, order.id);
  // By the person: only that column has an index.
  await sql(
    `update core_subscriptionhistory set action = null
     where user_id = (select user_id from core_action where id = $1) and action = $1`,
    [id],
  );
  await sql('delete from core_action where id = $1', [id]);
}
