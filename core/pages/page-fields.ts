import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { run, tables } from '../../entities/tables.ts';

/** Custom fields of one page, and characters of all of them as JSON. */
const MOST_HELD = { fields: 1_000, characters: 1_000_000 };

/**
 * The custom fields of a page, held by the caller, after a change that names some of them; null takes one away.
 * @throws InputError for more than a page has
 */
export async function changedPageFields(sql: Sql, id: number, changes: Record<string, unknown>): Promise<Record<string, unknown>> {
  const [page] = await run(sql, tables.selectFrom('core_page').where('id', '=', id).select('fields'));
  const held = new Map(Object.entries(page!.fields as Record<string, unknown>));
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) held.delete(name);
    else held.set(name, value);
  }
  const fields = Object.fromEntries(held);
  if (held.size > MOST_HELD.fields || JSON.stringify(fields).length > MOST_HELD.characters)
    throw new InputError({
      fields: `A page has at most ${MOST_HELD.fields} fields, and ${MOST_HELD.characters} characters in them as JSON.`,
    });
  return fields;
}
