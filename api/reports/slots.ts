import { UnavailableError } from '../../domain/errors.ts';

/** So many at a time; the rest wait in line, for a while. */
export class Slots {
  #free: number;
  #waitMs: number;
  #line: (() => void)[] = [];

  constructor(slots: number, waitMs: number) {
    this.#free = slots;
    this.#waitMs = waitMs;
  }

  /**
   * @returns gives the slot back; calling it twice does no harm
   * @throws UnavailableError when none comes free in time; the signal's reason
   */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#line.shift();
      if (next) next();
      else this.#free++;
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (error: Error) => {
        this.#line = this.#line.filter((each) => each !== enter);
        done();
        reject(error);
      };
      const abort = () => leave(signal.reason);
      const timer = setTimeout(() => leave(new UnavailableError('Too many reports are running; try again soon.')), this.#waitMs);
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      };
      const enter = () => {
        done();
        resolve();
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#line.push(enter);
    });
  }
}
