import type { Money } from '../../../domain/money.ts';
import { expiry } from '../../../domain/recurring.ts';
import type { Canceler, PaymentStatus, RecurringPeriod } from '../../../domain/words.ts';

/** Which profile a push is about, and what all of them may say. */
export interface ProfilePush {
  orderId: number | null;
  /** Null when order_id is given, which wins. */
  recurringId: string | null;
  createdAt: string | null;
  transId: string;
}

export interface PaymentPush extends ProfilePush {
  amount: Money | null;
  currency: string | null;
  success: boolean;
  status: PaymentStatus;
  failureCode: string;
  failureDescription: string;
  failureMessage: string;
}

/** Null is unchanged. */
export interface UpdatePush extends ProfilePush {
  period: RecurringPeriod | null;
  start: string | null;
  lastFour: string | null;
  /** Two digits each. */
  expMonth: string | null;
  expYear: string | null;
  amount: Money | null;
  currency: string | null;
}

export interface CancelPush extends ProfilePush {
  canceledBy: Canceler;
}

/** The stored MMYY with what was sent put in place. */
export const newExpiry = (stored: string, { expMonth, expYear }: UpdatePush): string =>
  expMonth === null && expYear === null ? stored : expiry(expMonth ?? stored.slice(0, 2), expYear ?? stored.slice(2));
