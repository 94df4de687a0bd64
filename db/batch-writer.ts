const FLUSH_MS = 250;
const MOST_AT_ONCE = 5_000;
/** More than this waiting means the database has been away for long: the oldest are dropped. */
const MOST_WAITING = 200_000;

/**
 * Gathers what happens and writes it in groups, a quarter of a second after the first of each at the latest, so that nothing waits for it. Nothing is lost by an
 * orderly end (`close`) or while the database is away for a while; a killed process loses what came in the last quarter of a second.
 */
export class BatchWriter<Event> {
  private waiting: Event[] = [];
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> | null = null;
  private readonly save: (events: Event[]) => Promise<unknown>;
  private readonly onTrouble: (error: Error, waiting: number) => void;

  /**
   * @param save writes a group, whole or not at all
   * @param onTrouble told of each failure: they wait and are tried again
   */
  constructor(save: (events: Event[]) => Promise<unknown>, onTrouble: (error: Error, waiting: number) => void = () => {}) {
    this.save = save;
    this.onTrouble = onTrouble;
  }

  add(event: Event): void {
    if (this.waiting.length >= MOST_WAITING) this.waiting.shift();
    this.waiting.push(event);
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** Writes what is waiting; resolves when it is written or has failed (and waits again). */
  flush(): Promise<void> {
    this.writing ??= this.write().finally(() => {
      this.writing = null;
      this.timer = this.waiting.length ? setTimeout(() => void this.flush(), FLUSH_MS) : null;
    });
    return this.writing;
  }

  async close(): Promise<void> {
    await this.writing;
    await this.flush();
    if (this.timer) clearTimeout(this.timer);
  }

  private async write(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    while (this.waiting.length) {
      const events = this.waiting.splice(0, MOST_AT_ONCE);
      try {
        await this.save(events);
      } catch (error) {
        this.waiting.unshift(...events);
        this.onTrouble(error as Error, this.waiting.length);
        return;
      }
    }
  }
}
