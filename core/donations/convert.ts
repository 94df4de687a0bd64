import { Big } from 'big.js';
import type { Sql } from '../../db/sql.ts';
import { AmountError, inDollars, type Money, share } from '../../domain/money.ts';
import { findRates } from './rates.ts';

/** Makes the error that says what is wrong with a field: pushes and resources answer in different forms. */
export type Refuse = (field: 'amount' | 'currency', message: string) => Error;

/** An amount in US dollars at the stored rates. @throws what `refuse` makes of a currency without a rate, or an amount too large */
export async function convert(sql: Sql, amount: Money, currency: string, refuse: Refuse): Promise<Money> {
  const rates = await findRates(sql, currency);
  if (rates === undefined) throw refuse('currency', `There is no stored rate for ${currency}.`);
  try {
    return inDollars(amount, rates);
  } catch (error) {
    if (error instanceof AmountError) throw refuse('amount', `amount ${error.message}.`);
    throw error;
  }
}

/** What was converted before. */
export interface Converted {
  amount: string;
  converted: string;
  currency: string;
}

/** At the stored rates; where there is none for a currency that stays the same, at the rate of before. */
export async function convertAnew(sql: Sql, before: Converted, amount: Money, currency: string, refuse: Refuse): Promise<Money> {
  if (currency === before.currency && (await findRates(sql, currency)) === undefined) {
    return share(new Big(before.converted), amount, new Big(before.amount));
  }
  return convert(sql, amount, currency, refuse);
}
