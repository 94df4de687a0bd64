/** Longer than somebody takes who means to answer soon. */
const SLOW_MS = 2_000;
/** So long a host that took longer is not taken for one that answers soon. */
const REMEMBERED_MS = 5 * 60_000;
const MOST_REMEMBERED = 1000;

/** Which hosts are known to answer soon, in this process. New ones are not: whoever means to hold others up has as many as they like. */
export class SoonHosts {
  /** From when on each is taken for one. */
  readonly #from = new Map<string, number>();

  has(host: string): boolean {
    return (this.#from.get(host) ?? Number.POSITIVE_INFINITY) <= performance.now();
  }

  /** @param ms how long it took to answer, or was waited for */
  took(host: string, ms: number): void {
    if (this.#from.size >= MOST_REMEMBERED) this.#from.clear();
    if (ms > SLOW_MS) this.#from.set(host, performance.now() + REMEMBERED_MS);
    else if (!this.#from.has(host)) this.#from.set(host, performance.now());
  }
}
