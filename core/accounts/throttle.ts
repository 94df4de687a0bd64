/** How many failures within the window close the way, for one account from one address, for one address, and for one account. */
const LIMITS = { pair: 10, address: 50, account: 100 };
const WINDOW_MS = 60_000;
const MOST_KEYS = 50_000;

interface Failures {
  count: number;
  until: number;
}

/**
 * Counts failed logins, so that passwords cannot be guessed at speed. A correct credential that is still remembered is not asked about
 * here: an attacker cannot lock out a client that is at work.
 */
export class LoginThrottle {
  #failures = new Map<string, Failures>();
  #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Seconds the caller has to wait; 0 when it may try. */
  wait(username: string, address: string): number {
    const now = this.#now();
    const left = keysOf(username, address).map(([key, limit]) => {
      const failures = this.#failures.get(key);
      return failures && failures.until > now && failures.count >= limit ? failures.until - now : 0;
    });
    return Math.ceil(Math.max(...left) / 1000);
  }

  failed(username: string, address: string): void {
    const now = this.#now();
    for (const [key] of keysOf(username, address)) {
      const old = this.#failures.get(key);
      const count = old && old.until > now ? old.count + 1 : 1;
      this.#failures.delete(key);
      this.#failures.set(key, { count, until: old && old.until > now ? old.until : now + WINDOW_MS });
    }
    // The map keeps the order of insertion: what goes first is what has not failed for longest.
    for (const key of this.#failures.keys()) {
      if (this.#failures.size <= MOST_KEYS) break;
      this.#failures.delete(key);
    }
  }

  /** Takes back the failure counted when the attempt began, and forgets those of this account from this address. */
  succeeded(username: string, address: string): void {
    const [pair, ...others] = keysOf(username, address);
    this.#failures.delete(pair![0]);
    for (const [key] of others) {
      const failures = this.#failures.get(key);
      if (failures && failures.count > 0) failures.count--;
    }
  }
}

function keysOf(username: string, address: string): [key: string, limit: number][] {
  return [
    [JSON.stringify([username, address]), LIMITS.pair],
    [`address ${address}`, LIMITS.address],
    [`account ${username}`, LIMITS.account],
  ];
}
