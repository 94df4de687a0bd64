import type { Sql } from '../../db/sql.ts';
import type { SubscriptionChange, SubscriptionStatus } from '../../domain/words.ts';
import { ERASED } from './erased.ts';

// Who is on which list changes here and nowhere else: the subscription, its history and the person's status move together. Set-wise, so
// that one person and a million cost the same number of statements. All of it has to run inside a transaction.

export interface Subscribing {
  userIds: number[];
  listIds: number[];
  change: SubscriptionChange;
  /** The action it was done with. */
  actionId?: number | null;
  /** The transaction holds their rows, or has made them. */
  held?: boolean;
}

export interface Unsubscribing {
  userIds: number[];
  /** Absent: off every list. */
  listIds?: number[];
  change: SubscriptionChange;
  actionId?: number | null;
  /** `bounced` also marks those who were on no list. */
  becomes?: Extract<SubscriptionStatus, 'unsubscribed' | 'bounced'>;
  /** The transaction holds their rows, or has made them. */
  held?: boolean;
}

/**
 * People's rows first, always in the same order: of two changes of one person the second sees what the first did, and two sets that
 * overlap cannot wait for each other.
 */
async function holdPeople(sql: Sql, userIds: number[]): Promise<void> {
  await sql('select id from core_user where id = any($1::int[]) order by id for no key update', [userIds]);
}

/**
 * Puts each person on each list. Who is on a list already stays on it, without a line in the history, and who was erased comes onto none: their placeholder address would be
 * mailed. The action it was done with says that it subscribed somebody.
 * @returns the subscriptions that are new
 */
export async function subscribe(
  sql: Sql,
  { userIds, listIds, change, actionId = null, held = false }: Subscribing,
): Promise<{ id: number; user_id: number; list_id: number }[]> {
  if (userIds.length === 0 || listIds.length === 0) return [];
  if (!held) await holdPeople(sql, userIds);
  return sql(
    `with added as (
       insert into core_subscription (user_id, list_id)
       select u.id, l.id from core_user u cross join core_list l where u.id = any($1::int[]) and l.id = any($2::int[]) and not ${ERASED}
       on conflict (user_id, list_id) do nothing
       returning id, user_id, list_id
     ), told as (
       insert into core_subscriptionhistory (user_id, list_id, change, action) select user_id, list_id, $3::text, $4::int from added
     ), moved as (
       update core_user set subscription_status = 'subscribed', updated_at = now()
       where id in (select user_id from added) and subscription_status <> 'subscribed'
     ), marked as (
       update core_action set subscribed_user = true where id = $4::int and not subscribed_user and exists (select from added)
     )
     select id, user_id, list_id from added`,
    [userIds, listIds, change, actionId],
  );
}

/** People who come onto one list, each by an action of their own. */
export interface Joining {
  joining: { userId: number; actionId: number }[];
  listId: number;
  change: SubscriptionChange;
}

/**
 * Puts each person on the list, with the action they did it by; those actions say so, too. Who is on it already stays on it.
 */
export async function joinList(sql: Sql, { joining, listId, change }: Joining): Promise<void> {
  if (joining.length === 0) return;
  const userIds = joining.map(({ userId }) => userId);
  await holdPeople(sql, userIds);
  await sql(
    `with given as (select * from unnest($1::int[], $2::int[]) x (user_id, action_id)), added as (
       insert into core_subscription (user_id, list_id) select user_id, $3 from given on conflict (user_id, list_id) do nothing returning user_id
     ), by as (
       select user_id, action_id from given join added using (user_id)
     ), told as (
       insert into core_subscriptionhistory (user_id, list_id, change, action) select user_id, $3, $4::text, action_id from by
     ), marked as (
       update core_action set subscribed_user = true where id in (select action_id from by)
     )
     update core_user set subscription_status = 'subscribed', updated_at = now()
     where id in (select user_id from added) and subscription_status <> 'subscribed'`,
    [userIds, joining.map(({ actionId }) => actionId), listId, change],
  );
}

/**
 * The same for people made in this very transaction, with the status `subscribed`, and actions that say so: nobody else can have touched them,
 * so that there is nothing to hold, to look for or to change.
 */
export async function joinListNew(sql: Sql, { joining, listId, change }: Joining): Promise<void> {
  if (joining.length === 0) return;
  await sql(
    `with given as (select * from unnest($1::int[], $2::int[]) x (user_id, action_id)), added as (
       insert into core_subscription (user_id, list_id) select user_id, $3 from given
     )
     insert into core_subscriptionhistory (user_id, list_id, change, action) select user_id, $3, $4::text, action_id from given`,
    [joining.map(({ userId }) => userId), joining.map(({ actionId }) => actionId), listId, change],
  );
}

