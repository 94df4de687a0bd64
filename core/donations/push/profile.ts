import { Big } from 'big.js';
import type { Sql } from '../../../db/sql.ts';
import { NotFoundError, PushError } from '../../../domain/errors.ts';
import { asCents, asConverted, type Money } from '../../../domain/money.ts';
import { afterCancel, afterPayment, isCanceled } from '../../../domain/recurring.ts';
import type { RecurringStatus, TransactionType } from '../../../domain/words.ts';
import { IMPORT_STUB } from '../../../entities/donations/payment-account.ts';
import { fragment, NOW, run, tables } from '../../../entities/tables.ts';
import { erasedByNow } from '../../people/erased.ts';
import { convertAnew, type Refuse } from '../convert.ts';
import { holdOrder, holdOrderOf } from '../hold-order.ts';
import { type CancelPush, newExpiry, type PaymentPush, type ProfilePush, type UpdatePush } from './profile-input.ts';

// What happens to a profile elsewhere, written down here. Each runs inside one transaction, holds the profile's row, and returns the id of the
// transaction it adds.

interface Profile {
  id: number;
  order_id: number;
  user_id: number;
  account_id: number;
  processor: string;
  amount: string;
  amount_converted: string;
  currency: string;
  exp_date: string;
  status: RecurringStatus;
}

const FIND = `
  select r.id, r.order_id, r.user_id, r.account_id, a.processor, r.amount::text, r.amount_converted::text, r.currency, r.exp_date, r.status
  from core_orderrecurring r join core_paymentaccount a on a.id = r.account_id`;

/** @throws PushError when none is meant, or more than one */
async function findProfile(sql: Sql, { orderId, recurringId }: ProfilePush): Promise<Profile> {
  const field = orderId === null ? 'recurring_id' : 'order_id';
  const meant = [orderId ?? recurringId];
  const found = await sql<{ order_id: number }>(
    `select order_id from core_orderrecurring where ${field} = $1 order by order_id limit 2`,
    meant,
  );
  if (found.length === 1) await holdOrder(sql, found[0]!.order_id);
  const rows = await sql<Profile>(`${FIND} where r.${field} = $1 for no key update of r`, meant);
  if (rows.length === 1) return rows[0]!;
  const orders = rows.map(({ order_id }) => order_id).sort((a, b) => a - b);
  const message =
    rows.length === 0
      ? `There is no recurring profile with ${field} ${orderId ?? recurringId}.`
      : `There are ${rows.length} recurring profiles with this recurring_id: name one by order_id (${orders.join(', ')}).`;
  throw new PushError({ [field]: [message] });
}

/** The profile, if it may be changed by a push. @throws PushError */
async function findStubProfile(sql: Sql, push: ProfilePush): Promise<Profile> {
  const profile = await findProfile(sql, push);
  if (profile.processor === IMPORT_STUB) return profile;
  const field = push.orderId === null ? 'recurring_id' : 'order_id';
  throw new PushError({ [field]: ['The account of this profile is not an import stub: the profile cannot be changed by a push.'] });
}

/** Adds a payment, or a failed attempt. */
export async function pushPayment(sql: Sql, push: PaymentPush): Promise<number> {
  const profile = await findProfile(sql, push);
  const amount = push.amount ?? new Big(profile.amount);
  const currency = push.currency ?? profile.currency;
  const status = afterPayment(profile.status, push.status);
  if (status !== profile.status && (await isLast(sql, profile, push))) await run(sql, withId(profile).set({ status, updated_at: NOW }));
  return addTransaction(sql, profile, push, {
    type: 'sale',
    amount,
    converted: await inDollarsOf(sql, profile, amount, currency),
    currency,
  });
}

/** Whether no payment of later counts: what a processor reports late, or history that is brought in, says nothing of how things stand. */
async function isLast(sql: Sql, { order_id }: Profile, push: PaymentPush): Promise<boolean> {
  const later = tables.selectFrom('core_transaction').where('order_id', '=', order_id).where('type', '=', 'sale');
  const counting = later.where('status', 'in', ['completed', 'failed']).where('created_at', '>', givenTime(push));
  return (await run(sql, counting.select('id').limit(1))).length === 0;
}

