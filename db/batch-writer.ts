import { randomUUID } from 'node:crypto';

const FLUSH_MS = 250;
const MOST_AT_ONCE = 5_000;
/** More than this waiting means the database has been away for long: the oldest are dropped. */
const MOST_WAITING = 200_000;
/** While the database is away each of four tries a second fails. */
const TOLD_EVERY_MS = 60_000;

/**
 * @param batchId the same for the same group however often it is tried: of a try that failed nobody knows whether it was committed
 * @param ages seconds since each of them happened, by which the database tells when that was: a clock of this process may be days wrong
 */
type Save<Event> = (batchId: string, events: Event[], ages: number[]) => Promise<unknown>;

interface Waiting<Event> {
  event: Event;
  /** By a clock that is never set. */
  at: number;
}

/**
 * Gathers what happens and writes it in groups, a quarter of a second after the first of each at the latest, so that nothing waits for it. Nothing is lost by an
 * orderly end (`close`) or while the database is away for a while; a killed process loses what came in the last quarter of a second.
 */
export class BatchWriter<Event> {
  private waiting: Waiting<Event>[] = [];
  /** Being written, or to be tried again. Nothing joins it: it may be there already. */
  private batch: { id: string; events: Waiting<Event>[] } | null = null;
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> | null = null;
  private toldAt = Number.NEGATIVE_INFINITY;
  private readonly save: Save<Event>;
  private readonly onTrouble: (error: Error, waiting: number) => void;
  private readonly now: () => number;

  /**
   * @param save writes a group, whole or not at all, and not a second time under the same id (entities/written-batch.ts)
   * @param onTrouble told of a failure, of those in a row once a minute: they wait and are tried again
   * @param now milliseconds of a clock that is never set
   */
  constructor(save: Save<Event>, onTrouble: (error: Error, waiting: number) => void = () => {}, now = () => performance.now()) {
    this.save = save;
    this.onTrouble = onTrouble;
    this.now = now;
  }

  add(event: Event): void {
    if (this.waiting.length >= MOST_WAITING) this.dropOldest();
    this.waiting.push({ event, at: this.now() });
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** Writes what is waiting; resolves when it is written or has failed (and waits again). */
  flush(): Promise<void> {
    this.writing ??= this.write().finally(() => {
      this.writing = null;
      this.timer = this.batch || this.waiting.length ? setTimeout(() => void this.flush(), FLUSH_MS) : null;
    });
    return this.writing;
  }

  async close(): Promise<void> {
    await this.writing;
    await this.flush();
    if (this.timer) clearTimeout(this.timer);
  }

  private dropOldest(): void {
    if (this.batch && !this.writing) this.batch = null;
    else this.waiting.shift();
  }

  private async write(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    while (this.batch || this.waiting.length) {
      this.batch ??= { id: randomUUID(), events: this.waiting.splice(0, MOST_AT_ONCE) };
      try {
        const now = this.now();
        await this.save(
          this.batch.id,
          this.batch.events.map(({ event }) => event),
          this.batch.events.map(({ at }) => (now - at) / 1000),
        );
      } catch (error) {
        this.tell(error as Error, this.batch.events.length + this.waiting.length);
        return;
      }
      this.batch = null;
      this.toldAt = Number.NEGATIVE_INFINITY;
    }
  }

  private tell(error: Error, waiting: number): void {
    if (performance.now() - this.toldAt < TOLD_EVERY_MS) return;
    this.toldAt = performance.now();
    this.onTrouble(error, waiting);
  }
}
