import pg from 'pg';

/**
 * Plain connections for named SQL on hot paths, beside the ORM's own. Sessions run in UTC; timestamps arrive as PostgreSQL writes them.
 * @param max most connections held
 * @param onLost told when an idle connection breaks (a restart of the server): the pool itself goes on with new ones
 */
export function createPool(databaseUrl: string, max: number, onLost: (error: Error) => void = () => {}): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max,
    options: '-c timezone=UTC',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  pool.on('error', onLost);
  return pool;
}