/**
 * Takes each person off the lists. Who leaves the last list becomes unsubscribed; who was on none stays as they were.
 * @returns how many subscriptions ended
 */
export async function unsubscribe(
  sql: Sql,
  { userIds, listIds, change, actionId = null, becomes = 'unsubscribed', held = false }: Unsubscribing,
): Promise<number> {
  if (userIds.length === 0) return 0;
  if (!held) await holdPeople(sql, userIds);
  const [row] = await sql<{ ended: string }>(
    `with gone as (
       delete from core_subscription where user_id = any($1::int[]) and ($2::int[] is null or list_id = any($2::int[]))
       returning user_id, list_id
     ), told as (
       insert into core_subscriptionhistory (user_id, list_id, change, action) select user_id, list_id, $3::text, $4::int from gone
     ), moved as (
       update core_user u set subscription_status = $5::text, updated_at = now()
       where u.id = any($1::int[]) and u.subscription_status <> $5::text
         and ($5::text = 'bounced' or u.id in (select user_id from gone))
         and not exists (
           select from core_subscription s where s.user_id = u.id
           and not exists (select from gone where gone.user_id = s.user_id and gone.list_id = s.list_id))
     )
     select count(*) as ended from gone`,
    [userIds, listIds ?? null, change, actionId, becomes],
  );
  return Number(row!.ended);
}

/**
 * Leaves the one who stays of people who are merged on these lists, on each of which somebody of them is. The transaction holds their rows, and their history is the primary's already.
 * Where a list's people change, or the last line is that of somebody who had left it, what there was ends in the history, and what is kept begins: so its lines add up to how
 * many are on it, and the last one says whether somebody is.
 */
export async function mergeSubscriptions(
  sql: Sql,
  { primary, merged, listIds }: { primary: number; merged: number[]; listIds: number[] },
): Promise<void> {
  await sql(
    `with was as (
       select list_id, count(*)::int as many, bool_or(user_id = $1) as there, min(id) filter (where user_id <> $1) as first, list_id = any($3::int[]) as kept,
         coalesce((select change like 'unsubscribe%' from core_subscriptionhistory h where h.user_id = $1 and h.list_id = s.list_id order by h.id desc limit 1), false) as left_last
       from core_subscription s where user_id = $1 or user_id = any($2::int[]) group by list_id
     ), moved as (
       update core_subscription s set user_id = $1, updated_at = now() from was where s.id = was.first and kept and not there
     ), gone as (
       delete from core_subscription s using was where s.list_id = was.list_id and (s.user_id = any($2::int[]) or s.user_id = $1 and not kept)
         and not (kept and not there and s.id = was.first)
     ), told as (
       insert into core_subscriptionhistory (user_id, list_id, change)
       select $1, list_id, change from (
         select list_id, 1 as nth, 'unsubscribe_merge' as change from was cross join generate_series(1, many) where many > 1 or not there or not kept or left_last
         union all select list_id, 2, 'subscribe' from was where kept and (many > 1 or not there or left_last)) line
       order by list_id, nth
     )
     update core_user set subscription_status = case
       when exists (select from was where kept and not there) then 'subscribed'
       when exists (select from was where there) and not exists (select from was where kept) then 'unsubscribed'
       else subscription_status end
     where id = $1`,
    [primary, merged, listIds],
  );
}

/**
 * Takes people off a list that is about to be deleted, without a line in its history; people who were on no other become unsubscribed.
 * @param most so many of them; everyone when absent
 * @returns how many were found on it, and how many of them were taken off: not who left by themselves at that moment
 */
export async function emptyList(sql: Sql, listId: number, most: number | null = null): Promise<{ found: number; gone: number }> {
  const found = await sql<{ user_id: number }>('select user_id from core_subscription where list_id = $1 order by user_id limit $2', [
    listId,
    most,
  ]);
  const people = found.map(({ user_id }) => user_id);
  // By the ids themselves, each looked up: a join is planned by statistics, and those of tables that were just filled can say that nobody is there.
  await sql('select from core_user where id = any($1) order by id for no key update', [people]);
  const gone = await sql('delete from core_subscription where list_id = $1 and user_id = any($2) returning user_id', [listId, people]);
  await sql(
    `update core_user set subscription_status = 'unsubscribed', updated_at = now()
     where id = any($1) and subscription_status = 'subscribed'
       and not exists (select from core_subscription where user_id = core_user.id offset 0)`,
    [people],
  );
  return { found: people.length, gone: gone.length };
}
