import type pg from 'pg';
import { type CommitLimits, markLostCommits } from './uncertain-commit.ts';

/**
 * Gives connections back that break inside a transaction. The query builder below the ORM gives a connection back after its commit or
 * rollback; on a broken one the rollback fails, nobody gives it back, and a pool that has met as many broken connections as it may hold
 * makes everybody wait for ever.
 */
export function returnLostConnections(pool: pg.Pool, limits: CommitLimits): void {
  markLostCommits(pool, limits);
  // The pool sets `release` just after it has said so, and before whoever asked gets the client.
  pool.on('acquire', (client) => queueMicrotask(() => watch(client)));
}

function watch(client: pg.PoolClient): void {
  const { release } = client;
  let held = true;
  const giveBack = (broken?: boolean | Error) => {
    if (!held) return;
    held = false;
    client.off('end', lost);
    release(broken);
  };
  const lost = () => giveBack(true);
  client.on('end', lost);
  // Who still holds it may give it back a second time, which the pool would take for a mistake.
  client.release = giveBack;
}
