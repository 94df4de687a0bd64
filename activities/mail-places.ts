import { Held } from './held.ts';
import { notYet } from './not-yet.ts';

/** Longer than a relay takes over a mail that has not much else to do. */
const SLOW_MS = 2_000;

/**
 * Mails to single people that a worker process has on their way. While the relay takes its time over them they have half of the places for short work, so
 * that merges, erasures, imports and the sweep do not wait behind hundreds of them, each of which would keep a place for as long as the relay likes.
 */
export class MailPlaces {
  readonly #most: number;
  /** When each began. */
  readonly #held = new Held<number>();
  #lastTook = 0;

  /** @param slots all places for short work */
  constructor(slots: number) {
    this.#most = Math.max(1, Math.floor(slots / 2));
  }

  /** The same activities, those that are named with a place each. */
  holding<Activities extends object>(activities: Activities, names: (keyof Activities)[]): Activities {
    const held = names.map((name) => {
      const send = activities[name] as (...args: unknown[]) => Promise<unknown>;
      return [name, (...args: unknown[]) => this.hold(() => send(...args))];
    });
    return { ...activities, ...Object.fromEntries(held) };
  }

  /** @throws ApplicationFailure to be tried again as the run says, while others are on their way and the relay is slow */
  async hold<Result>(send: () => Promise<Result>): Promise<Result> {
    const began = performance.now();
    const slowest = Math.max(this.#lastTook, ...this.#held.places.map((since) => began - since));
    if (this.#held.places.length >= this.#most && slowest > SLOW_MS)
      throw notYet('RelaySlow', 'The relay takes its time over other mails.');
    try {
      return await this.#held.during(began, send);
    } finally {
      this.#lastTook = performance.now() - began;
    }
  }
}
