import type { Sql } from '../../db/sql.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { likeWords } from '../../domain/like.ts';
import type { Targeting } from '../../domain/targeting/fields.ts';
import type { SortOrder } from '../../domain/words.ts';

/** Something that can be chosen for a mailing, by what people call it. */
export interface Choice {
  id: number;
  name: string;
}

/** More than so many are not offered at once: the others are found by what they are called. */
export const MOST_CHOICES = 500;

/** Characters of a name: no short name has more, and titles and subjects, of which hundreds are offered, may have hundreds of thousands. */
const LONGEST_NAME = 255;
const CHOICE = `id, left(name, ${LONGEST_NAME}) as name`;

const SUBJECT = `coalesce((select text from core_mailingsubject s where s.mailing_id = t.id order by position limit 1), '')`;

interface Kind {
  table: string;
  /** What people call it, of a row `t`. */
  name: string;
  /** What is offered; what is not may stand where it was chosen before. */
  offered?: string;
  /** Newest or first by name. */
  order: string;
}

const KINDS = {
  lists: { table: 'core_list', name: 't.name', offered: 'not t.hidden', order: 't.name, t.id' },
  tags: { table: 'core_tag', name: 't.name', order: 't.name, t.id' },
  languages: { table: 'core_language', name: 't.name', order: 't.name, t.id' },
  actions: { table: 'core_page', name: `coalesce(nullif(t.title, ''), t.name)`, offered: 'not t.hidden', order: 't.id desc' },
  mailings: { table: 'core_mailing', name: `t.id || ' · ' || ${SUBJECT}`, offered: `t.status <> 'draft'`, order: 't.id desc' },
  models: {
    table: 'core_mailing',
    name: `${SUBJECT} || ' · ' || t.id`,
    offered: `t.status = 'model' and not t.hidden`,
    order: 't.id desc',
  },
  target_groups: { table: 'core_targetgroup', name: 't.name', offered: 'not t.hidden', order: 't.name, t.id' },
  campaigns: { table: 'events_campaign', name: `coalesce(nullif(t.title, ''), t.name)`, offered: 'not t.hidden', order: 't.id desc' },
  mergefiles: { table: 'core_mergefile', name: `coalesce(nullif(t.name, ''), t.filename)`, order: 't.id desc' },
  wrappers: { table: 'core_emailwrapper', name: 't.name', offered: 'not t.hidden', order: 't.name, t.id' },
  snippets: { table: 'core_snippet', name: 't.name', offered: 'not t.hidden', order: 't.name, t.id' },
  fromlines: { table: 'core_fromline', name: 't.from_line', offered: 'not t.hidden', order: 't.is_default desc, t.from_line, t.id' },
} as const satisfies Record<string, Kind>;

export type ChoiceKind = keyof typeof KINDS;

const named = (kind: ChoiceKind) => `select t.id, ${KINDS[kind].name} as name from ${KINDS[kind].table} t`;
const offered = (kind: ChoiceKind) => {
  const { offered: condition = 'true', order }: Kind = KINDS[kind];
  return `${named(kind)} where ${condition} order by ${order}`;
};

/** What may be chosen of a kind, and what was chosen already, whether it is still offered or not: a form that is sent back as it was changes nothing. */
export async function readChoices(sql: Sql, kind: ChoiceKind, chosen: readonly number[] = []): Promise<Choice[]> {
  const first = await sql<Choice>(`select ${CHOICE} from (${offered(kind)} limit ${MOST_CHOICES}) first`);
  const missing = chosen.filter((wanted) => !first.some(({ id }) => id === wanted));
  return [...first, ...(await nameChosen(sql, kind, missing))];
}

/** What was chosen, by name, whether it is still offered or not. What is gone is not among it. */
export const nameChosen = async (sql: Sql, kind: ChoiceKind, ids: readonly number[]): Promise<Choice[]> =>
  ids.length === 0 ? [] : sql<Choice>(`select ${CHOICE} from (${named(kind)}) every where id = any($1::int[])`, [ids]);

/**
 * What is called by these words, at most so many.
 * @returns one more than `most` where there are more
 */
export const searchChoices = (sql: Sql, kind: ChoiceKind, words: string, most: number): Promise<Choice[]> =>
  sql<Choice>(`select ${CHOICE} from (${offered(kind)}) every where name ilike $1 or id::text = $2 limit ${most + 1}`, [
    likeWords(words),
    words,
  ]);

/** Whom a mailing is for, as it is stored. */
export interface StoredAudience {
  includes: Targeting;
  excludes: Targeting;
  limit: number | null;
  sort_by: SortOrder | null;
  /** Only people in the merge file, or represented by a target of the landing page, of the mailing. */
  target_mergefile: boolean;
  target_group_from_landing_page: boolean;
  mergefile: number | null;
  landing_page: number | null;
  targeting_version: number;
}

/** @throws NotFoundError */
export async function readAudience(sql: Sql, mailingId: number): Promise<StoredAudience> {
  const [row] = await sql<StoredAudience>(
    `select includes, excludes, "limit", sort_by, target_mergefile, target_group_from_landing_page, mergefile_id as mergefile,
       landing_page_id as landing_page, targeting_version
     from core_mailing where id = $1`,
    [mailingId],
  );
  if (!row) throw new NotFoundError();
  return row;
}
