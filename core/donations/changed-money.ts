import { Big } from 'big.js';
import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { asConverted } from '../../domain/money.ts';
import { accountNamed } from './accounts.ts';
import { isShownTime } from './change-order.ts';
import { convertAnew, type Refuse } from './convert.ts';

/** Values by property of the entity; `account` comes as a name. */
export type Given = Record<string, unknown>;

export const refuseField: Refuse = (field, message) => new InputError({ [field]: message });

/** What a row about money held before a change. */
export interface MoneyBefore {
  amount: string;
  amount_converted: string;
  currency: string;
  created_second: number;
}

/**
 * Adds to a change of a row about money what follows from it in every such row: the dollars follow amount and currency, an account is found by its
 * name, and a time sent back as it was shown is no change.
 * @throws InputError by field
 */
export async function completeMoney(sql: Sql, given: Given, before: MoneyBefore): Promise<void> {
  const amount = (given['amount'] as string | undefined) ?? before.amount;
  const currency = (given['currency'] as string | undefined) ?? before.currency;
  if (amount !== before.amount || currency !== before.currency) {
    const money = { amount: before.amount, converted: before.amount_converted, currency: before.currency };
    given['amountConverted'] = asConverted(await convertAnew(sql, money, new Big(amount), currency, refuseField));
  }
  if (given['account'] !== undefined) given['account'] = await accountNamed(sql, given['account'] as string);
  if (isShownTime(given['createdAt'], before.created_second)) delete given['createdAt'];
}
