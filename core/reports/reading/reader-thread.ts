import { Worker } from 'node:worker_threads';
import { UnavailableError } from '../../../domain/errors.ts';
import { MissingParameters } from '../../../domain/reports/placeholders.ts';
import { StatementError } from '../../../domain/reports/statement.ts';
import type { Answer, Ask } from './thread.ts';

/** How many may wait; a caller more is told to come back. */
const MOST_WAITING = 64;
const MEMORY_MB = 192;
/** Without work for so long the thread ends: what its grammar has taken of memory for a long statement it does not give back before. */
const IDLE_MS = 10_000;

interface Waiting {
  ask: Ask;
  resolve(bound: unknown): void;
  reject(error: Error): void;
}

/** One thread beside the event loop, made when it is first needed: it reads one statement after the other, none for longer than `limitMs`. */
export class ReaderThread {
  #limitMs: number;
  #idleMs: number;
  #worker: Worker | null = null;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #last = 0;

  constructor(limitMs: number, idleMs = IDLE_MS) {
    this.#limitMs = limitMs;
    this.#idleMs = idleMs;
  }

  /** @throws what the work throws, StatementError when it takes too long, UnavailableError when too many wait */
  run<Result>(how: Ask['how'], args: unknown[]): Promise<Result> {
    if (this.#waiting.length >= MOST_WAITING) throw new UnavailableError('Too many statements are being read.');
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ ask: { id: ++this.#last, how, args }, resolve: resolve as (bound: unknown) => void, reject });
      if (this.#waiting.length === 1) this.#begin();
    });
  }

  #begin(): void {
    const [next] = this.#waiting;
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
    const [under] = this.#waiting;
    if (under?.ask.id !== answer.id) return;
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
    const done = this.#waiting.shift();
    if (done) tell(done);
    this.#begin();
  }
}
