import type { DetailInput, OrderInput } from '../../../core/donations/push/donation-input.ts';
import { type AmountError, checkTotal, type Money, readConverted, sum } from '../../../domain/money.ts';
import { expiry } from '../../../domain/recurring.ts';
import { readDate, readInteger, readShortText, readTimestamp } from '../../../domain/values.ts';
import { RECURRING_PERIODS } from '../../../domain/words.ts';
import { currencyCode, oneOf, PushObject, type PushProblems, readMoney, unlessBlank } from './reading.ts';

const MOST_DETAILS = 1_000;

/** Reads `order` of a donation push. What is wrong goes to `problems`; the result is only good when there are none. */
export function readOrder(given: unknown, problems: PushProblems): OrderInput {
  const order = new PushObject('order', given, problems);
  const details = readDetails(order);
  const recurringId = order.text('recurring_id');
  const period = order.read('recurring_period', oneOf(RECURRING_PERIODS)) ?? 'months';
  const start = order.read('recurring_start', readDay);
  return {
    total: readTotal(order, details),
    details,
    lastFour: order.requiredText('card_num').slice(-4),
    expDate: readExpiry(order),
    createdAt: order.read('created_at', readTimestamp),
    donationDate: order.read('donation_date', readTimestamp),
    account: order.text('payment_account'),
    importId: order.text('donation_import_id') || order.text('import_id') || null,
    currency: order.read('currency', currencyCode) ?? order.read('donation_currency', currencyCode),
    totalConverted: order.read('total_converted', readDollars),
    transId: order.text('trans_id'),
    recurring: recurringId ? { id: recurringId, period, start } : null,
  };
}

function readTotal(order: PushObject, details: DetailInput[]): Money {
  const own = order.amount();
  const total = sum([...(own ? [own] : []), ...details.map(({ amount }) => amount)]);
  const parts = order.given('orderdetails') ?? [];
  if (order.given('amount') === undefined && Array.isArray(parts) && parts.length === 0) order.wrong('amount', 'This field is required.');
  // Of amounts that could not be read something has been said already.
  if (total.eq(0)) return total;
  try {
    checkTotal(total);
  } catch (error) {
    order.problems.addAmount(error as AmountError);
  }
  return total;
}

function readDetails(order: PushObject): DetailInput[] {
  const given = order.given('orderdetails');
  if (given === undefined) return [];
  const wrong = (message: string) => order.wrong('orderdetails', `orderdetails: ${message}`);
  if (!Array.isArray(given) || given.length > MOST_DETAILS) {
    wrong(`must be a list of at most ${MOST_DETAILS}.`);
    return [];
  }
  return given.flatMap((each) => {
    const { candidate, amount } = (typeof each === 'object' && each !== null ? each : {}) as Record<string, unknown>;
    const whom = readCandidate(candidate);
    if (!whom) wrong('each needs a candidate with a name or an id.');
    if (amount === undefined || amount === null) wrong('each needs an amount.');
    if (!whom || amount === undefined || amount === null) return [];
    const money = readMoney(amount, (message) => wrong(`amount ${message}`), order.problems);
    return money ? [{ candidate: whom, amount: money }] : [];
  });
}

function readCandidate(given: unknown): DetailInput['candidate'] | null {
  if (typeof given !== 'object' || given === null) return null;
  const { id, name } = given as Record<string, unknown>;
  try {
    if (unlessBlank(id) !== undefined) return { id: readInteger(id) };
    const text = readShortText(name);
    return text ? { name: text } : null;
  } catch {
    return null;
  }
}

function readExpiry(order: PushObject): string {
  const month = order.requiredText('exp_date_month');
  const year = order.requiredText('exp_date_year');
  const code = order.requiredText('card_code');
  if (month && !/^(0[1-9]|1[0-2])$/.test(month)) order.wrong('exp_date_month', 'exp_date_month must be a month of two digits.');
  if (year && !/^\d{4}$/.test(year)) order.wrong('exp_date_year', 'exp_date_year must be a year of four digits.');
  // Real codes may not be kept by anybody: one that is sent here was sent by mistake.
  if (code && code !== '007') order.wrong('card_code', 'card_code must be 007.');
  return expiry(month, year);
}

/** A day; of a timestamp its day in UTC. @throws Error */
export function readDay(value: unknown): string {
  return typeof value === 'string' && value.trim().length > 10 ? readTimestamp(value).slice(0, 10) : readDate(value);
}

function readDollars(value: unknown): Money {
  if (typeof value !== 'string') throw new Error('must be a string like "10.00", never a bare number');
  return readConverted(value);
}
