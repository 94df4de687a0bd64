import { openSync, readSync } from 'node:fs';

/** Milliseconds since some moment in the past, the times a machine slept among them; NaN where nobody tells. */
type Uptime = () => number;

/**
 * The clock by which a worker knows whether its lease still holds. The monotonic clock stands still while a machine is suspended, the database's does not: so what
 * `uptime` has run ahead is added, looked at after so many milliseconds at the soonest. It never goes back, and where nobody tells the uptime it is the monotonic clock.
 */
export function createLeaseClock(uptime: Uptime, monotonic: () => number = () => performance.now(), looksEveryMs = 0): () => number {
  let ahead = Number.NEGATIVE_INFINITY;
  let looked = Number.NEGATIVE_INFINITY;
  return () => {
    const now = monotonic();
    if (now >= looked + looksEveryMs) {
      looked = now;
      // The uptime is told in hundredths of a second, rounded down: what is lacking is never more than one of them.
      const lead = uptime() - now;
      if (lead > ahead) ahead = lead;
    }
    return ahead === Number.NEGATIVE_INFINITY ? now : now + ahead;
  };
}

/** Linux tells its uptime by CLOCK_BOOTTIME, which counts sleep. Reading it costs some microseconds. */
function linuxUptime(): Uptime {
  const text = Buffer.alloc(32);
  let file: number;
  try {
    file = openSync('/proc/uptime', 'r');
  } catch {
    return () => Number.NaN;
  }
  return () => {
    try {
      return Number.parseFloat(text.toString('latin1', 0, readSync(file, text, 0, text.length, 0))) * 1000;
    } catch {
      return Number.NaN;
    }
  };
}

/** It is asked for every mail, and a look takes a good part of what a mail costs: one serves those that are written together. */
const LOOKS_EVERY_MS = 0.5;

/** The one everybody uses who decides whether something may still be written to a socket. */
export const leaseClock = createLeaseClock(linuxUptime(), undefined, LOOKS_EVERY_MS);
