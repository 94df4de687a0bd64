import pg from 'pg';
import { IDLE_LIMIT } from './idle-transactions.ts';
import { NO_TRANSACTION_LIMIT } from './no-limits.ts';

export interface AbortableSettings {
  /** Settings of PostgreSQL for this transaction. */
  session?: Record<string, string | number>;
  /** Nothing is changed by it: its end is nothing that could be lost, and nothing to wait for. */
  reads?: boolean;
  /** Whose connections ask for the end of a statement: a pool that is not busy with such statements itself. */
  beside?: pg.Pool;
}

/**
 * Runs `work` in a transaction of its own. A signal ends it on the server too: at once where another connection can ask for that, else within a second, when
 * the server notices that nobody is there any more.
 * @throws the signal's reason once it is given; whatever `work` throws, after rolling back
 */
export async function inAbortableTransaction<Result>(
  pool: pg.Pool,
  signal: AbortSignal | undefined,
  work: (client: pg.PoolClient) => Promise<Result>,
  { session = {}, reads = false, beside = pool }: AbortableSettings = {},
): Promise<Result> {
  signal?.throwIfAborted();
  const client = await pool.connect();
  if (signal?.aborted) client.release();
  signal?.throwIfAborted();
  const ignore = () => undefined;
  client.on('error', ignore);
  let failure: Error | undefined;
  let backend: number | undefined;
  let ending: Promise<unknown> | undefined;
  const hangUp = () => {
    client.release(true);
    if (backend) void beside.query('select pg_cancel_backend($1)', [backend]).catch(ignore);
  };
  signal?.addEventListener('abort', hangUp, { once: true });
  try {
    // Whatever an operator has set for login or database: what takes longer than that for its size would be ended the same way each time it is tried again.
    const set = Object.entries({ client_connection_check_interval: '1s', statement_timeout: 0, ...IDLE_LIMIT, ...session })
      .map(([name, value]) => `, set_config('${name}', ${pg.escapeLiteral(String(value))}, true)`)
      .join('');
    const answers = await client.query(`begin; select pg_backend_pid() as pid, ${NO_TRANSACTION_LIMIT}${set}`);
    backend = (answers as unknown as pg.QueryResult<{ pid: number }>[])[1]!.rows[0]!.pid;
    const result = await work(client);
    if (reads) ending = client.query('rollback');
    else await client.query('commit');
    return result;
  } catch (error) {
    failure = error as Error;
    signal?.throwIfAborted();
    await client.query('rollback').catch(ignore);
    throw error;
  } finally {
    backend = undefined;
    signal?.removeEventListener('abort', hangUp);
    // As it is now: who hangs up later has had the answer.
    const gone = signal?.aborted;
    const giveBack = (error: Error | undefined) => {
      client.off('error', ignore);
      if (!gone) client.release(error);
    };
    if (ending) void ending.then(() => giveBack(undefined), giveBack);
    else giveBack(failure);
  }
}
