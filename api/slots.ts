import { UnavailableError } from '../domain/errors.ts';

/** In one line, of all accounts: each takes memory, and when their time is up, which is so of all that came at once, others wait until the last is told. */
export const MOST_WAITING = 500;

interface Waiting {
  account: number;
  enter: () => void;
  leave: (error: Error) => void;
}

/**
 * So many at a time; the rest wait in line, for a while. One account has half of them at most, so that there is always one for somebody else, and
 * which of those who wait is next goes by account: who holds fewest, then who had their turn longest ago. Where the line is full, the last of whoever has
 * most in it is told to come again.
 */
export class Slots {
  #free: number;
  #most: number;
  #waitMs: number;
  #what: string;
  readonly #line = new Set<Waiting>();
  #held = new Map<number, number>();
  /** When each account was served last, counted in turns; of those who hold or wait. */
  #served = new Map<number, number>();
  #turns = 0;

  /** @param what too much of what is going on, when none comes free in time */
  constructor(slots: number, waitMs: number, what: string) {
    this.#free = slots;
    this.#most = Math.ceil(slots / 2);
    this.#waitMs = waitMs;
    this.#what = what;
  }

  /**
   * @param account whom it counts for
   * @returns gives the slot back; calling it twice does no harm
   * @throws UnavailableError when none comes free in time, or too many wait; the signal's reason
   */
  async take(account: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0 && this.#heldBy(account) < this.#most) this.#give(account);
    else await this.#wait(account, signal);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#takeBack(account);
    };
  }

  #heldBy(account: number): number {
    return this.#held.get(account) ?? 0;
  }

  #give(account: number): void {
    this.#free--;
    this.#held.set(account, this.#heldBy(account) + 1);
    this.#served.set(account, ++this.#turns);
  }

  #takeBack(account: number): void {
    this.#free++;
    const left = this.#heldBy(account) - 1;
    if (left > 0) this.#held.set(account, left);
    else this.#held.delete(account);
    const next = this.#next();
    if (next) {
      this.#give(next.account);
      next.enter();
    }
    // Who neither holds nor waits has no claims.
    for (const known of this.#served.keys()) if (!this.#held.has(known) && !this.#waits(known)) this.#served.delete(known);
  }

  #waits(account: number): boolean {
    for (const each of this.#line) if (each.account === account) return true;
    return false;
  }

  #next(): Waiting | undefined {
    const rank = ({ account }: Waiting) => [this.#heldBy(account), this.#served.get(account) ?? 0] as const;
    return [...this.#line]
      .filter(({ account }) => this.#heldBy(account) < this.#most)
      .reduce<Waiting | undefined>((best, each) => {
        if (!best) return each;
        const [held, served] = rank(each);
        const [bestHeld, bestServed] = rank(best);
        return held < bestHeld || (held === bestHeld && served < bestServed) ? each : best;
      }, undefined);
  }

  /** @throws UnavailableError where the account has as many waiting as any */
  #makeRoom(account: number): void {
    if (this.#line.size < MOST_WAITING) return;
    const lines = Map.groupBy(this.#line, (each) => each.account);
    const longest = [...lines.values()].reduce((most, line) => (line.length > most.length ? line : most));
    if (longest.length <= (lines.get(account)?.length ?? 0) + 1) throw new UnavailableError(this.#fullFor(account));
    const last = longest.at(-1)!;
    last.leave(new UnavailableError(this.#fullFor(last.account)));
  }

  #wait(account: number, signal: AbortSignal): Promise<void> {
    this.#makeRoom(account);
    return new Promise((resolve, reject) => {
      const leave = (error: Error) => {
        done();
        reject(error);
      };
      const abort = () => leave(signal.reason);
      const timer = setTimeout(() => leave(new UnavailableError(this.#fullFor(account))), this.#waitMs);
      const done = () => {
        this.#line.delete(waiting);
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      };
      const waiting: Waiting = {
        account,
        enter: () => {
          done();
          resolve();
        },
        leave,
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#line.add(waiting);
    });
  }

  #fullFor(account: number): string {
    return this.#heldBy(account) >= this.#most && this.#free > 0
      ? `Too many ${this.#what}: this account has its ${this.#most} already; try again soon.`
      : `Too many ${this.#what}; try again soon.`;
  }
}
