import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type pg from 'pg';
import { readEnv } from '../../config/env.ts';
import { createPool } from '../../db/pool.ts';
import { startPlatform } from '../../embedded/platform.ts';
import { startPostgres } from '../../embedded/postgres.ts';
import type { SmtpSink } from '../../embedded/smtp-sink.ts';
import { Deadlocks, TELLING } from './deadlocks.ts';
import { Logs } from './log-lines.ts';
import { Outside } from './outside.ts';
import { type Send, sendTo } from './send.ts';

/** A whole platform in a folder of its own, on a PostgreSQL that tells of deadlocks. */
export interface Place {
  send: Send;
  pool: pg.Pool;
  secret: string;
  hookUrl: string;
  deadlocks: Deadlocks;
  logs: Logs;
  outside: Outside;
  temporal: Client;
  login: { username: string; password: string };
  sink: SmtpSink | null;
  close(): Promise<void>;
}

/** Nothing of it outlives the run: nobody waits for the disk. */
const FORGETFUL = { fsync: 'off', full_page_writes: 'off' };

/** @param workers with none of them, what is begun is never done @param random what fails outside */
export async function openPlace(workers: number, random: () => number, say: (what: string) => void): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'campaign-at-once-'));
  const postgres = await startPostgres({ dataDir: folder, parameters: { ...FORGETFUL, ...TELLING } });
  const outside = await new Outside().listen(random);
  const env = readEnv({
    ...outside.settings,
    PORT: '0',
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: postgres.url,
    LOG_LEVEL: 'warn',
    SEND_RETRY_SECONDS: '1',
    // Nothing outlives it, as said above.
    ALLOW_ASYNC_STANDBY: 'true',
    OPEN_RATE_LIMIT_PER_MINUTE: '0',
  });
  // As many as none, which no setting of a process may say.
  const platform = await startPlatform({ ...env, WORKER_PROCESSES: workers }, { say, environmentOf: () => ({ WORKER_PROCESSES: '1' }) });
  const pool = createPool(postgres.url, 2);
  const connection = await Connection.connect({ address: platform.temporalAddress });
  const log = (name: string) => join(env.DATA_DIR, 'logs', `${name}.log`);
  return {
    send: sendTo(platform.baseUrl, env.ADMIN_USERNAME, env.ADMIN_PASSWORD),
    pool,
    secret: env.SECRET_KEY,
    hookUrl: outside.hookUrl,
    logs: new Logs([log('api'), ...Array.from({ length: workers }, (_, n) => log(`worker-${n + 1}`))]),
    outside,
    temporal: new Client({ connection, namespace: env.TEMPORAL_NAMESPACE }),
    login: { username: env.ADMIN_USERNAME, password: env.ADMIN_PASSWORD },
    deadlocks: new Deadlocks(join(folder, 'postgres', 'server.log')),
    sink: workers ? platform.sink : null,
    async close() {
      await pool.end();
      await connection.close();
      await platform.stop();
      await outside.close();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
