import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Sql } from './sql.ts';

/** Statements a connection keeps prepared. */
const MOST_PREPARED = 300;
/** Beside them, of those made up of columns that somebody sent: they have too many shapes for all to be kept, and take no place of the others. */
const MOST_MADE_UP = 100;

const names = new Map<string, string>();
const namesOfMadeUp = new Map<string, string>();

/** Statements on a plain connection or pool that stay prepared on each connection: parsing and planning wide ones takes longer than running them. */
export function preparedOn(connection: pg.Pool | pg.ClientBase): Sql {
  return async (text, values = [], madeUp = false) => {
    const name = madeUp ? named(text, namesOfMadeUp, MOST_MADE_UP) : named(text, names, MOST_PREPARED);
    return (await connection.query({ ...name, text, values })).rows as never;
  };
}

function named(text: string, known: Map<string, string>, most: number): { name?: string } {
  const there = known.get(text);
  if (there) return { name: there };
  if (known.size >= most) return {};
  const name = `kept-${createHash('sha1').update(text).digest('base64url')}`;
  known.set(text, name);
  return { name };
}
