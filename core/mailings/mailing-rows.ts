import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { sql as fragment, identifier, joinSql } from '../../domain/sql.ts';
import { INPUT_FIELDS } from './input/fields.ts';
import type { MailingInput } from './input/mailing-input.ts';

// The rows a mailing's fields stand in: its own, its subjects, its tags and reviewers.

/** What a request writes into the row itself, by column. */
export function columnsOf({ values }: MailingInput): Record<string, unknown> {
  const written = Object.entries(values).flatMap(([name, value]) => {
    const column = INPUT_FIELDS[name]?.column;
    return column ? [[column, value]] : [];
  });
  return Object.fromEntries(written);
}

const JSON_COLUMNS = new Set(['includes', 'excludes', 'fields', 'proof_users']);

export async function writeColumns(sql: Sql, id: number, columns: Record<string, unknown>): Promise<void> {
  const sets = Object.entries(columns).map(([column, value]) => {
    const stored = JSON_COLUMNS.has(column) ? JSON.stringify(value) : value;
    return fragment`${identifier(column)} = ${stored as string}`;
  });
  const update = fragment`update core_mailing set ${joinSql([...sets, fragment`updated_at = now()`], ', ')} where id = ${id}`;
  await sql(update.text, [...update.values]);
}

/** Subjects keep their rows by position, since results count by them. */
export async function writeRelations(sql: Sql, id: number, values: Record<string, unknown>): Promise<void> {
  const { subjects, preview_text: previews, tags, reviewers } = values as Record<string, unknown[] | undefined>;
  if (subjects) {
    await sql('delete from core_mailingsubject where mailing_id = $1 and position >= $2', [id, subjects.length]);
    await sql(
      `merge into core_mailingsubject s using unnest($2::text[]) with ordinality as given(text, place)
         on s.mailing_id = $1 and s.position = given.place - 1
       when matched then update set text = given.text
       when not matched then insert (mailing_id, position, text) values ($1, given.place - 1, given.text)`,
      [id, subjects],
    );
  }
  if (previews) {
    const rows = await sql(
      `update core_mailingsubject set preview_text = coalesce(($2::text[])[position + 1], '') where mailing_id = $1 returning id`,
      [id, previews],
    );
    if (previews.length > rows.length)
      throw new InputError({ preview_text: 'preview_text must not have more members than there are subjects.' });
  }
  if (tags) await writePivot(sql, 'core_mailing_tags', 'tag_id', id, tags);
  if (reviewers) await writePivot(sql, 'core_mailing_reviewers', 'user_id', id, reviewers);
}

async function writePivot(
  sql: Sql,
  table: 'core_mailing_tags' | 'core_mailing_reviewers',
  column: 'tag_id' | 'user_id',
  id: number,
  ids: unknown[],
) {
  await sql(`delete from ${table} where mailing_id = $1 and not ${column} = any($2::int[])`, [id, ids]);
  await sql(`insert into ${table} (mailing_id, ${column}) select $1::int, unnest($2::int[]) on conflict do nothing`, [id, ids]);
}
