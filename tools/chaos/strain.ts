import { setTimeout as sleep } from 'node:timers/promises';
import { type Stage, WORKERS } from './stage.ts';

/** From here on a machine cannot keep leases of three seconds, which are renewed after the half of them. */
export const STRAINED_MS = 1_000;
const EVERY_MS = 200;

/** How long the machine let its parts wait in a round: what it does to leases is not to be laid at the engine's door, and nothing else may be excused by it. */
export class Strain {
  readonly #stage: Stage;
  readonly #over: AbortSignal;
  #longest = 0;

  constructor(stage: Stage, over: AbortSignal) {
    this.#stage = stage;
    this.#over = over;
    for (const worker of WORKERS) stage.lateness(worker);
    stage.paused.clear();
    void this.#watchCommits();
  }

  /** Milliseconds of the longest commit that nobody troubled, or for which a worker that nobody paused could not run. */
  get longestMs(): number {
    const untouched = WORKERS.filter((worker) => !this.#stage.paused.has(worker));
    this.#longest = Math.max(this.#longest, ...untouched.map((worker) => this.#stage.lateness(worker)));
    return Math.round(this.#longest);
  }

  /** Past the wires, to a row of its own. */
  async #watchCommits(): Promise<void> {
    while (!this.#over.aborted) {
      const since = performance.now();
      // Where the server is the victim, many may be uncertain anyhow.
      await this.#stage.pool.query('update turned.strain set looked = looked + 1').catch(() => {});
      this.#longest = Math.max(this.#longest, performance.now() - since);
      await sleep(EVERY_MS);
    }
  }
}
