import type { Env } from '../../config/env.ts';
import { leaseClock } from '../sending/lease-clock.ts';

// Who holds a contact, and may write to it. The lease is on the database's clock, and longer than a request can last; it does not cover a holder who stands still between
// being told that it is theirs and the request. One that was waited for may be over by then, too: it is as long as it was when the database began with it.

/** Beyond the longest request: time to begin it, and to note what came of it. */
const MARGIN_MS = 3000;
/** Of that, to begin it. */
const BEGIN_MS = 1500;
const RENEWALS = 3;

export const leaseMs = ({ CRM_TIMEOUT_MS }: Pick<Env, 'CRM_TIMEOUT_MS'>): number => CRM_TIMEOUT_MS + MARGIN_MS;

/** No worker may have a longer one (CRM_TIMEOUT_MS). */
const LONGEST_MS = 600_000 + MARGIN_MS;

// A lease that seems to run for longer than any can was given out before the database's clock was set back. From now on it runs for as long as the longest, so that what a dead
// worker held is not held until the clock is where it was. Who lives renews its own, or lets it go, before that.
export const TOO_LONG = `held_until > now() + ${LONGEST_MS + 1000} * interval '1 ms'`;
export const SHORTENED = `held_until = now() + ${LONGEST_MS} * interval '1 ms'`;

/**
 * Renews a lease until that was only just now.
 * @param renew throws when it is another's
 * @throws Error when the database does not answer in time, to be tried again
 */
export async function renewInTime(renew: () => Promise<void>): Promise<void> {
  for (let n = 0; n < RENEWALS; n++) {
    const asked = leaseClock();
    await renew();
    if (leaseClock() - asked < BEGIN_MS) return;
  }
  throw new Error('a lease could not be renewed in time');
}
