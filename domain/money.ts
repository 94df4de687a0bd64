import { Big } from 'big.js';

// Money is decimal from the wire to the table and back: text, Big, numeric; never a float. big.js, because its sums and products are exact, whatever
// their length: there is no working precision to be set too low. It rounds only where we say so.

export type Money = Big;

/** Decimals of an amount in the currency it was given in. */
const CENTS = 2;
/** Decimals of an amount converted to US dollars, as stored. */
const CONVERTED_DECIMALS = 10;
/** Half up, as PostgreSQL's round() does it: reports come to the same cent. */
const { roundHalfUp } = Big;

/** What the columns hold. */
const LARGEST = new Big('999999999999.99');
const LARGEST_CONVERTED = new Big('99999999999999');

/** What is wrong with an amount; the message follows the field's name. */
export class AmountError extends Error {}

/** `10`, `10.5`, `10.00`: more than zero, at most two decimals. @throws AmountError */
export function readAmount(text: string): Money {
  if (!/^\d{1,20}(\.\d{1,2})?$/.test(text)) throw new AmountError('must be a decimal like 10.00');
  return checkTotal(new Big(text));
}

/**
 * An amount as plain resources take it, text or a number of JSON: clients of these send `1` and `1.5`.
 * @returns two decimals, as stored
 * @throws AmountError
 */
export function readCents(value: unknown): string {
  return asCents(readAmount(textOf(value)));
}

/** @throws AmountError */
function textOf(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') throw new AmountError('must be a decimal like 10.00');
  return String(value);
}

/** An amount in US dollars with up to ten decimals, zero included, as text or a number of JSON. @throws AmountError */
export function readConverted(value: unknown): Money {
  const text = textOf(value);
  if (!/^\d{1,20}(\.\d{1,10})?$/.test(text)) throw new AmountError('must be a decimal like 10.00');
  return checkConverted(new Big(text));
}

/** @throws AmountError when it is nothing, or more than can be stored */
export function checkTotal(amount: Money): Money {
  if (amount.lte(0)) throw new AmountError('must be more than zero');
  if (amount.gt(LARGEST)) throw new AmountError('is more than can be stored');
  return amount;
}

function checkConverted(amount: Money): Money {
  if (amount.gt(LARGEST_CONVERTED)) throw new AmountError('is more than can be stored in US dollars');
  return amount;
}

export const sum = (amounts: readonly Money[]): Money => amounts.reduce((total, each) => total.plus(each), new Big(0));

/** Units of a currency and of the US dollar for one euro, as decimal texts. */
export interface Rates {
  currency: string;
  dollar: string;
}

/**
 * An amount in US dollars, to ten decimals.
 * @param rates null for US dollars themselves
 * @throws AmountError when there are more than can be stored
 */
export function inDollars(amount: Money, rates: Rates | null): Money {
  if (!rates) return amount;
  return checkConverted(divide(amount.times(rates.dollar), new Big(rates.currency)));
}

/** The part of `whole` that `part` is of `total`, to ten decimals. */
export const share = (whole: Money, part: Money, total: Money): Money => divide(whole.times(part), total);

/** Rounds a quotient half up to ten decimals. A class of our own: Big's division goes by settings of the class. */
const Quotient = Big();
Quotient.DP = CONVERTED_DECIMALS;
Quotient.RM = Big.roundHalfUp;

const divide = (dividend: Money, divisor: Money): Money => new Quotient(dividend).div(divisor);

/** `10.00` */
export const asCents = (amount: Money): string => amount.toFixed(CENTS, roundHalfUp);
/** `10.0000000000` */
export const asConverted = (amount: Money): string => amount.toFixed(CONVERTED_DECIMALS, roundHalfUp);

/** What is wrong with a price, or nothing: two decimals at most. */
export function priceProblem(text: string): string | undefined {
  return /^\d{1,12}(\.\d{1,2})?$/.test(text) ? undefined : 'must have at most two decimals';
}
