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

/** An object as a reference names it. */
export interface Named {
  id: number;
  /** The resource it has to be one of: that of its URI where this is the narrower one (`donationpage` for `page`). */
  of: string;
}

/**
 * The id a reference names: a relative URI, an absolute URL of this service, or an id.
 * @param to the resource it has to lead to
 * @throws Error saying what is expected; whether the object exists is not looked at
 */
export function readReference(context: ReferenceContext, to: string, value: unknown, rules: ReferenceRules = {}): number {
  return readNamed(context, to, value, rules).id;
}

/** The same, with the resource it is to be looked for in. @throws Error */
export function readNamed({ registry, env }: ReferenceContext, to: string, value: unknown, rules: ReferenceRules = {}): Named {
  const expected = `must be a URI like ${uriOf(to, 5)}${rules.uriOnly ? '' : ' or an id'}`;
  if (typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))) {
    if (rules.uriOnly) throw new Error(expected);
    return { id: readId(value, expected), of: to };
  }
  if (typeof value !== 'string') throw new Error(expected);
  const path = value.startsWith(`${env.BASE_URL}/`) ? value.slice(env.BASE_URL.length) : value;
  const [, name, id] = /^\/+rest\/+v1\/+([a-z]+)\/+(\d+)\/*$/.exec(path) ?? [];
  if (!name || !registry.referent(to).names.has(name)) throw new Error(expected);
  return { id: readId(id!, expected), of: registry.referent(name).where ? name : to };
}

function readId(value: number | string, expected: string): number {
  const id = Number(value);
  if (!Number.isInteger(id)) throw new Error(expected);
  if (id < 1 || id > MAX_INT) throw new Error('refers to nothing');
  return id;
}

const anyOf = (ids: number[]) => fragment`any(${ids}::int[])`;

/** For each of the resources that has not all rows of its table, whether a row is one of them: a column by its name. */
const isOf = (registry: Referents, names: Iterable<string>) =>
  [...new Set(names)].flatMap((name) => {
    const { where } = registry.referent(name);
    return where ? [fragment<boolean>`(${fragment.raw(where)})`.as(name)] : [];
  });

type Found = { id: number } & Record<string, unknown>;
const isThere = (row: Found | undefined, of: string): boolean => row !== undefined && (row[of] ?? !(of in row)) === true;

/** Those of the ids that no object of the resource has. */
export async function missingIds(sql: Sql, registry: Referents, to: string, ids: number[]): Promise<number[]> {
  const missing = await missingOf(
    sql,
    registry,
    to,
    ids.map((id) => ({ id, of: to })),
  );
  return missing.map(({ id }) => id);
}

/** Those of the named objects that are not there. @param to the resource all of them have to lead to */
export async function missingOf(sql: Sql, registry: Referents, to: string, named: Named[]): Promise<Named[]> {
  if (named.length === 0) return [];
  const { table } = registry.referent(to);
  const among = anyTables.selectFrom(`${table} as t`).where('t.id', '=', anyOf(named.map(({ id }) => id)));
  const of = named.map((each) => each.of);
  const rows = await run(sql, among.select(['t.id', ...isOf(registry, of)]).$castTo<Found>());
  const byId = new Map(rows.map((row) => [row.id, row]));
  return named.filter(({ id, of }) => !isThere(byId.get(id), of));
}

/** What is wrong with a field that names objects which are not there; follows the field's name. */
export function refersToNothing(missing: Named[]): string {
  const [first] = missing;
  const ids = new Set(missing.filter(({ of }) => of === first!.of).map(({ id }) => id));
  return `refers to nothing: there is no ${first!.of} ${[...ids].slice(0, 5).join(', ')}`;
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
 * @param nameColumn column that holds the name
 */
export async function resolveReferences(
  context: ReferenceContext,
  sql: Sql,
  to: string,
  values: unknown[],
  nameColumn = 'name',
): Promise<Resolved> {
  const { registry } = context;
  const byId = new Map<unknown, Named>();
  for (const [n, value] of values.entries()) {
    // Each that is none costs an error of its own: others have their turn in between, and names are told apart without one.
    if (n % BLOCK === BLOCK - 1) await othersTurn();
    if (typeof value === 'string' && !/^\d+$|\/rest\//.test(value)) continue;
    try {
      byId.set(value, readNamed(context, to, value));
    } catch {
      // Not a URI and not an id: it may still be a name.
    }
  }
  const names = values.filter((value): value is string => typeof value === 'string' && !value.includes('\0'));
  const given = [...byId.values()];
  const named = anyTables
    .selectFrom(`${registry.referent(to).table} as t`)
    .where(({ or, eb }) =>
      or([eb('t.id', '=', anyOf(given.map(({ id }) => id))), eb(`t.${nameColumn}`, '=', fragment`any(${names}::text[])`)]),
    )
    .select(['t.id', `t.${nameColumn} as name`, ...isOf(registry, [to, ...given.map(({ of }) => of)])])
    .$castTo<Found & { name: string }>();
  const rows = await run(sql, named);
  const rowsById = new Map(rows.map((row) => [row.id, row]));
  const byName = new Map(rows.filter((row) => isThere(row, to)).map(({ id, name }) => [name, id]));
  const found = new Set<number>();
  const unknown: unknown[] = [];
  for (const value of values) {
    const meant = byId.get(value);
    const hit = meant && isThere(rowsById.get(meant.id), meant.of) ? meant.id : byName.get(value as string);
    if (hit === undefined) unknown.push(value);
    else found.add(hit);
  }
  return { ids: [...found], unknown };
}
