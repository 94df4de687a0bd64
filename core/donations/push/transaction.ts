import type { Pool } from '../../../db/driver.ts';
import { preparedOn } from '../../../db/prepared.ts';
import type { Sql } from '../../../db/sql.ts';

const TRIES = 3;
/** Serialization failure and deadlock: nothing was changed, and the same again will do. */
const AGAIN = new Set(['40001', '40P01']);
/**
 * Runs `work` in one transaction of a plain connection whose statements stay prepared: planning the wide ones of a push takes longer than
 * running them.
 */
export async function inPreparedTransaction<Result>(pool: Pool, work: (sql: Sql) => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(pool, work);
    } catch (error) {
      if (tries === TRIES || !AGAIN.has((error as { code?: string }).code ?? '')) throw error;
    }
  }
}

async function attempt<Result>(pool: Pool, work: (sql: Sql) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  // Nobody else listens while it is checked out, and an error nobody listens to ends the process; the query under way is told anyway.
  const ignore = () => {};
  client.on('error', ignore);
  let broken = false;
  try {
    await client.query('begin');
    const result = await work(preparedOn(client));
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
