// Long: one query string; paths, operators and values are read against the same fields.

import type { Expression } from 'kysely';
import { readReference } from '../../core/references.ts';
import { PermissionError, RequestError } from '../../domain/errors.ts';
import { readBoolean, readDate, readDecimal, readInteger, readNumber, readText, readTimestamp } from '../../domain/values.ts';
import { fragment } from '../../entities/tables.ts';
import type { ApiContext } from '../deps.ts';
import { behind, type Order } from './cursor.ts';
import type { ResourceDeclaration } from './declare.ts';
import { type Field, ownWord } from './fields.ts';
import { readGrant } from './joins.ts';
import { type Condition, condition, type FilterTarget, type FilterType, OPERATORS, type Operator } from './operators.ts';
import type { Resource } from './registry.ts';

/** The query string of a collection, as Fastify parses it. */
export type QueryParameters = Record<string, string | string[] | undefined>;

/** A collection's query string as conditions on the row alias `t`. */
export interface CollectionQuery {
  /** All of them hold. */
  where: Condition[];
  /** What is filtered by; `column` is null where the condition is not on a column of the table itself. `value` is there where something shall equal it. */
  filters: { column: string | null; operator: Operator; value?: unknown }[];
  /** Columns; the id is always among them. */
  orderBy: Order[];
  limit: number;
  offset: number;
  /** The rows the page begins with, where it said so itself (cursor.ts): none are skipped then. */
  behind: Condition | null;
  /** The count may be the planner's guess where there are many. */
  estimate: boolean;
  /** Parameters to keep in next and previous: all but paging. */
  kept: [name: string, value: string][];
}

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

/** No client names more; each that cannot be used costs an error of its own. */
const MOST_PARAMETERS = 200;
const PAGING = new Set(['_limit', 'limit', '_offset', 'offset', '_after']);
const UNFILTERED = new Set(['format', '_format', 'order_by', '_count']);

/** Whether the caller has a grant. */
export type Can = (permission: string) => boolean;

/**
 * Reads filters, ordering and paging.
 * @param can of the caller: a filter through a relation tells what the other resource holds, so that it needs the grant to read it
 * @param others parameters that are no filters of the resource and were read already
 * @throws RequestError naming each parameter that cannot be used, PermissionError
 */
export function readQuery(
  context: ApiContext,
  resource: Resource,
  query: QueryParameters,
  can: Can,
  others: string[] = [],
): CollectionQuery {
  const named = Object.keys(query).length;
  if (named > MOST_PARAMETERS) throw new RequestError({ query: [`names ${named} parameters; at most ${MOST_PARAMETERS} are read`] });
  // Without a prototype: a parameter may be named __proto__.
  const errors: Record<string, string[]> = Object.create(null);
  const where = ownCondition(resource);
  const kept: [string, string][] = [];
  const filters: CollectionQuery['filters'] = [];
  const attempt = <Result>(name: string, read: () => Result, fallback: Result): Result => {
    try {
      return read();
    } catch (error) {
      if (error instanceof PermissionError) throw error;
      errors[name] = [`${name} ${(error as Error).message}`];
      return fallback;
    }
  };

  for (const [name, given] of Object.entries(query)) {
    // A `_` is what scripts send so that no cache answers.
    if (PAGING.has(name) || name === '_') continue;
    const texts = [given ?? ''].flat();
    kept.push(...texts.map((text): [string, string] => [name, text]));
    if (UNFILTERED.has(name) || others.includes(name)) continue;
    attempt(
      name,
      () => {
        const found = findFilter({ context, can }, resource, name);
        const { target, operator, own } = found;
        if (texts.length > 1 && operator !== 'in' && operator !== 'range') throw new Error('is given more than once');
        where.push(conditionOf(found, texts));
        filters.push({ column: own ?? null, operator, ...(operator === 'exact' && { value: target.read(texts[0]!) }) });
      },
      undefined,
    );
  }
  const orderBy = attempt('order_by', () => readOrder(resource, query['order_by']), []);
  const limit = attempt(sentAs('_limit', query), () => readCount(limitIn(query)), null);
  const offset = attempt(sentAs('_offset', query), () => readCount(query['_offset'] ?? query['offset']), 0) ?? 0;
  const estimate = attempt('_count', () => readEstimate(query['_count']), false);
  const after = query['_after'];
  const begin = attempt(
    '_after',
    () => (after === undefined || errors['order_by'] ? null : behind(resource.fields, orderBy, [after].flat().join())),
    null,
  );
  if (Object.keys(errors).length > 0) throw new RequestError(errors);
  return {
    where,
    filters,
    orderBy,
    limit: limit === null ? DEFAULT_LIMIT : Math.min(limit || MAX_LIMIT, MAX_LIMIT),
    offset,
    behind: begin,
    estimate,
    kept,
  };
}

