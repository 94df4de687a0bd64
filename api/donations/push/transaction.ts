import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Sql } from '../../../entities/sql.ts';

const TRIES = 3;
/** Serialization failure and deadlock: nothing was changed, and the same again will do. */
const AGAIN = new Set(['40001', '40P01']);
/** Statements a connection keeps prepared; what is made up of columns somebody sent has too many shapes to be worth it. */
const MOST_PREPARED = 100;

const names = new Map<string, string>();

/**
 * Runs `work` in one transaction of a plain connection whose statements stay prepared: planning the wide ones of a push takes longer than
 * running them.
 */
export async function inPreparedTransaction<Result>(pool: pg.Pool, work: (sql: Sql) => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(pool, work);
    } catch (error) {
      if (tries === TRIES || !AGAIN.has((error as { code?: string }).code ?? '')) throw error;
    }
  }
}

async function attempt<Result>(pool: pg.Pool, work: (sql: Sql) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  // Nobody else listens while it is checked out, and an error nobody listens to ends the process; the query under way is told anyway.
  const ignore = () => {};
  client.on('error', ignore);
  let broken = false;
  try {
    await client.query('begin');
    const result = await work(async (text, values = []) => (await client.query({ ...named(text), text, values })).rows as never);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(broken);
  }
}

function named(text: string): { name?: string } {
  const known = names.get(text);
  if (known) return { name: known };
  if (names.size >= MOST_PREPARED) return {};
  const name = `push-${createHash('sha1').update(text).digest('base64url')}`;
  names.set(text, name);
  return { name };
}
