import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { build } from '../../api/app.ts';
import type { WorkflowGateway } from '../../api/workflow-gateway.ts';
import { type Env, readEnv } from '../../config/env.ts';
import { installConsole } from '../../console/console.ts';
import { ensureFirstSuperuser } from '../../core/accounts/first-superuser.ts';
import { createPool } from '../../db/pool.ts';
import { startPostgres } from '../../embedded/postgres.ts';
import { connectOrm } from '../../entities/orm.ts';

/** The API in this process, on a database of its own, without workflows: for benches of requests. */
export interface ServedApi {
  env: Env;
  /** For the bench, and for the API's own statements. */
  pool: pg.Pool;
  orm: MikroORM;
  app: FastifyInstance;
  /** A folder that goes when it is closed. */
  dataDir: string;
  close(): Promise<void>;
}

/** @param prepare what has to be there before the API is built */
export async function serveApi(
  settings: Record<string, string> = {},
  prepare: (pool: pg.Pool, env: Env) => Promise<unknown> = async () => {},
): Promise<ServedApi> {
  const dataDir = mkdtempSync(join(tmpdir(), 'campaign-bench-'));
  const postgres = await startPostgres({ dataDir });
  const env = readEnv({ DATABASE_URL: postgres.url, OPEN_RATE_LIMIT_PER_MINUTE: '0', ...settings });
  const orm: MikroORM = await connectOrm(env as never);
  const pool = createPool(postgres.url, 10);
  await orm.migrator.up();
  await ensureFirstSuperuser(orm, env);
  await prepare(pool, env);
  const app = await build({ env, orm, pool, workflows: NO_WORKFLOWS, pages: installConsole });
  return {
    env,
    pool,
    orm,
    app,
    dataDir,
    async close() {
      await app.close();
      await pool.end();
      await orm.close(true);
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Listens on a free port. @returns its base URL */
export async function listen(app: FastifyInstance): Promise<string> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

const NO_WORKFLOWS: WorkflowGateway = {
  start: async () => 'started',
  signalWithStart: async () => {},
  signal: async () => {},
  query: async () => null,
  ensureSchedule: async () => {},
  removeSchedule: async () => {},
  ready: async () => {},
};
