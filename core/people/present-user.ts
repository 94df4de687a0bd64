import type { Sql } from '../../db/sql.ts';
import { ERASED } from './erased.ts';

/** Whom a link of an old mail is of by now: they may have been merged with somebody else since. @returns null for nobody, which somebody erased is, too */
export async function presentUser(sql: Sql, id: number): Promise<number | null> {
  const [user] = await sql<{ id: number }>(`select u.id from core_user u where u.id = core_present_user($1) and not ${ERASED}`, [id]);
  return user?.id ?? null;
}

/**
 * The same, be they erased or not, held until the transaction ends: who is written down as having done something, or brought somebody along, is not merged away meanwhile.
 * @param as `no key update` where what is theirs is changed
 */
export async function holdPresentUser(sql: Sql, id: number, as: 'key share' | 'no key update' = 'key share'): Promise<number | null> {
  for (;;) {
    const [held] = await sql<{ id: number }>(`select id from core_user where id = core_present_user($1) for ${as}`, [id]);
    if (held) return held.id;
    // A merge that was under way may have taken whom we waited for, and another one who they had become.
    const [present] = await sql<{ id: number | null }>('select core_present_user($1) as id', [id]);
    if (present!.id === null) return null;
  }
}
