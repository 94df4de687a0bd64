import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** What the embedded PostgreSQL is to write into its log: who waited for whom, and with which statement. */
export const TELLING = { log_min_messages: 'error', log_min_error_statement: 'error', log_error_verbosity: 'default' };

/** The deadlocks in the log of a PostgreSQL server, each as it says it. */
export class Deadlocks {
  readonly #file: string;
  #read = 0;

  constructor(file: string) {
    this.#file = file;
    this.fresh();
  }

  /** Those that have come since this was last asked. */
  fresh(): string[] {
    const { size } = statSync(this.#file);
    const bytes = Buffer.alloc(size - this.#read);
    const file = openSync(this.#file, 'r');
    readSync(file, bytes, 0, bytes.length, this.#read);
    closeSync(file);
    this.#read = size;
    // A message goes on with lines that have a time, too: they are what it knows beside.
    const beside = /^(\t|\S+ \S+ \S+ \[\d+\] ?(\S+ )?(DETAIL|HINT|CONTEXT|STATEMENT):)/;
    return bytes
      .toString()
      .split(/^(?=.*ERROR: +deadlock detected)/m)
      .filter((text) => /^.*ERROR: +deadlock detected/.test(text))
      .map((text) => {
        const [first, ...lines] = text.split('\n');
        const end = lines.findIndex((line) => !beside.test(line));
        return [first, ...lines.slice(0, end < 0 ? undefined : end)].join('\n');
      });
  }
}
