import type { Pool } from '../../db/driver.ts';

/** The addresses of those of the users who are there, by id. */
export async function emailsOf(pool: Pool, userIds: number[]): Promise<Map<number, string>> {
  const { rows } = await pool.query<{ id: number; email: string }>('select id, email from core_user where id = any($1)', [userIds]);
  return new Map(rows.map(({ id, email }) => [id, email]));
}
