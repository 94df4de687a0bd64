import { setTimeout as sleep } from 'node:timers/promises';
import { type Finding, wrong } from '../../domain/finding.ts';

/** A part is not asked more often than this, however many look. */
const FRESH_MS = 10_000;
/** What was found longer ago is not known any more. */
const OLD_MS = 30_000;

interface Part {
  findings: Finding[] | null;
  at: number;
  underWay: Promise<void> | null;
}

/** What was found of each part when it was asked last. Parts may take seconds to answer; whoever looks does not wait for them. */
export class HealthBoard {
  readonly #parts = new Map<string, Part>();
  readonly #probes: Record<string, () => Promise<Finding[]>>;
  readonly #now: () => number;

  /** @param probes by the name of the part; each has its own time limit */
  constructor(probes: Record<string, () => Promise<Finding[]>>, now = () => performance.now()) {
    this.#probes = probes;
    this.#now = now;
  }

  /**
   * Asks what has not been asked for a while, and waits for it for so long at most.
   * @returns what is known of each part; null where nothing is, yet or any more
   */
  async look(waitMs: number): Promise<Record<string, Finding[] | null>> {
    const open = Object.keys(this.#probes).map((name) => this.#ask(name));
    await Promise.race([Promise.all(open), sleep(waitMs, undefined, { ref: false })]);
    const since = this.#now() - OLD_MS;
    return Object.fromEntries([...this.#parts].map(([name, { findings, at }]) => [name, at > since ? findings : null]));
  }

  #ask(name: string): Promise<void> | null {
    const part = this.#parts.get(name) ?? { findings: null, at: Number.NEGATIVE_INFINITY, underWay: null };
    this.#parts.set(name, part);
    if (part.underWay === null && this.#now() - part.at > FRESH_MS) {
      part.underWay = this.#probes[name]!()
        .catch((error: Error) => [wrong(name, error.message, 'npm run cli -- doctor')])
        .then((findings) => {
          Object.assign(part, { findings, at: this.#now(), underWay: null });
        });
    }
    return part.underWay;
  }
}
