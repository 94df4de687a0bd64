import type pg from 'pg';

/** Runs one statement with `$1` placeholders and gives its rows. What it runs in (a transaction, a pool) is the maker's choice. */
export type Sql = <Row = Record<string, unknown>>(text: string, values?: unknown[]) => Promise<Row[]>;

/** Statements on a connection or a pool of the `pg` package. */
export function sqlOn(connection: pg.Pool | pg.ClientBase): Sql {
  return async (text, values = []) => (await connection.query(text, values)).rows as never;
}