function readEstimate(given: QueryParameters[string]): boolean {
  if (given === undefined || given === 'exact') return false;
  if (given !== 'estimate') throw new Error('must be exact or estimate');
  return true;
}

/**
 * Before anything is said of the filters themselves.
 * @throws PermissionError for one that reaches into what the caller may not read
 */
export function checkGrants(context: ApiContext, resource: Resource, query: QueryParameters, can: Can): void {
  for (const name of Object.keys(query)) {
    try {
      findFilter({ context, can }, resource, name);
    } catch (error) {
      if (error instanceof PermissionError) throw error;
    }
  }
}

/** Paging alone, for collections with filters of their own. @throws RequestError */
export function readPaging(query: QueryParameters): Pick<CollectionQuery, 'limit' | 'offset' | 'kept'> {
  const read = (name: string, given: string | string[] | undefined) => {
    try {
      return readCount(given);
    } catch (error) {
      throw new RequestError({ [name]: `${name} ${(error as Error).message}` });
    }
  };
  const limit = read(sentAs('_limit', query), limitIn(query));
  const offset = read(sentAs('_offset', query), query['_offset'] ?? query['offset']) ?? 0;
  const kept = Object.entries(query).flatMap(([name, given]) =>
    PAGING.has(name) ? [] : [given ?? ''].flat().map((text): [string, string] => [name, text]),
  );
  return { limit: limit === null ? DEFAULT_LIMIT : Math.min(limit || MAX_LIMIT, MAX_LIMIT), offset, kept };
}

/** The name a paging parameter came under, by which what is wrong with it is told. */
const sentAs = (name: '_limit' | '_offset', query: QueryParameters): string =>
  query[name] === undefined && query[name.slice(1)] !== undefined ? name.slice(1) : name;

/** One that is too large is cut to the most, however large it is. */
function limitIn(query: QueryParameters): string | string[] | undefined {
  const given = query['_limit'] ?? query['limit'];
  return /^\d{10,30}$/.test([given ?? ''].flat().at(-1) ?? '') ? String(MAX_LIMIT) : given;
}

function readCount(given: string | string[] | undefined): number | null {
  if (given === undefined) return null;
  const count = readInteger([given].flat().at(-1));
  if (count < 0) throw new Error('must not be negative');
  return count;
}

/** What all objects of a resource meet, over `t`. */
export const ownCondition = ({ declaration: { where } }: Pick<Resource, 'declaration'>): Condition[] =>
  where ? [fragment.raw(where)] : [];

function readOrder(resource: Resource, given: string | string[] | undefined): Order[] {
  const wanted = [given ?? []].flat().flatMap((each) => each.split(','));
  const named = wanted.map((each): Order => {
    const name = each.trim().replace(/^-/, '');
    const field = resource.fields.find((it) => it.name === name && it.column && !it.writeonly);
    const allowed = name === 'id' || resource.declaration.ordering?.includes(name);
    if (!field || !allowed) throw new Error(`cannot be ${each.slice(0, 100)}`);
    return { column: field.column!, direction: each.trim().startsWith('-') ? 'desc' : 'asc' };
  });
  // Named again, a field orders nothing more, and thousands of them the database refuses.
  const there = new Set<string>();
  const orderBy = named.filter(({ column }) => there.size < there.add(column).size);
  const backwards = orderBy.length > 0 && orderBy.every(({ direction }) => direction === 'desc');
  // The id last: an order without ties pages without gaps.
  if (!orderBy.some(({ column }) => column === 'id')) orderBy.push({ column: 'id', direction: backwards ? 'desc' : 'asc' });
  return orderBy;
}

