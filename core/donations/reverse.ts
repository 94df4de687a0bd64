import type { Sql } from '../../db/sql.ts';
import { NotFoundError, PushError } from '../../domain/errors.ts';
import type { TransactionStatus } from '../../domain/words.ts';
import { followOrder, followProfile } from './derived.ts';
import { holdOrder } from './hold-order.ts';

// Money that was given back. The sales are marked, and a credit says when and how much. Run inside one transaction.

const REVERSE = `
  with reversed as (
    update core_transaction set status = 'reversed', updated_at = now()
    where order_id = $1 and type = 'sale' and status = 'completed' and ($2::int is null or id = $2)
    returning id, order_id, account_id, amount, amount_converted, currency, trans_id
  ), given_back as (
    insert into core_transaction (type, order_id, account_id, amount, amount_converted, currency, trans_id, reversed_id)
    select 'credit', order_id, account_id, amount, amount_converted, currency, trans_id, id from reversed
  )
  select count(*)::int as reversed from reversed`;

/** Marks the completed payments of an order, or one of them, as given back. */
export async function giveBack(sql: Sql, orderId: number, transactionId: number | null): Promise<void> {
  const [given] = await sql<{ reversed: number }>(REVERSE, [orderId, transactionId]);
  if (given!.reversed > 0) await followProfile(sql, orderId);
}

/** Each payment that was not given back after all takes its credit with it: that money never went back. */
const UNDO = `
  with again as (
    update core_transaction set status = $3::text, updated_at = now()
    where order_id = $1 and type = 'sale' and status = 'reversed' and ($2::int is null or id = $2) returning id
  ), credit as (
    update core_transaction t set status = 'reversed', updated_at = now()
    from again where t.reversed_id = again.id and t.type = 'credit' and t.status = 'completed'
  )
  select count(*)::int as taken from again`;

/** The opposite: payments that were reversed by mistake are completed again, or what they were, and their credits are reversed. */
export async function takeBack(
  sql: Sql,
  orderId: number,
  transactionId: number | null,
  status: Exclude<TransactionStatus, 'reversed'> = 'completed',
): Promise<void> {
  const [back] = await sql<{ taken: number }>(UNDO, [orderId, transactionId, status]);
  if (back!.taken > 0) await followProfile(sql, orderId);
}

const refusal = (message: string) => new PushError({ order_id: message });

/** Reverses an order with all payments on it. @throws NotFoundError, PushError when it was reversed before */
export async function reverseOrder(sql: Sql, orderId: number): Promise<void> {
  const order = await holdOrder(sql, orderId);
  if (!order) throw new NotFoundError();
  if (order.status === 'reversed') throw refusal('This order has already been reversed.');
  await giveBack(sql, orderId, null);
  await markOrder(sql, orderId);
}

/** Reverses one payment; a one-time order that loses its payment is reversed too. @throws NotFoundError, PushError */
export async function reverseTransaction(sql: Sql, transactionId: number): Promise<void> {
  const [found] = await sql<{ order_id: number }>('select order_id from core_transaction where id = $1', [transactionId]);
  if (!found) throw new NotFoundError();
  await holdOrder(sql, found.order_id);
  const [transaction] = await sql<{ type: string; status: string }>('select type, status from core_transaction where id = $1', [
    transactionId,
  ]);
  // Clients compare the whole sentence, and take it for done.
  if (transaction?.status === 'reversed') throw refusal('Transaction has already been reversed.');
  if (transaction?.type !== 'sale' || transaction.status !== 'completed') {
    throw refusal('Only a completed payment can be reversed.');
  }
  await giveBack(sql, found.order_id, transactionId);
  const [rest] = await sql<{ open: boolean }>(
    `select exists (select from core_transaction where order_id = $1 and type = 'sale' and status = 'completed')
       or exists (select from core_orderrecurring where order_id = $1) as open`,
    [found.order_id],
  );
  if (!rest!.open) await markOrder(sql, found.order_id);
}

async function markOrder(sql: Sql, orderId: number): Promise<void> {
  await sql(`update core_order set status = 'reversed', updated_at = now() where id = $1`, [orderId]);
  await followOrder(sql, orderId);
}
