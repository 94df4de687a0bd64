import { Big } from 'big.js';
import type { Sql } from '../../db/sql.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { asConverted } from '../../domain/money.ts';
import { isCanceled } from '../../domain/recurring.ts';
import type { RecurringStatus } from '../../domain/words.ts';
import { accountNamed } from './accounts.ts';
import { isShownTime } from './change-order.ts';
import { convertAnew, type Refuse } from './convert.ts';

interface ProfileRow {
  amount: string;
  amount_converted: string;
  currency: string;
  recurring_id: string;
  account_id: number;
  canceled_at: unknown;
  created_second: number;
}

const READ = `
  select amount::text, amount_converted::text, currency, recurring_id, account_id, canceled_at,
    extract(epoch from date_trunc('second', created_at))::float8 as created_second
  from core_orderrecurring where id = $1`;

const refuse: Refuse = (field, message) => new InputError({ [field]: message });

/** Adds to a change of a recurring profile what follows from it in its own row. The row is held. @throws InputError by field */
export async function completeProfile(sql: Sql, id: number, given: Record<string, unknown>): Promise<void> {
  const [before] = await sql<ProfileRow>(READ, [id]);
  if (!before) throw new NotFoundError();
  const amount = (given['amount'] as string | undefined) ?? before.amount;
  const currency = (given['currency'] as string | undefined) ?? before.currency;
  if (amount !== before.amount || currency !== before.currency) {
    const money = { amount: before.amount, converted: before.amount_converted, currency: before.currency };
    given['amountConverted'] = asConverted(await convertAnew(sql, money, new Big(amount), currency, refuse));
  }
  if (given['account'] !== undefined) given['account'] = await accountNamed(sql, given['account'] as string);
  if (given['cardNum'] !== undefined) given['cardNum'] = (given['cardNum'] as string).slice(-4);
  if (isShownTime(given['createdAt'], before.created_second)) delete given['createdAt'];
  if (given['status'] !== undefined) {
    given['canceledAt'] = isCanceled(given['status'] as RecurringStatus) ? (before.canceled_at ?? new Date()) : null;
  }
  // Both, since together they are unique: a conflict is told by who holds the two.
  given['account'] ??= before.account_id;
  given['recurringId'] ??= before.recurring_id;
}
