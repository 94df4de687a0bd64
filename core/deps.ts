import type { Env } from '../config/env.ts';
import type { Pool } from '../db/driver.ts';
import type { Sql } from '../db/sql.ts';
import type { Relay } from '../mail/contracts.ts';

/** The few things most use cases are made from; each takes what it uses of them. */
export interface CoreDeps {
  env: Env;
  /** For named statements. Sessions run in UTC. */
  pool: Pool;
  relay: Relay;
  /** Aborted when the process was asked to end: what is under way then finishes, records it and returns. */
  shuttingDown: AbortSignal;
  /** A simulated clock (milliseconds since the epoch) in tests; the real one when absent. */
  clock?: Clock;
  log: Log;
}

export interface Clock {
  now(): number;
  sleep(ms: number): Promise<void>;
}

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Runs `work` in one transaction; after a deadlock once more. */
export type InTransaction = <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;

/**
 * Starts the run of what was asked for. `running`: one was under way already.
 * @throws UnavailableError when none was started; UncertainError, one of these, when one may have been all the same
 */
export type StartRun<Input> = (input: Input) => Promise<'started' | 'running'>;

/** What a use case is made from that writes what is asked for, and then has its run started. */
export interface Asking<Input> {
  transaction: InTransaction;
  /** Outside of transactions. */
  sql: Sql;
  start: StartRun<Input>;
}
