import type { Sql } from '../../db/sql.ts';
import { ERASED } from './erased.ts';

/** Whom a link of an old mail is of by now: they may have been merged with somebody else since. @returns null for nobody, which somebody erased is, too */
export async function presentUser(sql: Sql, id: number): Promise<number | null> {
  const [user] = await sql<{ id: number }>(`select u.id from core_user u where u.id = core_present_user($1) and not ${ERASED}`, [id]);
  return user?.id ?? null;
}

/** The same, be they erased or not, held until the transaction ends: who is written down as having done something, or brought somebody along, is not merged away meanwhile. */
export async function holdPresentUser(sql: Sql, id: number): Promise<number | null> {
  const hold = () => sql<{ id: number }>('select id from core_user where id = core_present_user($1) for key share', [id]);
  // Asked again: a merge that was under way may have taken whom we waited for.
  const held = (await hold())[0] ?? (await hold())[0];
  return held?.id ?? null;
}
