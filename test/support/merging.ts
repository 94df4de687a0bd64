import type pg from 'pg';
import { mergeUsers } from '../../core/people/merge.ts';
import { inOneTransaction } from '../../db/transaction.ts';

/** Merges users into one, whose address and source are kept, as the worker does it. @param lists the one who stays is on; all of them without it */
export async function merge(pool: pg.Pool, primary: number, users: number[], lists: number[] | null = null): Promise<void> {
  const { rows } = await pool.query(
    'insert into core_usermerge (primary_user, users, address_user, source_user, lists) values ($1, $2, $1, $1, $3) returning id',
    [primary, JSON.stringify(users), lists && JSON.stringify(lists)],
  );
  await inOneTransaction(pool, (sql) => mergeUsers(sql, rows[0].id));
}
