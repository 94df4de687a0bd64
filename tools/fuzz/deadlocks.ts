import { Tail } from './tail.ts';

/** What the embedded PostgreSQL is to write into its log: who waited for whom, and with which statement. */
export const TELLING = { log_min_messages: 'error', log_min_error_statement: 'error', log_error_verbosity: 'default' };

/** A message goes on with lines that have a time, too: they are what it knows beside. */
const BESIDE = /^(\t|\S+ \S+ \S+ \[\d+\] ?(\S+ )?(DETAIL|HINT|CONTEXT|STATEMENT):)/;

/** What went wrong in the log of a PostgreSQL server. */
export class Deadlocks {
  readonly #log: Tail;
  /** Every refusal, with its names and numbers left out, and how often there was one. */
  readonly refusals = new Map<string, number>();

  constructor(file: string) {
    this.#log = new Tail(file);
  }

  /** The deadlocks that have come since this was last asked, each as it is said. */
  fresh(): string[] {
    const said = this.#log.fresh();
    for (const [, words] of said.matchAll(/ (?:ERROR|FATAL|PANIC): +(.*)$/gm)) {
      const kind = words!.replace(/"[^"]*"|\d+/g, '…');
      this.refusals.set(kind, (this.refusals.get(kind) ?? 0) + 1);
    }
    return said
      .split(/^(?=.*ERROR: +deadlock detected)/m)
      .filter((text) => /^.*ERROR: +deadlock detected/.test(text))
      .map((text) => {
        const [first, ...lines] = text.split('\n');
        const end = lines.findIndex((line) => !BESIDE.test(line));
        return [first, ...lines.slice(0, end < 0 ? undefined : end)].join('\n');
      });
  }
}
