import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { type Env, needed } from '../config/env.ts';
import { inAbortableTransaction } from '../db/abortable-transaction.ts';
import { isDatabaseError, type Pool } from '../db/driver.ts';
import { createPool } from '../db/pool.ts';
import type { Sql } from '../db/sql.ts';
import { commitLimits } from '../db/uncertain-commit.ts';
import { UnavailableError } from '../domain/errors.ts';
import { callerGone } from './plugins/caller-gone.ts';
import { Slots } from './slots.ts';

/** How long one waits for its turn. */
const WAIT_MS = 10_000;

/**
 * What reads many rows: collections, results, charts, lists of recipients, explanations of audiences. They have few connections of their own, so that whatever
 * they cost, and however many are asked for, one row of anything is read and written as fast as ever. Each has a time limit, and ends with its caller.
 */
export class LongReads {
  /** For what has bounds of its own; how many of these there are is up to whoever makes them. */
  readonly pool: Pool;
  #beside: Pool;
  #slots: Slots;
  #limitMs: number;
  #lockMs: number;

  /** @param beside the pool of everything else */
  constructor(env: Env, beside: Pool, log: FastifyBaseLogger) {
    const { DATABASE_URL } = needed(env, 'DATABASE_URL');
    this.#beside = beside;
    this.#limitMs = env.LONG_READ_TIMEOUT_MS;
    this.#slots = new Slots(env.DATABASE_LONG_POOL, WAIT_MS, 'long reads are running');
    const onLost = (error: Error) => log.warn({ error: error.message }, 'an idle database connection was lost');
    const limits = commitLimits(env);
    this.#lockMs = limits.lockWithinMs ?? 0;
    // One more than there are slots: an audience is explained beside them.
    this.pool = createPool(DATABASE_URL, env.DATABASE_LONG_POOL + 1, { onLost, ...limits });
  }

  /**
   * Statements that end with this request.
   * @returns what throws UnavailableError where the time is up or too many are running, and an AbortError where the caller has hung up
   */
  of(request: FastifyRequest): Sql {
    return (text, values = []) => this.inTurn(request, async (client) => (await client.query(text, values)).rows as never);
  }

  /**
   * Runs `work`, which only reads, on one of these connections when there is room for it.
   * @throws as those statements
   */
  async inTurn<Result>(request: FastifyRequest, work: (client: Pool) => Promise<Result>): Promise<Result> {
    const signal = callerGone(request);
    const release = await this.#slots.take(request.account?.id ?? 0, signal);
    const session = {
      statement_timeout: this.#limitMs,
      lock_timeout: this.#lockMs,
      // A process beside for each of them would be one fewer for everybody else, and compiling one takes longer than most of them.
      max_parallel_workers_per_gather: 0,
      jit: 'off',
      work_mem: '32MB',
    };
    try {
      return await inAbortableTransaction(this.pool, signal, (client) => work(client as never), {
        session,
        reads: true,
        beside: this.#beside,
      });
    } catch (error) {
      throw this.#timeIsUp(error) ?? error;
    } finally {
      release();
    }
  }

  #timeIsUp(error: unknown): Error | null {
    if (!isDatabaseError(error) || error.code !== '57014') return null;
    const words = `Reading this took more than ${this.#limitMs / 1000} seconds and was given up: ask for less, by a narrower filter.`;
    return new UnavailableError(words, { cause: error });
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}
