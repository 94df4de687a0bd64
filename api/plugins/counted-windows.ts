const MOST_KEYS = 50_000;

/** Counts by key within a minute of the first, by a clock that nobody sets. Memory is bounded: what began longest ago is forgotten first. */
export class CountedMinutes {
  #windows = new Map<string, { count: number; until: number }>();

  /** @returns how many there are now, this one among them */
  add(key: string): number {
    const open = this.#open(key);
    if (open) return ++open.count;
    this.#windows.delete(key);
    this.#windows.set(key, { count: 1, until: performance.now() + 60_000 });
    if (this.#windows.size > MOST_KEYS) this.#windows.delete(this.#windows.keys().next().value as string);
    return 1;
  }

  count(key: string): number {
    return this.#open(key)?.count ?? 0;
  }

  /** Seconds until counting begins anew. */
  secondsLeft(key: string): number {
    return Math.max(1, Math.ceil(((this.#open(key)?.until ?? 0) - performance.now()) / 1000));
  }

  #open(key: string) {
    const window = this.#windows.get(key);
    return window && window.until > performance.now() ? window : undefined;
  }
}
