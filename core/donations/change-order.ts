import { Big } from 'big.js';
import type { Sql } from '../../db/sql.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { asConverted } from '../../domain/money.ts';
import { fragment, run, statement, tables } from '../../entities/tables.ts';
import { dropOrderIntents } from '../crm/partner/gone-orders.ts';
import { accountNamed } from './accounts.ts';
import { convertAnew, type Refuse } from './convert.ts';
import { giveBack, takeBack } from './reverse.ts';

/** Values by property of the entity, as the caller gave them and as they go into the row; `account` comes as a name. */
type Given = Record<string, unknown>;

/** When a row was created, as a GET shows it: in seconds since 1970. */
export const CREATED_SECOND = fragment<number>`extract(epoch from date_trunc('second', created_at))::float8`;

const orderOf = statement(({ id }: { id: number }) =>
  tables
    .selectFrom('core_order')
    .where('id', '=', id)
    .select(['status', 'currency', 'user_id', 'action_id', CREATED_SECOND.as('created_second')])
    .select(({ cast }) => [cast<string>('total', 'text').as('total'), cast<string>('total_converted', 'text').as('total_converted')]),
);

const refuse: Refuse = (field, message) => new InputError({ [field === 'amount' ? 'total' : field]: message });

/**
 * Adds to a change of an order what follows from it in its own row, and moves its payments where money goes or comes back. The row is held.
 * @throws InputError by field
 */
export async function completeOrder(sql: Sql, id: number, given: Given): Promise<void> {
  const [before] = await orderOf(sql, { id });
  if (!before) throw new NotFoundError();
  const total = (given['total'] as string | undefined) ?? before.total;
  const currency = (given['currency'] as string | undefined) ?? before.currency;
  if (total !== before.total || currency !== before.currency) {
    const money = { amount: before.total, converted: before.total_converted, currency: before.currency };
    given['totalConverted'] = asConverted(await convertAnew(sql, money, new Big(total), currency, refuse));
  }
  if (given['account'] !== undefined) given['account'] = await accountNamed(sql, given['account'] as string);
  if (isShownTime(given['createdAt'], before.created_second)) delete given['createdAt'];
  if (given['action'] !== undefined && given['action'] !== before.action_id)
    await checkAction(sql, given['action'] as number, before.user_id);
  const status = given['status'] ?? before.status;
  if (status !== before.status) {
    if (status === 'reversed') await giveBack(sql, id, null);
    // Also where it stood as something else in between.
    else if (status === 'completed' && (before.status === 'reversed' || !(await isPaid(sql, id)))) await takeBack(sql, id, null);
  }
}

/** Whether a payment of it counts. */
async function isPaid(sql: Sql, orderId: number): Promise<boolean> {
  const paid = tables
    .selectFrom('core_transaction')
    .where('order_id', '=', orderId)
    .where('type', '=', 'sale')
    .where('status', '=', 'completed');
  return (await run(sql, paid.select('id').limit(1))).length > 0;
}

/**
 * Whether a time is the stored one as a GET shows it, to the second: whoever sends a whole object back means no change.
 * @param second of the stored time, since 1970
 */
export function isShownTime(given: unknown, second: number): boolean {
  return given instanceof Date && given.getTime() === Number(second) * 1000;
}

/** @throws InputError unless it is a donation of the same person that has no order */
async function checkAction(sql: Sql, actionId: number, userId: number): Promise<void> {
  const [action] = await sql<{ type: string; user_id: number; taken: boolean }>(
    `select p.type, a.user_id, exists (select from core_order o where o.action_id = a.id) as taken
     from core_action a join core_page p on p.id = a.page_id where a.id = $1`,
    [actionId],
  );
  const wrong = (message: string) => new InputError({ action: message });
  if (action?.type !== 'donation') throw wrong('This action was not done on a donation page.');
  if (action.user_id !== userId) throw wrong('This action is of somebody else.');
  if (action.taken) throw wrong('This action has an order of its own.');
}

/** Deletes an order that came to nothing, with all its parts; its action stays. @throws InputError when it is not incomplete */
export async function deleteOrder(sql: Sql, id: number): Promise<void> {
  const [order] = await run(sql, tables.selectFrom('core_order').where('id', '=', id).select('status'));
  if (order!.status !== 'incomplete') {
    throw new InputError({
      status: `Only an incomplete order can be deleted; this one is ${order!.status}. POST to …/reverse/ gives it back.`,
    });
  }
  await removeOrder(sql, id);
}

/** Removes an order with its parts and the name and address given with it; one that goes at this moment is waited for, and has gone. */
export async function removeOrder(sql: Sql, id: number): Promise<void> {
  await dropOrderIntents(sql, id);
  const [gone] = await run(sql, tables.deleteFrom('core_order').where('id', '=', id).returning('user_detail_id'));
  if (!gone) return;
  await sql('delete from core_orderuserdetail d where d.id = $1 and not exists (select from core_order o where o.user_detail_id = d.id)', [
    gone.user_detail_id,
  ]);
}
