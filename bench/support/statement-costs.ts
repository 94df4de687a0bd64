import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { cpuSeconds } from './process-cost.ts';

const EVERY_MS = 25;

/** Processor time of the database by statement: what each backend has used since the last look goes to the statement it has run last. */
export class StatementCosts {
  readonly #pool: pg.Pool;
  readonly #seconds = new Map<string, number>();
  readonly #known = new Map<number, number>();
  #going = true;
  #watching: Promise<void>;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    this.#watching = this.#watch();
  }

  /** @returns the costliest statements, in seconds */
  async end(): Promise<[statement: string, seconds: number][]> {
    this.#going = false;
    await this.#watching;
    return [...this.#seconds].sort(([, a], [, b]) => b - a).slice(0, 6);
  }

  async #watch(): Promise<void> {
    for (; this.#going; await sleep(EVERY_MS)) {
      const { rows } = await this.#pool.query(
        `select pid, regexp_replace(left(query, 300), '\\s+', ' ', 'g') as query from pg_stat_activity
          where backend_type = 'client backend' and datname = current_database() and query not like '%pg_stat_%'`,
      );
      for (const { pid, query } of rows as { pid: number; query: string }[]) {
        const used = cpuSeconds([pid]);
        const before = this.#known.get(pid) ?? used;
        this.#known.set(pid, used);
        const statement = query.trim().slice(0, 90);
        this.#seconds.set(statement, (this.#seconds.get(statement) ?? 0) + used - before);
      }
    }
  }
}
