import type { Sql } from '../../db/sql.ts';
import { ConflictError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/uris.ts';
import { subscribe, unsubscribe } from './subscribing.ts';

/** @returns the id of the new subscription. @throws ConflictError for who is on the list already */
export async function addSubscription(sql: Sql, userId: number, listId: number): Promise<number> {
  const [added] = await subscribe(sql, { userIds: [userId], listIds: [listId], change: 'subscribe_api' });
  if (added) return added.id;
  const [held] = await sql<{ id: number }>('select id from core_subscription where user_id = $1 and list_id = $2', [userId, listId]);
  throw new ConflictError('user', String(userId), held ? uriOf('subscription', held.id) : null);
}

export async function endSubscription(sql: Sql, id: number): Promise<void> {
  const [held] = await sql<{ user_id: number; list_id: number }>('select user_id, list_id from core_subscription where id = $1', [id]);
  if (held) await unsubscribe(sql, { userIds: [held.user_id], listIds: [held.list_id], change: 'unsubscribe_admin' });
}
