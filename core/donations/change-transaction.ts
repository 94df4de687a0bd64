import { Big } from 'big.js';
import type { Sql } from '../../db/sql.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { asConverted } from '../../domain/money.ts';
import { accountNamed } from './accounts.ts';
import { completeMoney, type Given, type MoneyBefore, refuseField } from './changed-money.ts';
import { convert } from './convert.ts';
import { followPayments } from './derived.ts';
import { giveBack, takeBack } from './reverse.ts';

/** Fills what a new transaction leaves out: account and currency of its order, the dollars at the stored rates. @throws InputError */
export async function completeNewTransaction(sql: Sql, given: Given): Promise<void> {
  const [order] = await sql<{ account_id: number; currency: string }>(
    'select account_id, currency from core_order where id = $1 for no key update',
    [given['order']],
  );
  if (!order) throw new InputError({ order: 'order refers to nothing.' });
  given['account'] = given['account'] === undefined ? order.account_id : await accountNamed(sql, given['account'] as string);
  given['currency'] ??= order.currency;
  given['type'] ??= 'sale';
  given['success'] ??= given['status'] !== 'failed';
  given['amountConverted'] ??= asConverted(
    await convert(sql, new Big(given['amount'] as string), given['currency'] as string, refuseField),
  );
}

/** Lets the order follow a payment that was added. */
export async function followNewTransaction(sql: Sql, { type, order }: Given): Promise<void> {
  if (type === 'sale') await followPayments(sql, order as number);
}

interface TransactionRow extends MoneyBefore {
  order_id: number;
  type: string;
  status: string;
}

const READ = `
  select order_id, type, status, amount::text, amount_converted::text, currency,
    extract(epoch from date_trunc('second', created_at))::float8 as created_second
  from core_transaction where id = $1`;

/** Adds to a change of a transaction what follows from it in its own row, and lets the order follow. The row is held. @throws InputError by field */
export async function completeTransaction(sql: Sql, id: number, given: Given): Promise<void> {
  const [before] = await sql<TransactionRow>(READ, [id]);
  if (!before) throw new NotFoundError();
  await sql('select id from core_order where id = $1 for no key update', [before.order_id]);
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
  const status = given['status'] ?? before.status;
  if (status === before.status || before.type !== 'sale') return;
  if (status === 'reversed' && before.status === 'completed') await giveBack(sql, before.order_id, id);
  else if (status === 'completed' && before.status === 'reversed') await takeBack(sql, before.order_id, id);
  else await sql('update core_transaction set status = $2, updated_at = now() where id = $1', [id, status]);
  await followPayments(sql, before.order_id);
}
