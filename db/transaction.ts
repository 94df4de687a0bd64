import type pg from 'pg';
import { WITHOUT_LIMITS } from './no-limits.ts';
import { preparedOn } from './prepared.ts';
import { type Sql, sqlOn } from './sql.ts';

const TRIES = 3;
/** Serialization failure and deadlock: nothing was changed, and the same again will do. */
export const AGAIN: ReadonlySet<string> = new Set(['40001', '40P01']);
/** What was to be held belongs to something else by now: nothing was changed yet. */
export class MovedMeanwhileError extends Error {
  readonly code = '40001';
}
/** And where what a row refers to went between the look and the write: whoever looks again sees that it is gone. */
export const AGAIN_WHERE_GONE: ReadonlySet<string> = new Set([...AGAIN, '23503']);

/** Runs a transaction, or a statement that is one, again when it met a deadlock. */
export async function againAfterDeadlock<Result>(work: () => Promise<Result>, again: ReadonlySet<string> = AGAIN): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES || !again.has((error as { code?: string }).code ?? '')) throw error;
    }
  }
}

/**
 * Runs `work` in one transaction on a connection of its own.
 * @param keep whether the connection can be used again after an error: not where it may be in the middle of a COPY
 */
export async function onOneConnection<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
  { keep = true }: { keep?: boolean } = {},
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection that is lost says so twice: to the statement under way, and here, where silence would end the process.
  const onLost = (error: Error) => {
    broken = error;
  };
  client.on('error', onLost);
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    if (!keep) broken ??= error as Error;
    // A connection that cannot even roll back is thrown away; the server has rolled back by itself then.
    else
      await client.query('rollback').catch((failed: Error) => {
        broken = failed;
      });
    throw error;
  } finally {
    client.off('error', onLost);
    client.release(broken);
  }
}

export const inOneTransaction = <Result>(pool: pg.Pool, work: (sql: Sql, client: pg.PoolClient) => Promise<Result>): Promise<Result> =>
  onOneConnection(pool, (client) => work(sqlOn(client), client));

/** The same for what takes its time by the size of what there is, and is tried again until it is done: no limit of an operator's ends it. */
export const inLongTransaction = <Result>(pool: pg.Pool, work: (sql: Sql, client: pg.PoolClient) => Promise<Result>): Promise<Result> =>
  inOneTransaction(pool, async (sql, client) => {
    await sql(WITHOUT_LIMITS);
    return work(sql, client);
  });

/** The same with statements that stay prepared, where planning them takes longer than running them. Deadlocks, and what was deleted meanwhile, are tried again. */
export const inPreparedTransaction = <Result>(pool: pg.Pool, work: (sql: Sql) => Promise<Result>): Promise<Result> =>
  againAfterDeadlock(() => onOneConnection(pool, (client) => work(preparedOn(client))), AGAIN_WHERE_GONE);
