import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import type pg from 'pg';

/** Runs one statement with `$1` placeholders and gives its rows. What it runs in (a transaction, a pool) is the maker's choice. */
export type Sql = <Row = Record<string, unknown>>(text: string, values?: unknown[]) => Promise<Row[]>;

/** Statements inside the transaction `em` is in. Values are bound, not pasted in as em.execute() does. */
export function sqlOf(em: EntityManager): Sql {
  return async (text, values = []) => (await em.getKysely().executeQuery(CompiledQuery.raw(text, values))).rows as never;
}

/** Statements on a connection or a pool of the `pg` package. */
export function sqlOn(connection: pg.Pool | pg.ClientBase): Sql {
  return async (text, values = []) => (await connection.query(text, values)).rows as never;
}
