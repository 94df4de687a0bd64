import type { FastifyBaseLogger, FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    unavailable: UnavailableLog;
  }
}

const EVERY_MS = 60_000;
/** Reasons told apart at a time. */
const MOST_REASONS = 50;

interface Outage {
  /** Since it was said last. */
  requests: number;
  all: number;
  timer: NodeJS.Timeout;
}

/**
 * Why requests are answered 503, by the sentence their callers get: said with the first one, once a minute with how many it were while it goes on, and when there was
 * none for a minute. There may be thousands a second, each with a line that has the status alone.
 */
export class UnavailableLog {
  readonly #outages = new Map<string, Outage>();
  readonly #log: Pick<FastifyBaseLogger, 'info' | 'warn'>;
  readonly #everyMs: number;

  constructor(log: Pick<FastifyBaseLogger, 'info' | 'warn'>, everyMs = EVERY_MS) {
    this.#log = log;
    this.#everyMs = everyMs;
  }

  /** One more request was answered 503. */
  note(why: string, error: Error): void {
    const known = this.#outages.get(why);
    if (known) {
      known.requests++;
      known.all++;
      return;
    }
    if (this.#outages.size >= MOST_REASONS) return;
    const cause = error.cause instanceof Error ? error.cause : error;
    this.#log.warn({ why, ...(cause.message !== why && { error: cause.message }) }, 'requests are answered 503');
    const timer = setInterval(() => this.#look(why), this.#everyMs).unref();
    this.#outages.set(why, { requests: 0, all: 1, timer });
  }

  close(): void {
    for (const { timer } of this.#outages.values()) clearInterval(timer);
  }

  #look(why: string): void {
    const outage = this.#outages.get(why)!;
    const { requests, all, timer } = outage;
    if (requests > 0) {
      this.#log.warn({ why, requests }, 'requests are still answered 503');
      outage.requests = 0;
      return;
    }
    clearInterval(timer);
    this.#outages.delete(why);
    this.#log.info({ why, requests: all }, 'for a minute no request was answered 503 for this');
  }
}

export function installUnavailableLog(app: FastifyInstance): void {
  app.decorate('unavailable', new UnavailableLog(app.log));
  app.addHook('onClose', async () => app.unavailable.close());
}
