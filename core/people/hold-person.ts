import type { Sql } from '../../db/sql.ts';

/** By which column the rows of a table say whose they are. */
const WHOSE = {
  core_action: 'user_id',
  core_order: 'user_id',
  core_orderuserdetail: 'user_id',
  core_phone: 'user_id',
  core_subscription: 'user_id',
  core_userfield: 'parent_id',
  core_usergeofield: 'user_id',
  events_event: 'creator_id',
  events_eventsignup: 'user_id',
} as const;

/**
 * Before a row is held that is somebody's: holds them, as whoever deletes, merges or erases them does before they come to the row.
 * @param as `no key update` where the person changes with the row
 * @param next whose it becomes: both are held in one order, lest two that go opposite ways wait for each other
 */
export async function holdPerson(
  sql: Sql,
  table: keyof typeof WHOSE,
  id: number,
  { as = 'key share', next }: { as?: 'key share' | 'no key update'; next?: unknown } = {},
): Promise<void> {
  const whose = `select ${WHOSE[table]} from ${table} where id = $1`;
  await sql(`select from core_user where id in ((${whose}), $2::int) order by id for ${as}`, [id, next]);
}

/** What something belongs to and what it is given to, in the one order everybody holds them in. */
export const bothInOrder = (id: number, next: number = id): number[] => [...new Set([id, next])].toSorted((a, b) => a - b);
