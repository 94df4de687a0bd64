import { Big } from 'big.js';
import type { Sql } from '../../db/sql.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { asConverted } from '../../domain/money.ts';
import { accountNamed } from './accounts.ts';
import { isShownTime } from './change-order.ts';
import { convert, convertAnew, type Refuse } from './convert.ts';
import { followPayments } from './derived.ts';
import { giveBack, takeBack } from './reverse.ts';

/** Values by property of the entity; `account` comes as a name. */
type Given = Record<string, unknown>;

const refuse: Refuse = (field, message) => new InputError({ [field]: message });

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
  given['amountConverted'] ??= asConverted(await convert(sql, new Big(given['amount'] as string), given['currency'] as string, refuse));
}

/** Lets the order follow a payment that was added. */
export async function followNewTransaction(sql: Sql, { type, order }: Given): Promise<void> {
  if (type === 'sale') await followPayments(sql, order as number);
}

interface TransactionRow {
  order_id: number;
  type: string;
  status: string;
  amount: string;
  amount_converted: string;
  currency: string;
  created_second: number;
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
  const amount = (given['amount'] as string | undefined) ?? before.amount;
  const currency = (given['currency'] as string | undefined) ?? before.currency;
  if (amount !== before.amount || currency !== before.currency) {
    const money = { amount: before.amount, converted: before.amount_converted, currency: before.currency };
    given['amountConverted'] = asConverted(await convertAnew(sql, money, new Big(amount), currency, refuse));
  }
  if (given['account'] !== undefined) given['account'] = await accountNamed(sql, given['account'] as string);
  if (isShownTime(given['createdAt'], before.created_second)) delete given['createdAt'];
  const status = given['status'] ?? before.status;
  if (status === before.status || before.type !== 'sale') return;
  if (status === 'reversed' && before.status === 'completed') await giveBack(sql, before.order_id, id);
  else if (status === 'completed' && before.status === 'reversed') await takeBack(sql, before.order_id, id);
  else await sql('update core_transaction set status = $2, updated_at = now() where id = $1', [id, status]);
  await followPayments(sql, before.order_id);
}
