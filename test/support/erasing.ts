import type pg from 'pg';
import { eraseUser } from '../../core/people/erase.ts';
import { inOneTransaction } from '../../db/transaction.ts';

/** Erases a user, as the worker does it. */
export async function erase(pool: pg.Pool, userId: number): Promise<void> {
  const { rows } = await pool.query('insert into core_erasure (user_id) values ($1) returning id', [userId]);
  await inOneTransaction(pool, (sql) => eraseUser(sql, rows[0].id, 'secret'));
}
