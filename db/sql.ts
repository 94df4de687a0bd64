import type pg from 'pg';

/** Runs one statement with `$1` placeholders and gives its rows. What it runs in (a transaction, a pool) is the maker's choice. */
export type Sql = <Row = Record<string, unknown>>(text: string, values?: unknown[]) => Promise<Row[]>;

/** Statements on a connection or a pool of the `pg` package. */
export function sqlOn(connection: pg.Pool | pg.ClientBase): Sql {
  return async (text, values = []) => (await connection.query(text, values)).rows as never;
}

/** Runs `work` in one transaction on a connection of its own; rolled back where it throws. */
export async function inOneTransaction<Result>(pool: pg.Pool, work: (sql: Sql, client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection that is lost says so twice: to the statement under way, and here, where silence would end the process.
  const onLost = (error: Error) => {
    broken = error;
  };
  client.on('error', onLost);
  try {
    await client.query('begin');
    const result = await work(sqlOn(client), client);
    await client.query('commit');
    return result;
  } catch (error) {
    // A connection that cannot even roll back is thrown away; the server has rolled back by itself then.
    await client.query('rollback').catch((failed: Error) => {
      broken = failed;
    });
    throw error;
  } finally {
    client.off('error', onLost);
    client.release(broken);
  }
}
