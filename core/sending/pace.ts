import type { Pool, PoolClient } from '../../db/driver.ts';
import type { Allowance } from '../../mail/bucket.ts';
import { drawFromRate, type Rate } from '../rate.ts';

/** How long an unused allowance lasts, in seconds: it bounds the burst after a pause, so that no minute exceeds the rate by more than one percent. */
const BURST_SECONDS = 0.5;

const rateOf = (key: string, perSecond: number): Rate => ({ key, perSecond, burst: Math.max(BURST_SECONDS, 1 / perSecond) });
const ofMailing = (mailingId: number, perSecond: number) => rateOf(`mailing ${mailingId}`, perSecond);

/**
 * Draws mails from the mailing's token bucket.
 * @param perSecond what was frozen when it began
 * @param now seconds since the epoch in tests with a simulated clock; null is the database's clock
 */
export const drawAllowance = (
  db: Pool | PoolClient,
  mailingId: number,
  perSecond: number,
  wanted: number,
  now: number | null = null,
): Promise<Allowance> => draw(db, ofMailing(mailingId, perSecond), wanted, now);

/** Gives back mails drawn and not sent. */
export async function refundAllowance(
  db: Pool | PoolClient,
  mailingId: number,
  perSecond: number,
  mails: number,
  now: number | null = null,
): Promise<void> {
  await drawFromRate(db, ofMailing(mailingId, perSecond), -mails, now);
}

/**
 * Draws mails from the rate of a relay or a domain, which is the same over all mailings and workers; a bucket like the mailing's own.
 * @param perSecond as this worker's settings say
 */
export const drawPace = (db: Pool, key: string, perSecond: number, wanted: number): Promise<Allowance> =>
  draw(db, rateOf(key, perSecond), wanted, null);

async function draw(db: Pool | PoolClient, rate: Rate, wanted: number, now: number | null): Promise<Allowance> {
  const { granted, waitMs } = await drawFromRate(db, rate, wanted, now);
  return { granted, waitMs: Math.max(1, Math.ceil(waitMs)) };
}
