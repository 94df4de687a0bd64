import type { MikroORM } from '@mikro-orm/postgresql';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Env } from '../config/env.ts';
import type { Credentials } from '../core/accounts/credentials.ts';
import type { Pool } from '../db/driver.ts';
import type { DatabaseProbe } from '../db/probe.ts';
import type { LongReads } from './long-reads.ts';
import type { AkidGuesses } from './public/akid-guesses.ts';
import type { Registry } from './resource/registry.ts';
import type { WorkflowGateway } from './workflow-gateway.ts';

/** Everything the API is built on. Whoever makes these closes them. */
export interface ApiDeps {
  env: Env;
  /** Writes. */
  orm: MikroORM;
  /** Reads of few rows: prepared SQL without an object mapper in between. */
  pool: Pool;
  workflows: WorkflowGateway;
  /** Aborted when the process was told to end: it still answers, but wants no more callers. */
  ending?: AbortSignal;
  logger?: FastifyBaseLogger;
  /** Installs what is served beside the API: the console's pages. */
  pages?(app: FastifyInstance, context: ApiContext): Promise<void>;
}

/** What build() adds to them: routes and hooks get this. */
export interface ApiContext extends ApiDeps {
  credentials: Credentials;
  database: DatabaseProbe;
  guesses: AkidGuesses;
  longReads: LongReads;
  registry: Registry;
}
