import type { Sql } from '../../db/sql.ts';
import { run, tables } from '../../entities/tables.ts';
import { removeOrder } from '../donations/change-order.ts';
import { holdOrderOf } from '../donations/hold-order.ts';
import { takeBackSignup } from '../events/take-back.ts';
import { holdPerson } from '../people/hold-person.ts';

const ordersOf = (sql: Sql, actionId: number) => run(sql, tables.selectFrom('core_order').where('action_id', '=', actionId).select('id'));

/** Whether an action is a donation with an order. */
export async function hasOrder(sql: Sql, actionId: number): Promise<boolean> {
  return (await ordersOf(sql, actionId)).length > 0;
}

/** Before an action is held that is to be changed or deleted: whose it is, and its order. */
export async function holdBeforeAction(sql: Sql, id: number): Promise<void> {
  await holdPerson(sql, 'core_action', id);
  await holdOrderOf(sql, 'core_action', id);
}

/**
 * Deletes an action with what exists by it alone: its fields, what it reported of targets, the order of a donation with all its parts, that somebody comes to an event.
 * What it did to people stays: their lists, and the history of these, which names no action then (a trigger sees to it). A mail that was not sent yet finds no action and is skipped.
 */
export async function deleteAction(sql: Sql, id: number): Promise<void> {
  await takeBackSignup(sql, id);
  for (const order of await ordersOf(sql, id)) await removeOrder(sql, order.id);
  await run(sql, tables.deleteFrom('core_action').where('id', '=', id));
}
