import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Sql } from '../db/sql.ts';
import { uriOf } from '../domain/uris.ts';
import { MAX_INT } from '../domain/values.ts';
import { anyTables, fragment, run } from '../entities/tables.ts';

/** What a resource name leads to: its table, and the names of all resources whose URIs name the same rows. */
export interface Referent {
  table: string;
  names: ReadonlySet<string>;
  /** SQL condition over `t` that its rows meet, where they are not all of the table. */
  where?: string | undefined;
}

/** Where references to resources lead. */
export interface Referents {
  /** @throws Error when nobody declared it */
  referent(name: string): Referent;
}

/** What reading a reference needs to know: the resources there are, and the public address of this service. */
export interface ReferenceContext {
  registry: Referents;
  env: { BASE_URL: string };
}

export interface ReferenceRules {
  /** No bare ids: admin users. */
  uriOnly?: boolean;
}

/**
 * The id a reference names: a relative URI, an absolute URL of this service, or an id.
 * @param to the resource it has to lead to
 * @throws Error saying what is expected; whether the object exists is not looked at
 */
export function readReference({ registry, env }: ReferenceContext, to: string, value: unknown, rules: ReferenceRules = {}): number {
  const expected = `must be a URI like ${uriOf(to, 5)}${rules.uriOnly ? '' : ' or an id'}`;
  if (typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))) {
    if (rules.uriOnly) throw new Error(expected);
    return readId(value, expected);
  }
  if (typeof value !== 'string') throw new Error(expected);
  const path = value.startsWith(`${env.BASE_URL}/`) ? value.slice(env.BASE_URL.length) : value;
  const [, name, id] = /^\/+rest\/+v1\/+([a-z]+)\/+(\d+)\/*$/.exec(path) ?? [];
  if (!name || !registry.referent(to).names.has(name)) throw new Error(expected);
  return readId(id!, expected);
}

function readId(value: number | string, expected: string): number {
  const id = Number(value);
  if (!Number.isInteger(id)) throw new Error(expected);
  if (id < 1 || id > MAX_INT) throw new Error('refers to nothing');
  return id;
}

const anyOf = (ids: number[]) => fragment`any(${ids}::int[])`;

/** Condition of the rows that are objects of a resource, over `t`. */
const isOf = ({ where = 'true' }: Referent) => fragment<boolean>`(${fragment.raw(where)})`;

/** Those of the ids that no object of the resource has. */
export async function missingIds(sql: Sql, registry: Referents, to: string, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const referent = registry.referent(to);
  const among = anyTables.selectFrom(`${referent.table} as t`).where('t.id', '=', anyOf(ids)).where(isOf(referent));
  const rows = await run(sql, among.select('t.id'));
  const there = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !there.has(id));
}

/** So many references are read before others have their turn on the event loop. */
const BLOCK = 1000;

export interface Resolved {
  /** In the order given, each once. */
  ids: number[];
  /** What was given and is not there, or cannot be a reference at all. */
  unknown: unknown[];
}

/**
 * The ids of references that may be given by name as well (the mailer's targeting, its tags): URIs, ids and names mixed in one list.
 * A text of digits alone is taken as an id first and as a name if no row has that id.
 */
export async function resolveReferences(context: ReferenceContext, sql: Sql, to: string, values: unknown[]): Promise<Resolved> {
  const referent = context.registry.referent(to);
  const byId = new Map<unknown, number>();
  for (const [n, value] of values.entries()) {
    // Each that is none costs an error of its own: others have their turn in between, and names are told apart without one.
    if (n % BLOCK === BLOCK - 1) await othersTurn();
    if (typeof value === 'string' && !/^\d+$|\/rest\//.test(value)) continue;
    try {
      byId.set(value, readReference(context, to, value));
    } catch {
      // Not a URI and not an id: it may still be a name.
    }
  }
  const names = values.filter((value): value is string => typeof value === 'string' && !value.includes('\0'));
  const named = anyTables
    .selectFrom(`${referent.table} as t`)
    .where(({ or, eb }) => or([eb('t.id', '=', anyOf([...byId.values()])), eb('t.name', '=', fragment`any(${names}::text[])`)]))
    .where(isOf(referent))
    .select(['t.id', 't.name'])
    .$castTo<{ id: number; name: string }>();
  const rows = await run(sql, named);
  const ids = new Set(rows.map(({ id }) => id));
  const byName = new Map(rows.map(({ id, name }) => [name, id]));
  const found = new Set<number>();
  const unknown: unknown[] = [];
  for (const value of values) {
    const id = byId.get(value);
    const hit = id !== undefined && ids.has(id) ? id : byName.get(value as string);
    if (hit === undefined) unknown.push(value);
    else found.add(hit);
  }
  return { ids: [...found], unknown };
}
