import type { Sql } from '../../db/sql.ts';
import { ConflictError, InputError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/uris.ts';
import { run, tables } from '../../entities/tables.ts';
import { isErased } from './erased.ts';
import { subscribe, unsubscribe } from './subscribing.ts';

const subscriptions = tables.selectFrom('core_subscription').select(['id', 'user_id', 'list_id']);

/** @returns the id of the new subscription. @throws ConflictError for who is on the list already, InputError for who was erased */
export async function addSubscription(sql: Sql, userId: number, listId: number): Promise<number> {
  const [added] = await subscribe(sql, { userIds: [userId], listIds: [listId], change: 'subscribe_api' });
  if (added) return added.id;
  if (await isErased(sql, userId)) throw new InputError({ user: `User ${userId} was erased.` });
  const held = await subscriptionOf(sql, userId, listId);
  throw new ConflictError('user', String(userId), held === null ? null : uriOf('subscription', held));
}

/** The id of somebody's subscription to a list; null where they are not on it. */
export async function subscriptionOf(sql: Sql, userId: number, listId: number): Promise<number | null> {
  const [held] = await run(sql, subscriptions.where('user_id', '=', userId).where('list_id', '=', listId));
  return held?.id ?? null;
}

export async function endSubscription(sql: Sql, id: number): Promise<void> {
  const [held] = await run(sql, subscriptions.where('id', '=', id));
  if (held) await unsubscribe(sql, { userIds: [held.user_id], listIds: [held.list_id], change: 'unsubscribe_admin' });
}
