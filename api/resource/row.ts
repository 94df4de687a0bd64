import type { Compilable } from 'kysely';
import type { Sql } from '../../db/sql.ts';
import { anyTables, fragment, run, type Statement, statement } from '../../entities/tables.ts';
import type { Values } from './declare.ts';
import type { Condition } from './operators.ts';
import { ownCondition } from './query.ts';
import type { Column, Resource } from './registry.ts';

// One row written by one statement, and each of its relations to many by two. The entity manager would read first and compare: for seconds, where there are
// ten thousand.

type Target = Pick<Resource, 'table' | 'columns' | 'declaration'>;
type Written = Statement<Values, { id: number }>;

/** Whether the values all stand in the resource's own table: none in a table between. */
export function isOneRow({ columns }: Target, values: Values): boolean {
  return Object.keys(values).every((property) => columns.has(property));
}

/** @returns the id of the new row */
export async function insertRow(sql: Sql, target: Target, values: Values): Promise<number> {
  const row = stored(target, values);
  const [made] = await kept(target, 'insert', Object.keys(row), inserting)(sql, row);
  return made!.id;
}

/**
 * Writes what differs; a change to what is there already leaves the row, and when it was last changed, alone.
 * @returns false when there is no such object
 */
export async function updateRow(sql: Sql, target: Target, id: number, values: Values): Promise<boolean> {
  const row = stored(target, values);
  const names = Object.keys(row);
  if (names.length > 0 && (await kept(target, 'update', names, updating)(sql, { ...row, id })).length > 0) return true;
  return (await kept(target, 'find', [], finding)(sql, { id })).length > 0;
}

/**
 * Writes to what a row refers in the tables between. What is there already stays.
 * @returns whether anything was changed
 */
export async function writeReferences(sql: Sql, { fields }: Pick<Resource, 'fields'>, id: number, values: Values): Promise<boolean> {
  let changed = false;
  for (const { property, pivot } of fields) {
    if (!pivot || property === null || values[property] === undefined) continue;
    const { table, own, other } = pivot;
    const wanted = anyTables.selectNoFrom([fragment`${id}::int`.as('own'), fragment`unnest(${values[property]}::int[])`.as('other')]);
    const unwanted = fragment<boolean>`${fragment.ref(other)} not in (select unnest(${values[property]}::int[]))`;
    const gone = await run(sql, anyTables.deleteFrom(table).where(own, '=', id).where(unwanted).returning(own));
    const insert = anyTables.insertInto(table).columns([own, other]).expression(wanted);
    const made = await run(sql, insert.onConflict((conflict) => conflict.doNothing()).returning(own));
    changed ||= gone.length > 0 || made.length > 0;
  }
  return changed;
}

/** Says of a row that it was changed now, where it says so of any. */
export async function touchRow(sql: Sql, { table, columns }: Target, id: number): Promise<void> {
  const now = stampsOf(columns);
  if (now.length > 0) await run(sql, anyTables.updateTable(table).set(Object.fromEntries(now)).where('id', '=', id));
}

/** Holds a row until the transaction ends. @returns false when there is no such object */
export async function holdRow(sql: Sql, target: Target, id: number): Promise<boolean> {
  return (await kept(target, 'hold', [], (it) => (given) => finding(it)(given).forUpdate())(sql, { id })).length > 0;
}

/** @returns false when there is no such object */
export async function isThere(sql: Sql, target: Target, id: number): Promise<boolean> {
  return (await kept(target, 'find', [], finding)(sql, { id })).length > 0;
}

export async function deleteRow(sql: Sql, { table }: Target, id: number): Promise<void> {
  await run(sql, anyTables.deleteFrom(table).where('id', '=', id));
}

/** The next id of the sequence that no caller has taken: theirs leave the sequence alone, lest one large id use it up. */
export async function freeId(sql: Sql, { table }: Target): Promise<number> {
  for (;;) {
    const next = anyTables.selectNoFrom(fragment<number>`nextval(${`"${table}_id_seq"`})::int`.as('id'));
    const [{ id } = { id: 0 }] = await run(sql, next);
    const taken = await run(sql, anyTables.selectFrom(table).where('id', '=', id).select('id'));
    if (taken.length === 0) return id;
  }
}

const stampsOf = (columns: Target['columns']) =>
  [...columns.values()].filter(({ stamped }) => stamped).map(({ name }) => [name, fragment`now()`] as const);

type Made = (target: Target, names: string[]) => (given: Values) => Compilable<{ id: number }>;

const inserting: Made = ({ table }, names) => {
  const into = anyTables.insertInto(table);
  const row = (given: Values) => Object.fromEntries(names.map((name) => [name, given[name]]));
  return (given) => (names.length > 0 ? into.values(row(given)) : into.defaultValues()).returning('id').$castTo<{ id: number }>();
};

const updating: Made = (target, names) => {
  const stamps = stampsOf(target.columns);
  const moments = new Set([...target.columns.values()].filter(({ moment }) => moment).map(({ name }) => name));
  // Who sends back the second that was shown means what is there.
  const value = (name: string, given: Values) => {
    if (!moments.has(name)) return given[name];
    const [there, sent] = [fragment.ref(`t.${name}`), fragment`${given[name]}::timestamptz`];
    return fragment`case when date_trunc('second', ${there}) = ${sent} then ${there} else ${sent} end`;
  };
  return (given) =>
    anyTables
      .updateTable(`${target.table} as t`)
      .set(Object.fromEntries([...names.map((name) => [name, value(name, given)]), ...stamps]))
      .where(isRow(target, given))
      .where(({ eb, or }) => or(names.map((name) => eb(`t.${name}`, 'is distinct from', value(name, given)))))
      .returning('t.id')
      .$castTo<{ id: number }>();
};

const isRow =
  (target: Target, { id }: Values) =>
  ({ and }: { and(all: Condition[]): Condition }) =>
    and([fragment`t.id = ${id}`, ...ownCondition(target)]);

const finding = (target: Target) => (given: Values) =>
  anyTables.selectFrom(`${target.table} as t`).where(isRow(target, given)).select('t.id').$castTo<{ id: number }>();

/** Statements a resource keeps; what is made up of columns somebody sent has too many shapes to keep them all. */
const MOST_KEPT = 200;

const keptByColumns = new WeakMap<Target['columns'], Map<string, Written>>();

/** The statement of this kind for these columns, made once. */
function kept(target: Target, kind: string, names: string[], made: Made): Written {
  const shapes = keptByColumns.get(target.columns) ?? new Map<string, Written>();
  keptByColumns.set(target.columns, shapes);
  const key = `${kind} ${names.join()}`;
  const known = shapes.get(key) ?? statement(made(target, names), names.length > 0);
  if (shapes.size < MOST_KEPT) shapes.set(key, known);
  return known;
}

/** The row by column, in the order of the table, whatever order it was sent in: one statement for the same columns. */
function stored({ columns }: Target, values: Values): Values {
  const given = [...columns].filter(([property]) => values[property] !== undefined);
  const value = ({ json }: Column, it: unknown) => (json && it !== null ? JSON.stringify(it) : it);
  return Object.fromEntries(given.map(([property, column]) => [column.name, value(column, values[property])]));
}
