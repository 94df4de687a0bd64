import pg from 'pg';
import { connectionTo } from './connection.ts';
import { markLostCommits } from './uncertain-commit.ts';

/**
 * Plain connections for named SQL on hot paths, beside the ORM's own. Sessions run in UTC; timestamps arrive as PostgreSQL writes them.
 * @param max most connections held
 * @param onLost told when an idle connection breaks (a restart of the server): the pool itself goes on with new ones
 * @param answerWithinMs a statement without an answer for so long fails and its connection is given up: where packets are lost nobody else says so for
 *   a quarter of an hour. It may still be carried out. Without it any statement may take its time.
 */
export function createPool(databaseUrl: string, max: number, onLost: (error: Error) => void = () => {}, answerWithinMs?: number): pg.Pool {
  const pool = new pg.Pool({
    ...connectionTo(databaseUrl),
    max,
    options: '-c timezone=UTC',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    ...(answerWithinMs && { query_timeout: answerWithinMs }),
  });
  pool.on('error', onLost);
  markLostCommits(pool);
  return pool;
}

/** Resolves when the database answers. @returns whether it takes changes: a standby that was not promoted does not */
export async function takesChanges(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query(`select current_setting('transaction_read_only') = 'off' as yes`);
  return rows[0].yes;
}
