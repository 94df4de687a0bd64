import type { Sql } from '../../db/sql.ts';

/** Somebody who is subscribed, always the same one; null where nobody is. */
export async function anybody(sql: Sql): Promise<number | null> {
  const [first] = await sql<{ id: number }>(`select id from core_user where subscription_status = 'subscribed' order by id limit 1`);
  return first?.id ?? null;
}
