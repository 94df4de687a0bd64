import type { Sql } from '../../db/sql.ts';
import { STOPPABLE } from '../../domain/mailing-status.ts';

/**
 * A mailing that is to go out by itself in a wrapper: the one it names, or the one of those that name none. Without it the mailing would go out in another one, or in none.
 * @returns its id; null when there is none
 */
export async function mailingInWrapper(sql: Sql, wrapperId: number): Promise<number | null> {
  const [used] = await sql<{ id: number }>(
    `select m.id from core_mailing m where m.status = any($2::text[]) and coalesce(m.emailwrapper_id,
       (select id from core_emailwrapper where is_default order by id limit 1)) = $1 order by m.id limit 1`,
    [wrapperId, STOPPABLE],
  );
  return used?.id ?? null;
}
