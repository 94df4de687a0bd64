import { Worker } from 'node:worker_threads';
import { UnavailableError } from '../../../domain/errors.ts';
import { MissingParameters } from '../../../domain/reports/placeholders.ts';
import { StatementError } from '../../../domain/reports/statement-error.ts';
import type { Answer, Ask } from './thread.ts';

/** How many may wait, of all accounts together; one more is told to come back, of the account that has most of them. */
const MOST_WAITING = 64;
const MEMORY_MB = 192;
/** Without work for so long the thread ends: what its grammar has taken of memory for a long statement it does not give back before. */
const IDLE_MS = 10_000;

interface Waiting {
  account: number;
  ask: Ask;
  resolve(bound: unknown): void;
  reject(error: Error): void;
}

/** One thread beside the event loop, made when it is first needed: it reads one statement after the other, none for longer than `limitMs`. Accounts take turns. */
export class ReaderThread {
  #limitMs: number;
  #idleMs: number;
  #worker: Worker | null = null;
  #under: Waiting | null = null;
  /** What waits, by account: whose turn is next stands first. */
  #lines = new Map<number, Waiting[]>();
  #timer: NodeJS.Timeout | undefined;
  #last = 0;

  constructor(limitMs: number, idleMs = IDLE_MS) {
    this.#limitMs = limitMs;
    this.#idleMs = idleMs;
  }

  /**
   * @param account whom it counts for
   * @throws what the work throws, StatementError when it takes too long, UnavailableError when too many wait
   */
  run<Result>(how: Ask['how'], args: unknown[], account: number): Promise<Result> {
    this.#makeRoom(account);
    return new Promise<Result>((resolve, reject) => {
      const line = this.#lines.get(account) ?? [];
      line.push({ account, ask: { id: ++this.#last, how, args }, resolve: resolve as (bound: unknown) => void, reject });
      this.#lines.set(account, line);
      if (!this.#under) this.#begin();
    });
  }

  /** @throws UnavailableError where the account has as many waiting as any */
  #makeRoom(account: number): void {
    const lines = [...this.#lines.values()];
    if (lines.reduce((sum, { length }) => sum + length, this.#under ? 1 : 0) < MOST_WAITING) return;
    const full = new UnavailableError('Too many statements are being read.');
    const longest = lines.reduce((most, line) => (line.length > most.length ? line : most), []);
    if (longest.length <= (this.#lines.get(account)?.length ?? 0) + 1) throw full;
    longest.pop()!.reject(full);
  }

  #next(): Waiting | null {
    const [first] = this.#lines;
    if (!first) return null;
    const [account, line] = first;
    const next = line.shift()!;
    this.#lines.delete(account);
    if (line.length > 0) this.#lines.set(account, line);
    return next;
  }

  #begin(): void {
    const next = this.#next();
    this.#under = next;
    // Held only while there is work: a process with nothing else to do may end.
    if (!next) {
      this.#worker?.unref();
      this.#timer = setTimeout(() => this.#leave(), this.#idleMs).unref();
      return;
    }
    clearTimeout(this.#timer);
    this.#worker ??= this.#make();
    this.#worker.ref();
    this.#timer = setTimeout(
      () => this.#giveUp(new StatementError('The statement takes too long to read; write it shorter.')),
      this.#limitMs,
    );
    this.#worker.postMessage(next.ask);
  }

  #make(): Worker {
    const worker = new Worker(new URL('thread.ts', import.meta.url), {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: 16 },
    });
    worker.on('message', (answer: Answer) => this.#answered(answer));
    // Out of memory, most likely: the statement is at fault, and the next one gets a new thread.
    worker.on('error', () => {
      if (this.#worker === worker) this.#giveUp(new StatementError('The statement takes too much memory to read; write it shorter.'));
    });
    return worker;
  }

  #answered(answer: Answer): void {
    if (this.#under?.ask.id !== answer.id) return;
    if (answer.last) this.#leave();
    this.#end((waiting) => {
      if ('bound' in answer) waiting.resolve(answer.bound);
      else if ('failed' in answer) waiting.reject(new Error(answer.failed));
      else waiting.reject(answer.missing ? new MissingParameters(answer.missing) : new StatementError(answer.refused));
    });
  }

  #giveUp(error: Error): void {
    this.#leave();
    this.#end((waiting) => waiting.reject(error));
  }

  #leave(): void {
    const worker = this.#worker;
    this.#worker = null;
    void worker?.terminate();
  }

  #end(tell: (waiting: Waiting) => void): void {
    clearTimeout(this.#timer);
    const done = this.#under;
    if (done) tell(done);
    this.#begin();
  }
}
