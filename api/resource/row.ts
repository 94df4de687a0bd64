import type { Sql } from '../../db/sql.ts';
import type { Values } from './declare.ts';
import type { Column, Resource } from './registry.ts';

// One row written by one statement. The ORM would read it first and compare; it writes what has relations to many.

type Target = Pick<Resource, 'table' | 'columns' | 'declaration'>;

/** Whether the values all stand in the resource's own table. */
export function isOneRow({ columns }: Target, values: Values): boolean {
  return Object.keys(values).every((property) => columns.has(property));
}

/** @returns the id of the new row */
export async function insertRow(sql: Sql, target: Target, values: Values): Promise<number> {
  const { names, bound } = bind(target, values);
  const list = names.map((name) => `"${name}"`).join(', ');
  const places = names.map((_, index) => `$${index + 1}`).join(', ');
  const row = names.length > 0 ? `(${list}) values (${places})` : 'default values';
  const [made] = await sql<{ id: number }>(`insert into "${target.table}" ${row} returning id`, bound);
  return made!.id;
}

/**
 * Writes what differs; a change to what is there already leaves the row, and when it was last changed, alone.
 * @returns false when there is no such object
 */
export async function updateRow(sql: Sql, target: Target, id: number, values: Values): Promise<boolean> {
  const { names, bound } = bind(target, values);
  const { where } = target.declaration;
  const own = `t.id = $1${where ? ` and ${where}` : ''}`;
  if (names.length > 0) {
    const stamps = [...target.columns.values()].filter(({ stamped }) => stamped).map(({ name }) => `"${name}" = now()`);
    const sets = names.map((name, index) => `"${name}" = $${index + 2}`);
    const differs = names.map((name, index) => `t."${name}" is distinct from $${index + 2}`);
    const text = `update "${target.table}" t set ${[...sets, ...stamps].join(', ')} where ${own} and (${differs.join(' or ')}) returning t.id`;
    if ((await sql(text, [id, ...bound])).length > 0) return true;
  }
  return (await sql(`select t.id from "${target.table}" t where ${own}`, [id])).length > 0;
}

function bind({ columns }: Target, values: Values): { names: string[]; bound: unknown[] } {
  // In the order of the table, whatever order they were sent in: one text, prepared once, for the same columns.
  const given = [...columns].filter(([property]) => values[property] !== undefined);
  const stored = ({ json }: Column, value: unknown) => (json && value !== null ? JSON.stringify(value) : value);
  return { names: given.map(([, { name }]) => name), bound: given.map(([property, column]) => stored(column, values[property])) };
}
