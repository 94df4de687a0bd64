import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';

/** Values of custom fields by name, as stored: text, several for a list. An empty list removes the field. */
export type CustomFields = Map<string, string[]>;

const LONGEST_NAME = 255;

/**
 * Checks a dictionary of custom fields: each value a text, number, boolean, null (removes it) or a list of these.
 * @param field what to name in messages
 * @throws InputError
 */
export function readCustomFields(given: Record<string, unknown>, field: string): CustomFields {
  const fields: CustomFields = new Map();
  for (const [name, value] of Object.entries(given)) {
    const usable = name.trim() === name && name !== '' && name.length <= LONGEST_NAME && !name.includes('\0');
    if (!usable) throw new InputError({ [field]: `${field} has a name that cannot be used: ${name.slice(0, 50).replaceAll('\0', '')}` });
    fields.set(
      name,
      [value].flat().flatMap((each) => storable(each, `${field}.${name}`, field)),
    );
  }
  return fields;
}

function storable(value: unknown, path: string, field: string): string[] {
  if (value === null) return [];
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return [String(value)];
  if (typeof value !== 'string') throw new InputError({ [field]: `${path} must be text, a number, a boolean or a list of these.` });
  if (value.includes('\0')) throw new InputError({ [field]: `${path} must not hold a NUL character.` });
  return [value.toWellFormed()];
}

/**
 * Replaces the custom fields named; others stay. Run inside a transaction that holds the user's row.
 * @param strict refuses names nobody declared; otherwise a new name is declared by its first use
 * @throws InputError
 */
export async function saveUserFields(sql: Sql, userId: number, fields: CustomFields, strict: boolean): Promise<void> {
  if (fields.size === 0) return;
  const names = [...fields.keys()];
  if (strict) {
    const declared = await sql<{ name: string }>('select name from core_alloweduserfield where name = any($1::text[])', [names]);
    const unknown = names.filter((name) => !declared.some((each) => each.name === name));
    if (unknown.length > 0) throw new InputError({ fields: `No custom user field is declared as ${unknown.slice(0, 10).join(', ')}.` });
  } else {
    await sql(
      `insert into core_alloweduserfield (name) select name from unnest($1::text[]) as name
       where not exists (select from core_alloweduserfield known where known.name = name.name) order by name on conflict do nothing`,
      [names],
    );
  }
  await sql('delete from core_userfield where parent_id = $1 and name = any($2::text[])', [userId, names]);
  await insertFields(sql, 'core_userfield', userId, fields);
}

/** Adds the fields of a new action. */
export async function addActionFields(sql: Sql, actionId: number, fields: CustomFields): Promise<void> {
  await insertFields(sql, 'core_actionfield', actionId, fields);
}

/** Replaces the fields named of an action; others stay. */
export async function replaceActionFields(sql: Sql, actionId: number, fields: CustomFields): Promise<void> {
  await sql('delete from core_actionfield where parent_id = $1 and name = any($2::text[])', [actionId, [...fields.keys()]]);
  await insertFields(sql, 'core_actionfield', actionId, fields);
}

async function insertFields(sql: Sql, table: string, parentId: number, fields: CustomFields): Promise<void> {
  const rows = [...fields].flatMap(([name, values]) => values.map((value) => ({ name, value })));
  if (rows.length === 0) return;
  await sql(
    `insert into ${table} (parent_id, name, value)
     select $1, name, value from unnest($2::text[], $3::text[]) with ordinality as given (name, value, position) order by position`,
    [parentId, rows.map(({ name }) => name), rows.map(({ value }) => value)],
  );
}

/**
 * SQL of the dictionary of one parent: a text by name, a list where the name has several values.
 * @param parent SQL of the parent's id
 */
export function fieldsSql(table: 'core_userfield' | 'core_actionfield', parent: string): string {
  return `(select coalesce(jsonb_object_agg(name, value), '{}') from (
    select f.name, case when count(*) = 1 then to_jsonb(min(f.value)) else jsonb_agg(f.value order by f.id) end as value
    from ${table} f where f.parent_id = ${parent} group by f.name) named)`;
}

/**
 * SQL of the same as pairs of name and value in their order, or null; `fromPairs` makes the dictionary. Half the cost of fieldsSql, for reads of
 * one row after another.
 */
export function fieldPairsSql(table: 'core_userfield' | 'core_actionfield', parent: string): string {
  return `(select jsonb_agg(jsonb_build_array(f.name, f.value) order by f.id) from ${table} f where f.parent_id = ${parent})`;
}

export function fromPairs(pairs: [name: string, value: string][] | null): Record<string, string | string[]> {
  if (pairs === null) return {};
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of pairs) {
    const held = fields.get(name);
    fields.set(name, held === undefined ? value : [held, value].flat());
  }
  return Object.fromEntries(fields);
}
