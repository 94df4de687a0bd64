import type { Pool } from '../../db/driver.ts';
import type { Sql } from '../../db/sql.ts';
import type { Targeting, TargetingField } from '../../domain/targeting/fields.ts';
import { RebuildError } from './rebuild-error.ts';

/** What somebody may be kept out by that can be deleted, and the table it is in. */
const TABLES = {
  lists: 'core_list',
  tags: 'core_tag',
  languages: 'core_language',
  actions: 'core_page',
  campaigns: 'events_campaign',
  target_groups: 'core_targetgroup',
} as const satisfies { [Field in TargetingField]?: string };

type Field = keyof typeof TABLES;

/** Something is deleted a part at a time: from the first part on it keeps out those alone whose part is left, also where the deletion was broken off. In the transaction of that part. */
export async function noteGoing(sql: Sql, table: string, id: number): Promise<void> {
  if (!(Object.values(TABLES) as string[]).includes(table)) return;
  await sql('insert into targeting_going (of_table, id) values ($1, $2) on conflict do nothing', [table, id]);
}

/**
 * What is gone, or going, matches nobody any more, or not all: whoever was to be kept out by it would be mailed, because somebody else has deleted a list or a tag.
 * @throws RebuildError naming what excludes refers to and is gone
 */
export async function refuseGoneExcludes(db: Pick<Pool, 'query'>, excludes: Targeting): Promise<void> {
  const gone: string[] = [];
  for (const field of Object.keys(TABLES) as Field[]) {
    const ids = excludes[field] ?? [];
    if (!ids.length) continue;
    const { rows } = await db.query<{ id: number }>(
      `select id from unnest($1::int[]) as x (id) where not exists (select from ${TABLES[field]} t where t.id = x.id)
         or exists (select from targeting_going g where g.of_table = $2 and g.id = x.id)`,
      [ids, TABLES[field]],
    );
    if (rows.length)
      gone.push(
        `excludes: ${field} refers to what was deleted since: ${rows.map(({ id }) => id).join(', ')}. Take it out, or say otherwise whom to leave out.`,
      );
  }
  if (gone.length) throw new RebuildError(gone);
}
