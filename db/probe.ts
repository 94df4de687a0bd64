import type pg from 'pg';
import { inTime } from '../domain/in-time.ts';
import { doubtConnections } from './former-primary.ts';
import { onOneConnection } from './transaction.ts';
import { isCommitUncertain } from './uncertain-commit.ts';

/** What a database may be found to be. */
export type DatabaseState = 'ok' | 'read only' | 'does not confirm changes' | 'away';

/** However many ask. */
const ASKED_AGAIN_MS = 1_000;

/**
 * Whether the database takes changes and confirms them, found out by the smallest change there is: a line in its log that no table shows. A standby that was not
 * promoted takes none; a primary whose synchronous standby is away confirms none.
 */
export class DatabaseProbe {
  readonly #pool: pg.Pool;
  #last: { state: DatabaseState; at: number } = { state: 'ok', at: Number.NEGATIVE_INFINITY };
  #doubted = false;
  #asking: Promise<DatabaseState> | null = null;
  #reached = false;
  /** By the monotonic clock, since when no change has been confirmed that was tried; null while they are. */
  #unconfirmedSince: number | null = null;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Asks the database, one at a time, and once a second while it is well. @param withinMs longest wait; what is not known by then is told by how far it has come */
  async state(withinMs: number): Promise<DatabaseState> {
    // What was not well may be by now.
    if (!this.#asking && !this.doubted && performance.now() - this.#last.at < ASKED_AGAIN_MS) return 'ok';
    this.#asking ??= this.#ask();
    const state = await inTime(this.#asking, withinMs, null);
    return state ?? (this.#reached ? 'does not confirm changes' : 'away');
  }

  /** Asks, and says for how many milliseconds changes have not been confirmed; 0 when they are, or when the database is found to be away. @param withinMs longest wait */
  async unconfirmedForMs(withinMs: number): Promise<number> {
    await this.state(withinMs);
    return this.#unconfirmedSince === null ? 0 : performance.now() - this.#unconfirmedSince;
  }

  /** Resolves when the database takes changes and confirms them, asked anew. @throws Error that says what it does instead */
  async confirming(withinMs: number): Promise<void> {
    this.doubt();
    const state = await this.state(withinMs);
    if (state !== 'ok') throw new Error(`the database: ${state}`);
  }

  /** Whether the last answer, or somebody whose change was not confirmed, gives cause to ask before a change is tried. */
  get doubted(): boolean {
    return this.#doubted || this.#last.state !== 'ok';
  }

  /** A change has not been confirmed. */
  doubt(): void {
    this.#doubted = true;
  }

  #ask(): Promise<DatabaseState> {
    this.#reached = false;
    const asked = this.#find().catch(
      (error): DatabaseState => (isCommitUncertain(error) && this.#reached ? 'does not confirm changes' : 'away'),
    );
    return asked.then((state) => {
      this.#asking = null;
      this.#doubted = false;
      this.#last = { state, at: performance.now() };
      if (state === 'read only' || state === 'does not confirm changes') doubtConnections(this.#pool);
      if (state !== 'does not confirm changes') this.#unconfirmedSince = null;
      return state;
    });
  }

  async #find(): Promise<DatabaseState> {
    const { rows } = await this.#pool.query(`select current_setting('transaction_read_only') = 'on' as closed`);
    if (rows[0].closed) return 'read only';
    this.#reached = true;
    this.#unconfirmedSince ??= performance.now();
    // In a transaction, for the limit of a pool's commits to hold for it.
    await onOneConnection(this.#pool, (client) => client.query(`select pg_logical_emit_message(true, 'campaign', '')`));
    return 'ok';
  }
}
