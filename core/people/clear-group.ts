import type { Sql } from '../../db/sql.ts';

/** People one transaction takes out of a group. */
const BATCH = 5000;

/**
 * Takes some of the people out of a group that is about to be deleted, the first there are behind the user `after`. All at once, whoever is put into the group,
 * or goes out of it, would wait for the last of them, each on a connection everybody else has need of.
 * @returns the last of them; null when the rest may go with the group
 */
export async function clearGroup(sql: Sql, groupId: number, after: number): Promise<number | null> {
  const found = await sql<{ user_id: number }>(
    'select user_id from core_user_groups where usergroup_id = $1 and user_id > $2 order by user_id limit $3',
    [groupId, after, BATCH],
  );
  if (found.length < BATCH) return null;
  const last = found.at(-1)!.user_id;
  await sql('delete from core_user_groups where usergroup_id = $1 and user_id > $2 and user_id <= $3', [groupId, after, last]);
  return last;
}
