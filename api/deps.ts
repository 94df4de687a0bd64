import type { MikroORM } from '@mikro-orm/postgresql';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Env } from '../config/env.ts';
import type { Credentials } from '../core/accounts/credentials.ts';
import type { Pool } from '../db/driver.ts';
import type { RecurringScheduleOptions, WorkflowStart } from '../workflows/contracts.ts';
import type { AkidGuesses } from './public/akid-guesses.ts';
import type { Registry } from './resource/registry.ts';

/**
 * The workflow service as the API sees it. Every method throws UnavailableError when the service cannot be reached, so that a route
 * needs no more than to call it.
 */
export interface WorkflowGateway {
  /** Returns once the start is durable, whether or not a worker is up. `running`: a run with this id was under way already. */
  start(start: WorkflowStart): Promise<'started' | 'running'>;
  /** Signals the run with this id, and starts it first when none is under way: one step, so that the message cannot fall between two runs. */
  signalWithStart(start: WorkflowStart, message: string): Promise<void>;
  /** @throws NotFoundError when nothing with this id is running */
  signal(workflowId: string, message: string, ...args: unknown[]): Promise<void>;
  /** The workflow's answer, or null when there is no such run or no worker answers within `withinMs`. */
  query<Answer>(workflowId: string, message: string, withinMs: number): Promise<Answer | null>;
  /** Makes the schedule with this id what is given, whether or not there is one. */
  ensureSchedule(schedule: RecurringScheduleOptions): Promise<void>;
  /** There may be none. */
  removeSchedule(scheduleId: string): Promise<void>;
  /** Resolves when the service answers. */
  ready(): Promise<void>;
}

/** Everything the API is built on. Whoever makes these closes them. */
export interface ApiDeps {
  env: Env;
  /** Writes. */
  orm: MikroORM;
  /** Reads: prepared SQL without an object mapper in between. */
  pool: Pool;
  workflows: WorkflowGateway;
  logger?: FastifyBaseLogger;
  /** Installs what is served beside the API: the console's pages. */
  pages?(app: FastifyInstance, context: ApiContext): Promise<void>;
}

/** What build() adds to them: routes and hooks get this. */
export interface ApiContext extends ApiDeps {
  credentials: Credentials;
  guesses: AkidGuesses;
  registry: Registry;
}
