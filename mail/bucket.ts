/** What a draw from a rate brought. */
export interface Allowance {
  /** Mails that may be sent now. */
  granted: number;
  /** Milliseconds until the next one is due, when fewer were granted than wanted. */
  waitMs: number;
}

export interface BucketOptions {
  /** Milliseconds; performance.now by default. */
  now?: () => number;
  /** What was drawn and not used by then is forfeited, so that nothing piles up; never by default. */
  lifetimeMs?: number;
  /** Called after each draw. */
  drawn?: () => void;
}

/** At high rates a draw every so often is smooth enough; at low ones the next mail's time is. */
const DRAW_MS = 20;
const AWAY_MS = 1000;

/**
 * A process's end of a rate that all workers share: some mails drawn ahead, more drawn beside the work, so that nobody waits for a draw while there
 * are any.
 */
export class Bucket {
  readonly #draw: (wanted: number) => Promise<Allowance>;
  readonly #now: () => number;
  readonly #lifetimeMs: number;
  readonly #drawn: () => void;
  #mails = 0;
  #drawnAt = 0;
  /** When it is worth drawing again. */
  dueAt = 0;
  /** The draw under way. */
  drawing: Promise<void> | null = null;

  constructor(draw: (wanted: number) => Promise<Allowance>, options: BucketOptions = {}) {
    this.#draw = draw;
    this.#now = options.now ?? (() => performance.now());
    this.#lifetimeMs = options.lifetimeMs ?? Number.POSITIVE_INFINITY;
    this.#drawn = options.drawn ?? (() => {});
  }

  /** Mails at hand; when they are fewer than wanted, more are being drawn from now on. */
  have(wanted: number): number {
    const now = this.#now();
    if (this.#mails > 0 && now - this.#drawnAt > this.#lifetimeMs) this.#mails = 0;
    if (this.#mails < wanted && now >= this.dueAt) this.drawing ??= this.#more(wanted - this.#mails);
    return Math.max(0, this.#mails);
  }

  /** May take more than there are: what is owed is drawn and paid first. */
  take(mails: number): void {
    this.#mails -= mails;
  }

  /** Milliseconds until it is worth asking again. */
  get waitMs(): number {
    return Math.max(1, this.dueAt - this.#now());
  }

  async #more(wanted: number): Promise<void> {
    try {
      const { granted, waitMs } = await this.#draw(wanted);
      this.#mails += granted;
      this.#drawnAt = this.#now();
      this.dueAt = granted === wanted ? 0 : this.#now() + Math.max(DRAW_MS, waitMs);
    } catch {
      // The database is away: the statement that needs it says so.
      this.dueAt = this.#now() + AWAY_MS;
    } finally {
      this.drawing = null;
      this.#drawn();
    }
  }
}
