import type pg from 'pg';

/**
 * Runs `work` in a transaction of its own. A signal ends it on the server too: at once where another connection can ask for that, else within a second, when
 * the server notices that nobody is there any more.
 * @throws the signal's reason once it is given; whatever `work` throws, after rolling back
 */
export async function inAbortableTransaction<Result>(
  pool: pg.Pool,
  signal: AbortSignal | undefined,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const client = await pool.connect();
  if (signal?.aborted) client.release();
  signal?.throwIfAborted();
  const ignore = () => undefined;
  client.on('error', ignore);
  let failure: Error | undefined;
  let backend: number | undefined;
  const hangUp = () => {
    client.release(true);
    if (backend) void pool.query('select pg_cancel_backend($1)', [backend]).catch(ignore);
  };
  signal?.addEventListener('abort', hangUp, { once: true });
  try {
    await client.query('begin');
    const { rows } = await client.query<{ pid: number }>(
      `select pg_backend_pid() as pid, set_config('client_connection_check_interval', '1s', true)`,
    );
    backend = rows[0]!.pid;
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    failure = error as Error;
    signal?.throwIfAborted();
    await client.query('rollback').catch(ignore);
    throw error;
  } finally {
    backend = undefined;
    signal?.removeEventListener('abort', hangUp);
    client.off('error', ignore);
    if (!signal?.aborted) client.release(failure);
  }
}
