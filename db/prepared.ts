import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Sql } from './sql.ts';

/** Statements a connection keeps prepared; what is made up of columns somebody sent has too many shapes to be worth it. */
const MOST_PREPARED = 300;

const names = new Map<string, string>();

/** Statements on a plain connection or pool that stay prepared on each connection: parsing and planning wide ones takes longer than running them. */
export function preparedOn(connection: pg.Pool | pg.ClientBase): Sql {
  return async (text, values = []) => (await connection.query({ ...named(text), text, values })).rows as never;
}

function named(text: string): { name?: string } {
  const known = names.get(text);
  if (known) return { name: known };
  if (names.size >= MOST_PREPARED) return {};
  const name = `kept-${createHash('sha1').update(text).digest('base64url')}`;
  names.set(text, name);
  return { name };
}
