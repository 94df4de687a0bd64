import type { Env } from '../../config/env.ts';

/** How fast a mailing goes that has no rate of its own, where the instance sets none either (`SEND_MAX_RATE`). */
export const WITHOUT_RATE = 'as fast as the workers and the relay allow';

/** Mails per second a mailing is sent at; null where neither it nor the instance sets a rate. */
export const rateOf = (mailing: { mails_per_second: number | null }, { SEND_MAX_RATE }: Env): number | null =>
  mailing.mails_per_second ?? SEND_MAX_RATE ?? null;
