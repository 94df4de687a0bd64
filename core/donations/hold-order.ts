import type { Sql } from '../../db/sql.ts';
import { holdPerson } from '../people/hold-person.ts';

// Whoever changes a part of a donation holds its person first, then the order, then its profile, its payments or its action: a DELETE of the person or the order, which takes
// all of them, comes that way.

export interface HeldOrder {
  user_id: number;
  account_id: number;
  currency: string;
  status: string;
}

/** Holds an order until the transaction ends, and before it whose it is. @returns null when there is none */
export async function holdOrder(sql: Sql, id: number): Promise<HeldOrder | null> {
  await holdPerson(sql, 'core_order', id);
  const [order] = await sql<HeldOrder>('select user_id, account_id, currency, status from core_order where id = $1 for no key update', [
    id,
  ]);
  return order ?? null;
}

const PARTS = {
  core_action: 'select id from core_order where action_id = $1',
  core_orderrecurring: 'select order_id as id from core_orderrecurring where id = $1',
  core_transaction: 'select order_id as id from core_transaction where id = $1',
};

/** The same before one of its payments, or the action it was given by, is held. */
export async function holdOrderOf(sql: Sql, part: keyof typeof PARTS, id: number): Promise<void> {
  for (const order of await sql<{ id: number }>(PARTS[part], [id])) await holdOrder(sql, order.id);
}
