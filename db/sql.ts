import type pg from 'pg';

/**
 * Runs one statement with `$1` placeholders and gives its rows. What it runs in (a transaction, a pool) is the maker's choice.
 * @param madeUp of columns that somebody sent: it has as many shapes as there are choices of them
 */
export type Sql = <Row = Record<string, unknown>>(text: string, values?: unknown[], madeUp?: boolean) => Promise<Row[]>;

/** Statements on a connection or a pool of the `pg` package. */
export function sqlOn(connection: pg.Pool | pg.ClientBase): Sql {
  return async (text, values = []) => (await connection.query(text, values)).rows as never;
}
