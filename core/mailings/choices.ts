import type { Sql } from '../../db/sql.ts';
import { NotFoundError } from '../../domain/errors.ts';
import type { Targeting } from '../../domain/targeting/fields.ts';
import type { SortOrder } from '../../domain/words.ts';

/** Something that can be chosen for a mailing, by what people call it. */
export interface Choice {
  id: number;
  name: string;
}

/** More than so many are not offered: whoever has more names them over the API. */
export const MOST_CHOICES = 500;

/** What of each kind is named, newest or first by name. */
const KINDS = {
  lists: 'select id, name from core_list where not hidden order by name, id',
  tags: 'select id, name from core_tag order by name, id',
  languages: 'select id, name from core_language order by name, id',
  actions: `select id, coalesce(nullif(title, ''), name) as name from core_page where not hidden order by id desc`,
  mailings: `select m.id, m.id || ' · ' || coalesce((select text from core_mailingsubject s where s.mailing_id = m.id order by position limit 1), '') as name
    from core_mailing m where m.status <> 'draft' order by m.id desc`,
  models: `select m.id, coalesce((select text from core_mailingsubject s where s.mailing_id = m.id order by position limit 1), '') || ' · ' || m.id as name
    from core_mailing m where m.status = 'model' and not m.hidden order by m.id desc`,
  target_groups: 'select id, name from core_targetgroup where not hidden order by name, id',
  campaigns: `select id, coalesce(nullif(title, ''), name) as name from events_campaign where not hidden order by id desc`,
  wrappers: 'select id, name from core_emailwrapper where not hidden order by name, id',
  snippets: 'select id, name from core_snippet where not hidden order by name, id',
  fromlines: 'select id, from_line as name from core_fromline where not hidden order by is_default desc, from_line, id',
} as const;

export type ChoiceKind = keyof typeof KINDS;

/** What may be chosen of a kind, those chosen already among it. */
export async function readChoices(sql: Sql, kind: ChoiceKind, chosen: readonly number[] = []): Promise<Choice[]> {
  const offered = await sql<Choice>(`select id, name from (${KINDS[kind]} limit ${MOST_CHOICES}) first`);
  const missing = chosen.filter((wanted) => !offered.some(({ id }) => id === wanted));
  if (missing.length === 0) return offered;
  return [...offered, ...(await sql<Choice>(`select id, name from (${KINDS[kind]}) every where id = any($1::int[])`, [missing]))];
}

/**
 * What is called by these words, at most so many.
 * @returns one more than `most` where there are more
 */
export const searchChoices = (sql: Sql, kind: ChoiceKind, words: string, most: number): Promise<Choice[]> =>
  sql<Choice>(`select id, name from (${KINDS[kind]}) every where name ilike $1 or id::text = $2 limit ${most + 1}`, [
    `%${words.replace(/[\\%_]/g, '\\$&')}%`,
    words,
  ]);

/** Whom a mailing is for, as it is stored. */
export interface StoredAudience {
  includes: Targeting;
  excludes: Targeting;
  limit: number | null;
  sort_by: SortOrder | null;
  targeting_version: number;
}

/** @throws NotFoundError */
export async function readAudience(sql: Sql, mailingId: number): Promise<StoredAudience> {
  const [row] = await sql<StoredAudience>(
    'select includes, excludes, "limit", sort_by, targeting_version from core_mailing where id = $1',
    [mailingId],
  );
  if (!row) throw new NotFoundError();
  return row;
}
