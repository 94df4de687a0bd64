import type { Env } from '../config/env.ts';
import type { Pool } from '../db/driver.ts';
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
