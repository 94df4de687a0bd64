import type { Canceler, PaymentStatus, RecurringPeriod, RecurringStatus } from './words.ts';

// What becomes of a recurring profile. Days are YYYY-MM-DD.

/** The day charges start unless one is named: today, one period and one day later. A month after 31 January ends on the last of February. */
export function defaultStart(today: string, period: RecurringPeriod): string {
  const day = new Date(`${today}T00:00:00Z`);
  if (period === 'weeks') day.setUTCDate(day.getUTCDate() + 7);
  else {
    const wanted = day.getUTCDate();
    day.setUTCMonth(day.getUTCMonth() + 1);
    // The next month had no such day, and the date ran over into the one after it.
    if (day.getUTCDate() !== wanted) day.setUTCDate(0);
  }
  day.setUTCDate(day.getUTCDate() + 1);
  return day.toISOString().slice(0, 10);
}

/** The status a profile has after a payment on it: a failed one makes it late, a completed one brings it up to date. Canceled stays canceled. */
export function afterPayment(status: RecurringStatus, payment: PaymentStatus): RecurringStatus {
  if (status !== 'active' && status !== 'past_due') return status;
  if (payment === 'failed') return 'past_due';
  return payment === 'completed' ? 'active' : status;
}

export const afterCancel = (by: Canceler): RecurringStatus => `canceled_by_${by}`;

export const isCanceled = (status: RecurringStatus): boolean => status.startsWith('canceled_by_');

/** MMYY from a two-digit month and a year of two or four digits. */
export const expiry = (month: string, year: string): string => month + year.slice(-2);
