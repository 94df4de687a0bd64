import { Tail } from './tail.ts';

/** Levels of pino. */
const [WARN, ERROR] = [40, 50];
/** Not an error of ours, and said by Node on its own. */
const OF_NODE = /^\(node:\d+\)|^\(Use `node|^\s*$/;

/** What the processes of the platform write into their logs. */
export class Logs {
  readonly #tails: Tail[];
  /** Every warning, and how often there was one. */
  readonly warnings = new Map<string, number>();

  constructor(files: readonly string[]) {
    this.#tails = files.map((file) => new Tail(file));
  }

  /** The errors among the lines that have come since this was last asked, and what is no line of a log at all. */
  fresh(): string[] {
    return this.#tails.flatMap((tail) => tail.fresh().split('\n')).filter((line) => !OF_NODE.test(line) && this.#isWrong(line));
  }

  #isWrong(line: string): boolean {
    if (!line.startsWith('{')) return true;
    const { level, msg = '', ...rest } = JSON.parse(line) as { level: number; msg?: string; error?: string };
    if (level >= ERROR) return true;
    if (level < WARN) return false;
    const kind = `${msg} ${rest.error ?? ''}`.replace(/\d+/g, '…').slice(0, 200);
    this.warnings.set(kind, (this.warnings.get(kind) ?? 0) + 1);
    return /workflow task|nondeterminis|activation/i.test(kind);
  }
}
