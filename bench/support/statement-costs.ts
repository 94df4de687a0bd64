import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { cpuSeconds } from './process-cost.ts';

const EVERY_MS = 25;

/** Processor time of the database by statement: what each backend has used since the last look goes to the statement it has run last. */
export class StatementCosts {
  readonly #pool: pg.Pool;
  readonly #seconds = new Map<string, number>();
  readonly #known = new Map<number, number>();
  /** Processor seconds of the database that looking took itself. */
  own = 0;
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
    // A connection of its own: what looking costs is nobody else's.
    const client = await this.#pool.connect();
    const { rows: me } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const before = cpuSeconds([me[0]!.pid]);
    for (; this.#going; await sleep(EVERY_MS)) {
      const { rows } = await client.query(
        `select pid, left(query, 300) as query from pg_stat_activity
          where backend_type = 'client backend' and datname = current_database() and pid <> pg_backend_pid()`,
      );
      for (const { pid, query } of rows as { pid: number; query: string }[]) {
        const used = cpuSeconds([pid]);
        const known = this.#known.get(pid) ?? used;
        this.#known.set(pid, used);
        const statement = query.replace(/\s+/g, ' ').trim().slice(0, 90);
        this.#seconds.set(statement, (this.#seconds.get(statement) ?? 0) + used - known);
      }
    }
    this.own = cpuSeconds([me[0]!.pid]) - before;
    client.release();
  }
}
