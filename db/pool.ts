import pg from 'pg';
import { connectionTo } from './connection.ts';
import { CONNECT_MS } from './driver.ts';
import { leaveFormerPrimary } from './former-primary.ts';
import { endIdleTransactions } from './idle-transactions.ts';
import { giveUpSilent } from './silent-connections.ts';
import { type CommitLimits, markLostCommits } from './uncertain-commit.ts';

export interface PoolSettings extends CommitLimits {
  /** Told when an idle connection breaks (a restart of the server): the pool itself goes on with new ones. */
  onLost?: (error: Error) => void;
  /**
   * A statement without an answer for so long fails and its connection is given up: where packets are lost nobody else says so for a quarter of an hour. It may
   * still be carried out. Without it any statement may take its time.
   */
  answerWithinMs?: number;
}

/**
 * Plain connections for named SQL on hot paths, beside the ORM's own. Timestamps arrive as PostgreSQL writes them.
 * @param max most connections held
 */
export function createPool(databaseUrl: string, max: number, settings: PoolSettings = {}): pg.Pool {
  const { onLost = () => {}, answerWithinMs, ...limits } = settings;
  const pool = new pg.Pool({
    ...connectionTo(databaseUrl),
    max,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    ...(answerWithinMs && { query_timeout: answerWithinMs }),
  });
  pool.on('error', onLost);
  endIdleTransactions(pool, limits.lockWithinMs);
  markLostCommits(pool, limits);
  giveUpSilent(pool, databaseUrl, limits.lockWithinMs);
  leaveFormerPrimary(pool, databaseUrl);
  return pool;
}
