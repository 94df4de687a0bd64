import { isDeepStrictEqual } from 'node:util';
import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import {
  type Held,
  heldBy,
  LONGEST_BY_STRANGERS,
  LONGEST_VALUE,
  MOST_BY_STRANGERS,
  MOST_HELD,
  NO_FIELD,
  tooMuch,
} from '../../domain/people/field-room.ts';

/** Values of custom fields by name, as stored: text, several for a list. An empty list removes the field. */
export type CustomFields = Map<string, string[]>;

type Wire = (name: string) => string;

const LONGEST_NAME = 255;
const MOST_VALUES = 1_000;
const MOST_NAMES = 1_000;

/** Half a character is stored as another sign: several names would be one. */
export const canBeName = (name: string): boolean =>
  name.trim() === name && !['', NO_FIELD].includes(name) && name.length <= LONGEST_NAME && !name.includes('\0') && name.isWellFormed();

/**
 * Checks a dictionary of custom fields: each value a text, number, boolean, null (removes it) or a list of these.
 * @param field what to name in messages
 * @param path what a message about the value of one name calls it
 * @throws InputError
 */
export function readCustomFields(given: Record<string, unknown>, field: string, path: Wire = (name) => `${field}.${name}`): CustomFields {
  const fields: CustomFields = new Map();
  if (Object.keys(given).length > MOST_NAMES) throw new InputError({ [field]: `${field} must not have more than ${MOST_NAMES} names.` });
  for (const [name, value] of Object.entries(given)) {
    if (!canBeName(name))
      throw new InputError({
        [field]: `${field} has a name that cannot be used: ${name.slice(0, 50).replaceAll('\0', '').toWellFormed()}`,
      });
    if (Array.isArray(value) && value.length > MOST_VALUES)
      throw new InputError({ [field]: `${path(name)} must not have more than ${MOST_VALUES} values.` });
    fields.set(
      name,
      [value].flat().flatMap((each) => storable(each, path(name), field)),
    );
  }
  return fields;
}

function storable(value: unknown, path: string, field: string): string[] {
  if (value === null) return [];
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return [String(value)];
  if (typeof value !== 'string') throw new InputError({ [field]: `${path} must be text, a number, a boolean or a list of these.` });
  if (value.includes('\0')) throw new InputError({ [field]: `${path} must not hold a NUL character.` });
  if (value.length > LONGEST_VALUE) throw new InputError({ [field]: `${path} must have at most ${LONGEST_VALUE} characters.` });
  return [value.toWellFormed()];
}

/** What becomes of a name nobody declared: an error, a declaration, or a declaration as long as there are fewer than so many. */
export type Undeclared = 'refused' | 'declared' | { upTo: number };

export type FieldTable = 'core_userfield' | 'core_actionfield';

interface By {
  /** What the caller calls a field, where it is not one of a dictionary `fields`. */
  wire?: Wire;
  /** The caller has no credentials. */
  stranger?: boolean;
}

const BY_ACCOUNT = { wire: () => 'fields', stranger: false };

/**
 * Replaces the custom fields named; others stay, and a change is one of the user. Run inside a transaction that holds the user's row.
 * @returns whether there are values that were not there
 * @throws InputError
 */
