import type { Sql } from '../../db/sql.ts';

/** SQL over `u`, a row of core_user: whether this user was erased. Such a row stays, and is to be sent nowhere. */
export const ERASED = `exists (select from core_erasure e where e.user_id = u.id and e.status = 'complete')`;

/** Whether there is this user, and they were erased. */
export async function isErased(sql: Sql, id: number): Promise<boolean> {
  return (await sql(`select from core_user u where id = $1 and ${ERASED}`, [id])).length > 0;
}
