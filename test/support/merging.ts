import type pg from 'pg';
import { mergeUsers } from '../../core/people/merge.ts';
import { inOneTransaction } from '../../db/transaction.ts';

/** Merges users into one, whose address and source are kept, as the worker does it. */
export async function merge(pool: pg.Pool, primary: number, users: number[]): Promise<void> {
  const { rows } = await pool.query(
    'insert into core_usermerge (primary_user, users, address_user, source_user) values ($1, $2, $1, $1) returning id',
    [primary, JSON.stringify(users)],
  );
  await inOneTransaction(pool, (sql) => mergeUsers(sql, rows[0].id));
}