/** Changes what is sent, and nothing else. */
export async function pushUpdate(sql: Sql, push: UpdatePush): Promise<number> {
  const profile = await findStubProfile(sql, push);
  const amount = push.amount ?? new Big(profile.amount);
  const currency = push.currency ?? profile.currency;
  // What has been converted stays as it was while its money does.
  const same = amount.eq(profile.amount) && currency === profile.currency;
  const converted = same ? new Big(profile.amount_converted) : await inDollarsOf(sql, profile, amount, currency);
  const changed = withId(profile).set({
    ...(push.period && { period: push.period }),
    ...(push.start && { start: push.start }),
    ...(push.lastFour && { card_num: push.lastFour }),
    exp_date: newExpiry(profile.exp_date, push),
    amount: asCents(amount),
    amount_converted: asConverted(converted),
    currency,
    updated_at: NOW,
  });
  await run(sql, changed);
  return addTransaction(sql, profile, push, { type: 'recurring_order_update', amount, converted, currency });
}

/** Ends it. @throws PushError when it was ended before */
export async function pushCancel(sql: Sql, push: CancelPush): Promise<number> {
  const profile = await findStubProfile(sql, push);
  return cancelProfile(sql, profile, push);
}

/** Ends the profile with this id, of whatever account, as an admin does. @throws PushError */
export async function cancelByAdmin(sql: Sql, id: number): Promise<void> {
  await holdOrderOf(sql, 'core_orderrecurring', id);
  const [profile] = await sql<Profile>(`${FIND} where r.id = $1 for no key update of r`, [id]);
  if (!profile) throw new NotFoundError();
  await cancelProfile(sql, profile, { orderId: profile.order_id, recurringId: null, createdAt: null, transId: '', canceledBy: 'admin' });
}

async function cancelProfile(sql: Sql, profile: Profile, push: CancelPush): Promise<number> {
  if (isCanceled(profile.status)) {
    throw new PushError({ [push.orderId === null ? 'recurring_id' : 'order_id']: ['This recurring profile has already been canceled.'] });
  }
  const canceled = { status: afterCancel(push.canceledBy), canceled_at: givenTime(push), updated_at: NOW };
  await run(sql, withId(profile).set(canceled));
  const { amount, amount_converted: converted, currency } = profile;
  return addTransaction(sql, profile, push, {
    type: 'recurring_order_cancel',
    amount: new Big(amount),
    converted: new Big(converted),
    currency,
  });
}

const withId = ({ id }: Profile) => tables.updateTable('core_orderrecurring').where('id', '=', id);

/** When it happened, as far as that was said. */
const givenTime = ({ createdAt }: ProfilePush) => fragment<Date>`coalesce(${createdAt}::timestamptz, now())`;

const refuse: Refuse = (field, message) => new PushError({ [field]: [message] });

const inDollarsOf = (sql: Sql, { amount_converted: converted, ...profile }: Profile, amount: Money, currency: string): Promise<Money> =>
  convertAnew(sql, { ...profile, converted }, amount, currency, refuse);

interface Amount {
  type: TransactionType;
  amount: Money;
  converted: Money;
  currency: string;
}

async function addTransaction(sql: Sql, profile: Profile, push: ProfilePush & Partial<PaymentPush>, money: Amount): Promise<number> {
  const silent = (push.failureDescription || push.failureMessage) && (await erasedByNow(sql, profile.user_id));
  const added = tables.insertInto('core_transaction').values({
    type: money.type,
    order_id: profile.order_id,
    account_id: profile.account_id,
    amount: asCents(money.amount),
    amount_converted: asConverted(money.converted),
    currency: money.currency,
    success: push.success ?? true,
    status: push.status ?? 'completed',
    trans_id: push.transId,
    failure_code: push.failureCode ?? '',
    failure_description: silent ? '' : (push.failureDescription ?? ''),
    failure_message: silent ? '' : (push.failureMessage ?? ''),
    created_at: givenTime(push),
  });
  const [row] = await run(sql, added.returning('id'));
  return row!.id;
}