export async function saveUserFields(
  sql: Sql,
  userId: number,
  fields: CustomFields,
  undeclared: Undeclared,
  by: By = {},
): Promise<boolean> {
  if (fields.size === 0) return false;
  checkRoom(fields, await heldOf(sql, 'core_userfield', userId, { names: [...fields.keys()] }), {
    ...BY_ACCOUNT,
    ...by,
    whose: 'A person',
  });
  const before = await valuesOf(sql, 'core_userfield', userId, fields);
  // What stands there already needs no declaration to stay, or to go.
  const stays = (name: string, values: string[]) =>
    before.has(name) && (values.length === 0 || isDeepStrictEqual(values, before.get(name)));
  const names = [...fields].flatMap(([name, values]) => (stays(name, values) ? [] : name));
  const unknown = undeclared === 'declared' || names.length === 0 ? [] : await unknownNames(sql, names);
  if (unknown.length > 0 && undeclared === 'refused') {
    // Where each field has a name of its own on the wire, each is told under it.
    const named = by.wire ? unknown.slice(0, 10).map((name) => [by.wire!(name), `No custom user field is declared as ${name}.`]) : null;
    throw new InputError(
      named ? Object.fromEntries(named) : { fields: `No custom user field is declared as ${unknown.slice(0, 10).join(', ')}.` },
    );
  }
  if (unknown.length > 0 && typeof undeclared === 'object')
    await checkMayDeclare(sql, unknown, undeclared.upTo, by.wire ?? BY_ACCOUNT.wire);
  if (names.length > 0 && undeclared !== 'refused' && (undeclared === 'declared' || unknown.length > 0)) {
    await sql(
      `insert into core_alloweduserfield (name) select name from unnest($1::text[]) as name
       where not exists (select from core_alloweduserfield known where known.name = name.name) order by name on conflict do nothing`,
      [names],
    );
  }
  if (await replaceFields(sql, 'core_userfield', userId, fields, before)) {
    // Whoever looks for people who changed looks at their row alone.
    await sql('update core_user set updated_at = now() where id = $1 and updated_at <> now()', [userId]);
  }
  return names.some((name) => fields.get(name)!.length > 0);
}

/** The values of those of the fields that are there, by name. */
async function valuesOf(sql: Sql, table: FieldTable, parentId: number, fields: CustomFields): Promise<CustomFields> {
  const held = await sql<{ name: string; held: string[] }>(
    `select name, array_agg(value order by id) as held from ${table} where parent_id = $1 and name = any($2::text[]) group by name`,
    [parentId, [...fields.keys()]],
  );
  return new Map(held.map((row) => [row.name, row.held]));
}

/** Fields that are there as they were sent keep their rows. @param before of `valuesOf` @returns whether anything changed */
async function replaceFields(sql: Sql, table: FieldTable, parentId: number, fields: CustomFields, before: CustomFields): Promise<boolean> {
  const changed = new Map([...fields].filter(([name, values]) => !isDeepStrictEqual(values, before.get(name) ?? [])));
  if (changed.size === 0) return false;
  await sql(`delete from ${table} where parent_id = $1 and name = any($2::text[])`, [parentId, [...changed.keys()]]);
  await insertFields(sql, table, parentId, changed);
  return true;
}

interface Beside {
  replaced: Held;
  others: Held;
}

const NOTHING: Beside = { replaced: { values: 0, bytes: 0 }, others: { values: 0, bytes: 0 } };

/** What a person's or an action's fields hold: those of these names, or the value of this id, and the others. */
export async function heldOf(sql: Sql, table: FieldTable, parentId: number, which: { names: string[] } | { id: number }): Promise<Beside> {
  const replaced = 'names' in which ? 'name = any($2::text[])' : 'id = $2';
  const bytes = 'octet_length(name) + octet_length(value)';
  const [row] = await sql<Record<keyof Beside, [values: number, bytes: number]>>(
    `select jsonb_build_array(count(*) filter (where ${replaced}), coalesce(sum(${bytes}) filter (where ${replaced}), 0)) as replaced,
       jsonb_build_array(count(*) filter (where not (${replaced})), coalesce(sum(${bytes}) filter (where not (${replaced})), 0)) as others
     from ${table} where parent_id = $1`,
    [parentId, 'names' in which ? which.names : which.id],
  );
  const held = ([values, size]: [number, number]): Held => ({ values, bytes: size });
  return { replaced: held(row!.replaced), others: held(row!.others) };
}

