import type { Client } from '@temporalio/client';
import type pg from 'pg';
import type { Env } from '../config/env.ts';
import type { Relay } from '../mail/contracts.ts';
import type { WorkerMetrics } from './metrics.ts';

/** What activities are made from; a worker process has one of each. */
export interface ActivityDeps {
  env: Env;
  /** For named statements. Sessions run in UTC. */
  pool: pg.Pool;
  /** For the statements of a slice, at least two connections per send slot: what is not answered within the lease has failed. */
  sendPool: pg.Pool;
  temporal: Client;
  relay: Relay;
  /** Absent where nothing is measured. */
  metrics?: WorkerMetrics;
  /** Aborted when the process was asked to end: send slices then finish what is on the wire, record it and return. */
  shuttingDown: AbortSignal;
  /** A simulated clock (milliseconds since the epoch) in tests; the real one when absent. */
  clock?: Clock;
  log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

export interface Clock {
  now(): number;
  sleep(ms: number): Promise<void>;
}
