import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Env, SettingError } from '../config/env.ts';
import { keptDatabase } from './kept-addresses.ts';
import { release, tryLock } from './pid-lock.ts';
import { startPostgres } from './postgres.ts';

/**
 * Does `work` on the platform's database: the one DATABASE_URL names, else the embedded one under DATA_DIR, which is started for it unless the platform is
 * running on it.
 * @throws SettingError where neither is there
 */
export async function withDatabase<Result>(env: Env, work: (databaseUrl: string) => Promise<Result>): Promise<Result> {
  refuseNone(env);
  return withNewDatabase(env, work);
}

/** A mistyped DATA_DIR would have an empty cluster made there. @throws SettingError where DATABASE_URL names no database and DATA_DIR has none */
export function refuseNone({ DATABASE_URL, DATA_DIR }: Env): void {
  if (DATABASE_URL || existsSync(join(resolve(DATA_DIR), 'postgres', 'data'))) return;
  throw new SettingError(
    `DATA_DIR: there is no database in ${resolve(DATA_DIR)}: npm start makes it, and one that is elsewhere is named in DATABASE_URL`,
  );
}

/** The same, for what fills a database: an embedded one that is not there yet is made. */
export async function withNewDatabase<Result>(env: Env, work: (databaseUrl: string) => Promise<Result>): Promise<Result> {
  if (env.DATABASE_URL) return work(env.DATABASE_URL);
  const dataDir = resolve(env.DATA_DIR);
  const lock = join(dataDir, 'lock');
  if (tryLock(lock)) return work(ofRunning(env));
  const server = await startPostgres({ dataDir, say: (what) => console.error(`… ${what}`) });
  try {
    return await work(server.url);
  } finally {
    await server.stop();
    release(lock);
  }
}

/** Where the database of a running platform is. */
function ofRunning(env: Env): string {
  const url = keptDatabase(env);
  if (!url) throw new SettingError(`The platform on ${resolve(env.DATA_DIR)} uses no database of its own: name it in DATABASE_URL`);
  return url;
}