interface FoundFilter {
  target: FilterTarget;
  operator: Operator;
  /** Puts the condition on a joined row into one on `t`. */
  wrap: (condition: Condition) => Condition;
  /** The column of `t` it is a plain condition on. */
  own?: string;
  /** Asks rows of other tables, of which there may be none. */
  joins?: boolean;
}

/** What leads to no row over there has null there, as in an outer join. */
function conditionOf({ target, operator, wrap, joins }: FoundFilter, texts: string[]): Condition {
  if (!joins || operator !== 'isnull' || !readBoolean(texts[0])) return wrap(condition(target, operator, texts));
  return fragment`not ${wrap(condition(target, operator, ['false']))}`;
}

const NO_FILTER = 'is not a filter of this collection';

interface Asked {
  context: ApiContext;
  can: Can;
}

function findFilter(asked: Asked, resource: Resource, name: string, alias = 't', depth = 0): FoundFilter {
  const { context, can } = asked;
  const { filtering = {}, filterNames = {} } = resource.declaration;
  const [first = '', ...rest] = splitName(name, Object.keys(filtering));
  const allowed = Object.hasOwn(filtering, first) ? filtering[first]! : null;
  const field = resource.fields.find((it) => it.name === (filterNames[first] ?? first));
  if (!allowed || !field || field.writeonly) throw new Error(NO_FILTER);
  const column = fragment.ref(`${alias}.${field.column}`);
  const operator = (rest[0] ?? 'exact') as Operator;
  if (rest.length <= 1 && OPERATORS.includes(operator)) {
    if (Array.isArray(allowed) && !allowed.includes(operator)) throw new Error(NO_FILTER);
    if (field.stored.kind === 'references') return manyFilter(context, field, operator, alias);
    const caseless = resource.declaration.caseless?.includes(field.name);
    const { filteredBy } = field.override;
    if (filteredBy) {
      const { where = (it: Condition) => it, type, read } = filteredBy;
      const target = { column: filteredBy.column ?? column, ...typeOf(context, field), ...(type && { type }), ...(read && { read }) };
      return { target, operator, wrap: (it) => where(it, fragment.ref(alias)) };
    }
    const compared = RANGES.includes(operator) && field.stored.kind === 'reference' && { read: idOrNumber(context, field) };
    return {
      target: { column, caseless, ...typeOf(context, field), ...compared },
      operator,
      wrap: (it) => it,
      own: field.column ?? undefined,
    };
  }
  const { kind, to } = field.stored;
  if (allowed !== 'joins' || !to || !context.registry.has(to) || depth > 3) throw new Error(NO_FILTER);
  const next = context.registry.get(to);
  const needed = readGrant(next);
  if (!can(needed)) throw new PermissionError(needed);
  if (resource.declaration.alike?.[first]?.includes(rest[0]!))
    return { ...findFilter(asked, next, rest.join('__'), alias, depth + 1), own: undefined };
  const inner = `j${depth}`;
  const found = findFilter(asked, next, rest.join('__'), inner, depth + 1);
  const joined = fragment`${fragment.table(next.table)} ${fragment.id(inner)}`;
  const id = fragment.ref(`${inner}.id`);
  if (kind === 'references') {
    const { pivot, own, other } = pivotOf(field, alias, `m${depth}`);
    return {
      ...found,
      own: undefined,
      joins: true,
      wrap: (it) => fragment`exists (select from ${pivot} join ${joined} on ${id} = ${other} where ${own} and ${found.wrap(it)})`,
    };
  }
  return {
    ...found,
    own: undefined,
    joins: true,
    wrap: (it) => fragment`exists (select from ${joined} where ${id} = ${column} and ${found.wrap(it)})`,
  };
}

