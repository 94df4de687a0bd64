import type { Sql } from '../../db/sql.ts';
import { StillNamedError } from '../../domain/errors.ts';
import { takeBackSignupsOf } from '../events/take-back.ts';
import { isPageOfType } from './find-page.ts';

/** Actions one transaction takes away. */
const BATCH = 1000;

/**
 * Takes some of the actions of a page away that is about to be deleted, the first there are behind the action `after`, and holds the page for none of them: whoever acts
 * on it meanwhile would wait for all of them, each on a connection everybody else has need of.
 * @returns the last of them; null when the rest may go with the page: few are left
 * @throws StillNamedError before any is gone, where orders name some
 */
export async function clearActions(sql: Sql, pageId: number, after: number): Promise<number | null> {
  if (after === 0) await refusePaid(sql, pageId);
  const found = await sql<{ id: number }>('select id from core_action where page_id = $1 and id > $2 order by id limit $3', [
    pageId,
    after,
    BATCH,
  ]);
  if (found.length < BATCH) return null;
  const ids = found.map(({ id }) => id);
  if (await isPageOfType(sql, pageId, 'eventsignup')) await takeBackSignupsOf(sql, pageId, ids);
  await holdWhoLeft(sql, pageId, ids);
  await sql('delete from core_action where id = any($1::int[]) and page_id = $2', [ids, pageId]);
  return ids.at(-1)!;
}

/** The same of all that are left, before the page itself goes. */
export async function clearRest(sql: Sql, pageId: number): Promise<void> {
  if (await isPageOfType(sql, pageId, 'eventsignup')) await takeBackSignupsOf(sql, pageId);
  await holdWhoLeft(sql, pageId);
}

/** Whom the results of a mailing count are held by its tallies, and by whoever merges or erases them before they come to what they did. */
async function holdWhoLeft(sql: Sql, pageId: number, among: number[] | null = null): Promise<void> {
  await sql(
    `select from core_user where id = any(array(
       select h.user_id from core_action a join core_subscriptionhistory h on h.action = a.id
       where a.page_id = $1 and ($2::int[] is null or a.id = any($2::int[])) and h.mailing_id is not null)) order by id for no key update`,
    [pageId, among],
  );
}

/** What was given on a page stays, and the page with it. The first order found says so: to hear it from the database all actions would be deleted before. */
async function refusePaid(sql: Sql, pageId: number): Promise<void> {
  for (const resource of ['order', 'orderrecurring']) {
    const found = await sql(`select from core_${resource} o join core_action a on a.id = action_id where page_id = $1 limit 1`, [pageId]);
    if (found.length > 0) throw new StillNamedError(resource);
  }
}
