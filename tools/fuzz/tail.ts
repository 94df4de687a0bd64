import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** What is written to a file from now on. */
export class Tail {
  readonly #file: string;
  #read = 0;

  constructor(file: string) {
    this.#file = file;
    this.fresh();
  }

  /** What has come since this was last asked. */
  fresh(): string {
    const size = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    // Put aside for a new one.
    if (size < this.#read) this.#read = 0;
    if (size === this.#read) return '';
    const bytes = Buffer.alloc(size - this.#read);
    const file = openSync(this.#file, 'r');
    const length = readSync(file, bytes, 0, bytes.length, this.#read);
    closeSync(file);
    this.#read += length;
    return bytes.toString('utf8', 0, length);
  }
}