/** `a_field__gte` → a_field, gte; a field name that holds `__` itself is tried first. */
function splitName(name: string, fields: string[]): string[] {
  const whole = fields.find((field) => field.includes('__') && (name === field || name.startsWith(`${field}__`)));
  if (!whole) return name.split('__');
  const rest = name.slice(whole.length + 2);
  return rest ? [whole, ...rest.split('__')] : [whole];
}

/** The operators a filter takes: those declared, as far as the column's type has them. */
export function operatorsOf(
  { filtering = {}, filterNames = {} }: ResourceDeclaration,
  fields: readonly Field[],
  filter: string,
): Operator[] {
  const allowed = filtering[filter];
  const { kind } = fields.find(({ name }) => name === (filterNames[filter] ?? filter))!.stored;
  const fits = (operator: Operator) =>
    kind === 'references' ? OF_MANY.includes(operator) : operator !== 'year' || kind === 'datetime' || kind === 'date';
  return (Array.isArray(allowed) ? allowed : OPERATORS).filter(fits);
}

const RANGES: readonly Operator[] = ['gt', 'gte', 'lt', 'lte', 'range'];

/** What ids are compared with need not be one: whoever goes through all users begins at 0. */
const idOrNumber =
  (context: ApiContext, field: Field) =>
  (text: string): unknown =>
    /^-?\d+$/.test(text) ? readInteger(text) : typeOf(context, field).read(text);

const OF_MANY: readonly Operator[] = ['exact', 'in', 'isnull'];

function manyFilter(context: ApiContext, field: Field, operator: Operator, alias: string): FoundFilter {
  const { pivot, own, other } = pivotOf(field, alias, 'm');
  const rows = (it: Expression<unknown>) => fragment<boolean>`exists (select from ${pivot} where ${own} and ${it})`;
  if (operator === 'isnull') {
    // Of a relation to many, null means that there is none.
    return {
      target: { column: fragment`(not ${rows(fragment`true`)})`, type: 'boolean', read: readBoolean },
      operator: 'exact',
      wrap: (it) => it,
    };
  }
  if (operator !== 'exact' && operator !== 'in') throw new Error(NO_FILTER);
  return { target: { column: other, ...typeOf(context, field) }, operator, wrap: rows };
}

/** The table between, under a name of its own; which of its rows are of `alias`; and where they lead. */
function pivotOf(field: Field, alias: string, name: string): Record<'pivot' | 'own' | 'other', Expression<unknown>> {
  if (!field.pivot) throw new Error(NO_FILTER);
  return {
    pivot: fragment`${fragment.table(field.pivot.table)} ${fragment.id(name)}`,
    own: fragment`${fragment.ref(`${name}.${field.pivot.own}`)} = ${fragment.ref(`${alias}.id`)}`,
    other: fragment.ref(`${name}.${field.pivot.other}`),
  };
}

/** The plus of an offset is a space where a client did not encode it. */
const withPlus = (text: string): string => text.replace(/([T ]\d\d:\d\d\S{0,20}) (\d\d:?\d\d)$/i, '$1+$2');

function typeOf(context: ApiContext, field: Field): { type: FilterType; read: (text: string) => unknown } {
  switch (field.stored.kind) {
    case 'reference':
    case 'references':
      return { type: 'integer', read: (text) => readReference(context, field.stored.to!, text) };
    case 'integer':
      return { type: 'integer', read: readInteger };
    case 'number':
      return { type: 'number', read: readNumber };
    case 'decimal':
      return { type: 'decimal', read: readDecimal };
    case 'boolean':
      return { type: 'boolean', read: readBoolean };
    case 'datetime':
      return { type: 'datetime', read: (text) => readTimestamp(withPlus(text)) };
    case 'date':
      return { type: 'date', read: readDate };
    case 'string':
      return { type: 'text', read: (text) => (field.override.kept ?? String)(ownWord(field, readText(text))) };
    default:
      throw new Error(NO_FILTER);
  }
}
