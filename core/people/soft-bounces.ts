import type { Sql } from '../../db/sql.ts';

/** How many soft bounces somebody's address had in the last days. Counted anew from a merge on, and from a change of the address: those before are of other addresses. */
export async function softBounces(sql: Sql, userId: number, days: number): Promise<number> {
  const [row] = await sql<{ n: number }>(
    `select count(*)::int as n from core_bounce where user_id = $1 and kind = 'soft' and not of_former and created_at > now() - make_interval(days => $2)
       and created_at > coalesce((select max(updated_at) from core_usermerge where primary_user = $1 and status = 'complete'), '-infinity')
       and created_at > coalesce((select max(created_at) from core_formeremail where user_id = $1), '-infinity')`,
    [userId, days],
  );
  return row!.n;
}
