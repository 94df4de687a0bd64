import { openSync, readSync } from 'node:fs';

/** Milliseconds since some moment in the past, the times a machine slept among them; NaN where nobody tells. */
type Uptime = () => number;

/** What a lease clock is made of; the machine's own by default. */
interface LeaseClockParts {
  monotonic?: () => number;
  wall?: () => number;
  /** Milliseconds after which the uptime is looked at again, whatever the other clocks say; 0 is each time. */
  looksEveryMs?: number;
}

/** The wall clock tells whole milliseconds, and is slowed and hastened by a little all the time. */
const ASTRAY_MS = 4;

/**
 * The clock by which a worker knows whether its lease still holds. The monotonic clock stands still while a machine is suspended, the database's does not: so what
 * `uptime` has run ahead is added. It is looked at as soon as the wall clock, which a machine that wakes sets first of all, went another way than the monotonic one, and
 * every so many milliseconds in any case. It never goes back, and where nobody tells the uptime it is the monotonic clock.
 */
export function createLeaseClock(
  uptime: Uptime,
  { monotonic = () => performance.now(), wall = Date.now, looksEveryMs = 0 }: LeaseClockParts = {},
): () => number {
  let ahead = Number.NEGATIVE_INFINITY;
  let looked = Number.NEGATIVE_INFINITY;
  let apart = 0;
  return () => {
    const now = monotonic();
    const astray = wall() - now - apart;
    if (now >= looked + looksEveryMs || astray > ASTRAY_MS || astray < -ASTRAY_MS) {
      looked = now;
      apart += astray;
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

/** It is asked several times for every mail, and a look takes a good part of what a mail costs. */
const LOOKS_EVERY_MS = 5;

/** The one everybody uses who decides whether something may still be written to a socket. */
export const leaseClock = createLeaseClock(linuxUptime(), { looksEveryMs: LOOKS_EVERY_MS });
