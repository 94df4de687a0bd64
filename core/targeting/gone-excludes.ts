import type { Pool } from '../../db/driver.ts';
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

/**
 * What is gone matches nobody: whoever was to be kept out by it would be mailed, because somebody else has deleted a list or a tag.
 * @throws RebuildError naming what excludes refers to and is gone
 */
export async function refuseGoneExcludes(db: Pick<Pool, 'query'>, excludes: Targeting): Promise<void> {
  const gone: string[] = [];
  for (const field of Object.keys(TABLES) as Field[]) {
    const ids = excludes[field] ?? [];
    if (!ids.length) continue;
    const { rows } = await db.query<{ id: number }>(
      `select id from unnest($1::int[]) as x (id) where not exists (select from ${TABLES[field]} t where t.id = x.id)`,
      [ids],
    );
    if (rows.length)
      gone.push(
        `excludes: ${field} refers to what was deleted since: ${rows.map(({ id }) => id).join(', ')}. Take it out, or say otherwise whom to leave out.`,
      );
  }
  if (gone.length) throw new RebuildError(gone);
}
