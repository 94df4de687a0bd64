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

type Prepare = (pool: pg.Pool, env: Env) => Promise<unknown>;

/** While the data is put in nothing is measured: a database that would not outlive the machine's end writes its log once, and for what is new not at all. */
const WHILE_FILLED = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
  shared_buffers: '1GB',
};

/** @param prepare what has to be there before the API is built: put in by a server of its own, on whose data the API's is started, with the settings as it has them */
export async function serveApi(settings: Record<string, string> = {}, prepare: Prepare = async () => {}): Promise<ServedApi> {
  const dataDir = mkdtempSync(join(tmpdir(), 'campaign-bench-'));
  const read = (url: string) => readEnv({ DATABASE_URL: url, OPEN_RATE_LIMIT_PER_MINUTE: '0', ...settings });
  await makeData(dataDir, read, prepare);
  const postgres = await startPostgres({ dataDir });
  const env = read(postgres.url);
  const orm: MikroORM = await connectOrm(env as never);
  const pool = createPool(postgres.url, 10);
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

async function makeData(dataDir: string, read: (url: string) => Env, prepare: Prepare): Promise<void> {
  const postgres = await startPostgres({ dataDir, parameters: WHILE_FILLED });
  try {
    const env = read(postgres.url);
    const orm: MikroORM = await connectOrm(env as never);
    const pool = createPool(postgres.url, 10);
    await orm.migrator.up();
    await ensureFirstSuperuser(orm, env);
    await prepare(pool, env);
    await pool.end();
    await orm.close(true);
  } finally {
    await postgres.stop();
  }
}

/** Listens on a free port. @returns its base URL */
export async function listen(app: FastifyInstance): Promise<string> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

const NO_WORKFLOWS: WorkflowGateway = {
  isAway: false,
  start: async () => 'started',
  signalWithStart: async () => {},
  signal: async () => {},
  query: async () => null,
  isSchedulePaused: async () => null,
  ensureSchedule: async () => {},
  removeSchedule: async () => {},
  ready: async () => {},
};
