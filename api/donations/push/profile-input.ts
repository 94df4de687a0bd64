import type { CancelPush, PaymentPush, ProfilePush, UpdatePush } from '../../../core/donations/push/profile-input.ts';
import { idNamed } from '../../../domain/uris.ts';
import { readBody, readBoolean, readInteger, readTimestamp } from '../../../domain/values.ts';
import { CANCELERS, COMPLETED_TOO, PAYMENT_STATUSES, RECURRING_PERIODS } from '../../../domain/words.ts';
import { readDay } from './order-input.ts';
import { currencyCode, oneOf, PushObject, PushProblems } from './reading.ts';

const BODY = 'body';

/** @throws PushError by field, InputError for amounts */
function readProfilePush<More>(body: unknown, more: (given: PushObject) => More): ProfilePush & More {
  const problems = new PushProblems();
  const given = new PushObject(BODY, readBody(body), problems);
  const orderId = given.read('order_id', (value) => readInteger(idNamed(value, 'order')));
  const recurringId = given.text('recurring_id') || null;
  if (given.given('order_id') === undefined && recurringId === null) given.wrong('order_id', 'order_id or recurring_id is required.');
  const push = {
    orderId,
    recurringId: orderId === null ? recurringId : null,
    createdAt: given.read('created_at', readTimestamp),
    transId: given.text('trans_id'),
    ...more(given),
  };
  problems.throwAny(BODY);
  return push;
}

export const readPayment = (body: unknown): PaymentPush =>
  readProfilePush(body, (given) => {
    const success = given.readNeverBlank('success', readBoolean);
    const status = given.read('status', oneOf(PAYMENT_STATUSES, COMPLETED_TOO));
    return {
      amount: given.amount(),
      currency: given.read('currency', currencyCode),
      // Either says what the other leaves out.
      success: success ?? status !== 'failed',
      status: status ?? (success === false ? 'failed' : 'completed'),
      failureCode: unchecked(given.raw('failure_code')),
      failureDescription: unchecked(given.raw('failure_description')),
      failureMessage: unchecked(given.raw('failure_message')),
    };
  });

export const readUpdate = (body: unknown): UpdatePush =>
  readProfilePush(numberAsText(body), (given) => ({
    period: given.read('recurring_period', oneOf(RECURRING_PERIODS)),
    start: given.read('recurring_start', readDay),
    lastFour: given.text('card_num').slice(-4) || null,
    ...readExpiry(given),
    amount: given.amount(),
    currency: given.read('currency', currencyCode),
  }));

export const readCancel = (body: unknown): CancelPush =>
  readProfilePush(body, (given) => {
    if (given.given('canceled_by') === undefined) given.wrong('canceled_by', 'This field is required.');
    return { canceledBy: given.read('canceled_by', oneOf(CANCELERS)) ?? 'admin' };
  });

/** The amount of an update comes as a bare number, too: production clients send it so. */
function numberAsText(body: unknown): unknown {
  const amount = (body as { amount?: unknown } | null)?.amount;
  return typeof amount === 'number' ? { ...(body as object), amount: String(amount) } : body;
}

/** MM and YY (or YYYY), or both in exp_date as MMYY, which the single ones overrule. */
function readExpiry(given: PushObject): { expMonth: string | null; expYear: string | null } {
  const [month, year, both] = [given.text('exp_date_month'), given.text('exp_date_year'), given.text('exp_date')];
  if (month && !isMonth(month)) given.wrong('exp_date_month', 'exp_date_month must be a month of two digits.');
  if (year && !/^\d\d(\d\d)?$/.test(year)) given.wrong('exp_date_year', 'exp_date_year must be a year of two digits.');
  if (both && !(/^\d{4}$/.test(both) && isMonth(both.slice(0, 2)))) given.wrong('exp_date', 'exp_date must be of the form MMYY.');
  return { expMonth: month || both.slice(0, 2) || null, expYear: year.slice(-2) || both.slice(2) || null };
}

const isMonth = (text: string): boolean => /^(0[1-9]|1[0-2])$/.test(text);

/** Whatever a processor said, as text. */
function unchecked(value: unknown): string {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  return text.replaceAll('\0', '').toWellFormed();
}
