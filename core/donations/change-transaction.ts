import { Big } from 'big.js';
import type { Sql } from '../../db/sql.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { asConverted } from '../../domain/money.ts';
import type { TransactionStatus } from '../../domain/words.ts';
import { NOW, run, statement, tables } from '../../entities/tables.ts';
import { erasedByNow } from '../people/erased.ts';
import { accountNamed } from './accounts.ts';
import { CREATED_SECOND } from './change-order.ts';
import { completeMoney, type Given, refuseField } from './changed-money.ts';
import { convert } from './convert.ts';
import { followPayments, followProfile } from './derived.ts';
import { holdOrder } from './hold-order.ts';
import { giveBack, takeBack } from './reverse.ts';

/** What a processor said of somebody's payment: once they are erased it is not kept. */
const WORDS = ['failureDescription', 'failureMessage'];

/** Fills what a new transaction leaves out: account and currency of its order, the dollars at the stored rates. @throws InputError */
export async function completeNewTransaction(sql: Sql, given: Given): Promise<void> {
  const order = await holdOrder(sql, given['order'] as number);
  if (!order) throw new InputError({ order: 'order refers to nothing.' });
  if (WORDS.some((field) => given[field]) && (await erasedByNow(sql, order.user_id))) for (const field of WORDS) given[field] = '';
  given['account'] = given['account'] === undefined ? order.account_id : await accountNamed(sql, given['account'] as string);
  given['currency'] ??= order.currency;
  given['type'] ??= 'sale';
  given['success'] ??= ['completed', 'reversed'].includes((given['status'] as TransactionStatus | undefined) ?? 'completed');
  given['amountConverted'] ??= asConverted(
    await convert(sql, new Big(given['amount'] as string), given['currency'] as string, refuseField),
  );
}

/** Lets the order follow a payment that was added. */
export async function followNewTransaction(sql: Sql, { type, order }: Given): Promise<void> {
  if (type === 'sale') await followPayments(sql, order as number);
}

const transactionOf = statement(({ id }: { id: number }) =>
  tables
    .selectFrom('core_transaction')
    .where('id', '=', id)
    .select(['order_id', 'type', 'status', 'currency', CREATED_SECOND.as('created_second')])
    .select(({ cast }) => [cast<string>('amount', 'text').as('amount'), cast<string>('amount_converted', 'text').as('amount_converted')]),
);

/** Lets the profile follow a payment that was at another time: it may be the last one now, or no longer. */
export async function followChangedTime(sql: Sql, id: number, { createdAt }: Given): Promise<void> {
  if (createdAt === undefined) return;
  const [changed] = await transactionOf(sql, { id });
  if (changed?.type === 'sale') await followProfile(sql, changed.order_id);
}

/** Adds to a change of a transaction what follows from it in its own row, and lets the order follow. Its order and its row are held. @throws InputError by field */
export async function completeTransaction(sql: Sql, id: number, given: Given): Promise<void> {
  const [before] = await transactionOf(sql, { id });
  if (!before) throw new NotFoundError();
  if (WORDS.some((field) => given[field])) {
    const order = await holdOrder(sql, before.order_id);
    if (await erasedByNow(sql, order!.user_id)) for (const field of WORDS) given[field] = '';
  }
  for (const [field, stored] of [
    ['order', before.order_id],
    ['type', before.type],
  ] as const) {
    if (given[field] !== undefined && given[field] !== stored)
      throw new InputError({ [field]: `The ${field} of a transaction cannot be changed.` });
  }
  // The dollars follow the amount; whoever sends a whole object back sends them rounded.
  delete given['amountConverted'];
  await completeMoney(sql, given, before);
  const status = (given['status'] ?? before.status) as TransactionStatus;
  if (status === before.status || before.type !== 'sale') return;
  if (status === 'reversed' && before.status === 'completed') await giveBack(sql, before.order_id, id);
  else if (status !== 'reversed' && before.status === 'reversed') await takeBack(sql, before.order_id, id, status);
  else {
    const changed = tables.updateTable('core_transaction').set({ status, updated_at: NOW });
    await run(sql, changed.where('id', '=', id));
  }
  await followPayments(sql, before.order_id);
}