/** @throws InputError naming the longest field when there would be too much, or one with too long a value */
function checkRoom(
  fields: CustomFields,
  { replaced, others }: Beside,
  { wire, whose, stranger }: { wire: Wire; whose: string; stranger: boolean },
): void {
  const long = stranger && [...fields].find(([, values]) => values.some(({ length }) => length > LONGEST_BY_STRANGERS));
  if (long) throw new InputError({ [wire(long[0])]: `A value must have at most ${LONGEST_BY_STRANGERS} characters.` });
  const wrong = tooMuch(heldBy(fields), replaced, others, stranger ? MOST_BY_STRANGERS : MOST_HELD);
  if (wrong === null) return;
  const [longest] = [...fields].map((field) => ({ name: field[0], ...heldBy([field]) })).sort((a, b) => b.bytes - a.bytes);
  throw new InputError({ [wire(longest!.name)]: `${whose} has ${wrong}.` });
}

async function unknownNames(sql: Sql, names: string[]): Promise<string[]> {
  const declared = await sql<{ name: string }>('select name from core_alloweduserfield where name = any($1::text[])', [names]);
  const known = new Set(declared.map(({ name }) => name));
  return names.filter((name) => !known.has(name));
}

/** One transaction at a time, or many at once would each see room. @throws InputError */
async function checkMayDeclare(sql: Sql, unknown: string[], upTo: number, wire: (name: string) => string): Promise<void> {
  await sql(`select pg_advisory_xact_lock(hashtext('core_alloweduserfield'))`);
  const [row] = await sql<{ count: number }>('select count(*)::int as count from core_alloweduserfield');
  if (row!.count + unknown.length <= upTo) return;
  const problem = 'No custom user field is declared under this name, and callers without credentials may declare no more.';
  throw new InputError(Object.fromEntries(unknown.slice(0, 10).map((name) => [wire(name), problem])));
}

/** Adds the fields of a new action. @param by as for those of a user @throws InputError */
export async function addActionFields(sql: Sql, actionId: number, fields: CustomFields, by: By = {}): Promise<void> {
  checkRoom(fields, NOTHING, { ...BY_ACCOUNT, ...by, whose: 'An action' });
  await insertFields(sql, 'core_actionfield', actionId, fields);
}

/** Replaces the fields named of an action; others stay. @returns whether anything changed. @throws InputError */
export async function replaceActionFields(sql: Sql, actionId: number, fields: CustomFields): Promise<boolean> {
  checkRoom(fields, await heldOf(sql, 'core_actionfield', actionId, { names: [...fields.keys()] }), { ...BY_ACCOUNT, whose: 'An action' });
  return replaceFields(sql, 'core_actionfield', actionId, fields, await valuesOf(sql, 'core_actionfield', actionId, fields));
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
export function fieldsSql(table: FieldTable, parent: string): string {
  return `(select coalesce(jsonb_object_agg(name, value), '{}') from (
    select f.name, case when count(*) = 1 then to_jsonb(min(f.value)) else jsonb_agg(f.value order by f.id) end as value
    from ${table} f where f.parent_id = ${parent} group by f.name) named)`;
}

/** Bytes of custom fields that are read for one answer; a hundred people filled by callers without credentials are less. */
const MOST_SHOWN = 20_000_000;
/** What a value takes beside its text. */
const BESIDE = 64;

/**
 * SQL of the same as pairs of name and value in their order; `fromPairs` makes the dictionary. Half the cost of fieldsSql, for reads of
 * one row after another. In one JSON text: the driver reads an array sign by sign, which held everybody up for a page of many. Null for all rows of a select when
 * they hold more than an answer may.
 */
export function fieldPairsSql(table: FieldTable, parent: string): string {
  const theirs = `from ${table} f where f.parent_id = ${parent}`;
  return `case when sum((select sum(octet_length(f.name) + octet_length(f.value) + ${BESIDE}) ${theirs})) over () > ${MOST_SHOWN} then null
    else (select coalesce(json_agg(json_build_array(f.name, f.value) order by f.id), '[]') ${theirs}) end`;
}

export function fromPairs(pairs: [name: string, value: string][]): Record<string, string | string[]> {
  if (pairs.length === 0) return {};
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of pairs) {
    const held = fields.get(name);
    if (held === undefined) fields.set(name, value);
    else if (typeof held === 'string') fields.set(name, [held, value]);
    else held.push(value);
  }
  return Object.fromEntries(fields);
}
