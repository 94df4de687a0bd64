import type { Sql } from '../../db/sql.ts';
import { isPageOfType } from './find-page.ts';

/** Actions one transaction takes away. */
const BATCH = 1000;

/**
 * Takes some of the actions of a page away that is about to be deleted, the first there are behind the action `after`, and holds the page for none of them: whoever acts
 * on it meanwhile would wait for all of them, each on a connection everybody else has need of.
 * @returns the last of them; null when the rest may go with the page: few are left, or the page stays, since orders name its actions, or what its actions did is to be taken
 *   back by what is known of all of them (core/events/take-back.ts)
 */
export async function clearActions(sql: Sql, pageId: number, after: number): Promise<number | null> {
  const found = await sql<{ id: number }>('select id from core_action where page_id = $1 and id > $2 order by id limit $3', [
    pageId,
    after,
    BATCH,
  ]);
  if (found.length < BATCH || (await isPageOfType(sql, pageId, 'eventsignup'))) return null;
  if (after === 0) {
    const [stays] = await sql(
      `select from core_action a where a.page_id = $1 and (exists (select from core_order o where o.action_id = a.id)
         or exists (select from core_orderrecurring r where r.action_id = a.id)) limit 1`,
      [pageId],
    );
    if (stays) return null;
  }
  await sql('delete from core_action where id = any($1::int[]) and page_id = $2', [found.map(({ id }) => id), pageId]);
  return found.at(-1)!.id;
}
