import type { Sql } from '../../db/sql.ts';
import { ERASED } from './erased.ts';

/** Whom a link of an old mail is of by now: they may have been merged with somebody else since. @returns null for nobody, which somebody erased is, too */
export async function presentUser(sql: Sql, id: number): Promise<number | null> {
  const [user] = await sql<{ id: number }>(`select u.id from core_user u where u.id = core_present_user($1) and not ${ERASED}`, [id]);
  return user?.id ?? null;
}
