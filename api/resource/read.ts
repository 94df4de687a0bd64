import type { FastifyRequest } from 'fastify';
import type { AliasedExpression } from 'kysely';
import { type Sql, sqlOn } from '../../db/sql.ts';
import { uriOf } from '../../domain/uris.ts';
import { anyTables, fragment, type Statement, statement } from '../../entities/tables.ts';
import type { ApiContext } from '../deps.ts';
import { can } from '../route-options.ts';
import type { Row } from './declare.ts';
import type { Condition } from './operators.ts';
import { isNarrow, type Page, readPage } from './page.ts';
import { type Can, type CollectionQuery, ownCondition, type QueryParameters, readQuery } from './query.ts';
import type { Resource } from './registry.ts';

export interface Collection<Item> {
  meta: {
    limit: number;
    offset: number;
    total_count: number;
    /** Said to those alone who asked for an estimate. */
    total_count_is_exact?: boolean;
    next: string | null;
    previous: string | null;
  };
  objects: Item[];
}

/** Of whoever is not known to have any grant beside that of the resource. */
const NONE: Can = () => false;

/** Reads of one resource, their statements made once. `may` is what grants the reader has: some fields take one of their own. */
export class Reader {
  readonly resource: Resource;
  #context: ApiContext;
  #sql: Sql;
  #columns: AliasedExpression<unknown, string>[];
  #shown: { name: string; show: ((row: Row, context: ApiContext) => unknown) | null }[];
  #guarded: { name: string; grant: string }[];
  #one: { name: string; text: string };
  #some: Statement<{ ids: number[] }, Row>;

  constructor(resource: Resource, context: ApiContext) {
    this.resource = resource;
    this.#context = context;
    this.#sql = sqlOn(context.pool);
    const visible = resource.fields.filter(({ writeonly }) => !writeonly);
    this.#columns = visible.flatMap(({ name, select }) => (select ? [fragment.raw(select).as(name)] : []));
    this.#shown = visible.map(({ name, show }) => ({ name, show }));
    this.#guarded = visible.flatMap(({ name, override }) => (override.onlyWith ? [{ name, grant: override.onlyWith }] : []));
    const read = (which: Condition) =>
      anyTables
        .selectFrom(`${resource.table} as t`)
        .where(({ and }) => and([which, ...ownCondition(resource)]))
        .select(this.#columns);
    this.#one = { name: `one-${resource.name}`, text: read(fragment`t.id = ${'the id'}`).compile().sql };
    this.#some = statement(({ ids }) => read(fragment`t.id = any(${ids}::int[])`));
  }

  /** The object as the API shows it, or null. */
  async one(id: number, may = NONE): Promise<Row | null> {
    const { rows } = await this.#context.pool.query<Row>({ ...this.#one, values: [id] });
    return rows[0] ? this.present(rows[0], may) : null;
  }

  /** The same inside a transaction that has written it: what cannot be read after its commit would be told as if nothing had been changed. */
  async written(sql: Sql, id: number, may = NONE): Promise<Row | null> {
    const [row] = await sql<Row>(this.#one.text, [id]);
    return row ? this.present(row, may) : null;
  }

  /** The objects there are of these ids, by id. */
  async some(ids: number[], may = NONE): Promise<Map<number, Row>> {
    const rows = await this.#some(this.#sql, { ids });
    return new Map(rows.map((row) => [row['id'] as number, this.present(row, may)]));
  }

  /**
   * A page of the collection, as the query string of a request asks for it.
   * @param within a condition of ours over `t` that all objects meet, and the parameters it was made of
   * @throws RequestError for filters, ordering or paging that cannot be used; PermissionError for filters the caller may not use
   */
  async page(request: FastifyRequest, path: string, within?: { condition: Condition; madeOf?: string[] }): Promise<Collection<Row>> {
    const may = (grant: string) => can(request, grant);
    const query = readQuery(this.#context, this.resource, request.query as QueryParameters, may, within?.madeOf);
    if (within) {
      query.where.push(within.condition);
      query.filters.push({ column: null, operator: 'exact' });
    }
    const on = isNarrow(this.resource, query) ? this.#sql : this.#context.longReads.of(request);
    const page = await readPage(on, this.resource, this.#columns, query);
    const meta = pageMeta(path, query, page.total, page);
    return {
      meta: { ...meta, ...(query.estimate && { total_count_is_exact: page.exact }) },
      objects: page.rows.map((row) => this.present(row, may)),
    };
  }

  present(row: Row, may: Can): Row {
    const shown: Row = {};
    // Before anything is made of them.
    for (const { name, grant } of this.#guarded) if (!may(grant)) row[name] = '';
    for (const { name, show } of this.#shown) shown[name] = show ? show(row, this.#context) : row[name];
    shown['resource_uri'] = uriOf(this.resource.declaration.shownAs?.(row) ?? this.resource.name, row['id'] as number);
    return shown;
  }
}

/**
 * `meta` of a collection: next and previous are relative, keep every filter, and are null at the ends.
 * @param page what is known of it beyond its place among all
 */
export function pageMeta(
  path: string,
  { limit, offset, kept }: Pick<CollectionQuery, 'limit' | 'offset' | 'kept'>,
  total: number,
  { more, after }: Pick<Page, 'more' | 'after'> = { more: offset + limit < total, after: null },
): Collection<never>['meta'] {
  const uri = (to: number, cursor: string | null = null) => {
    const paging: [string, string][] = [
      ['_limit', String(limit)],
      ['_offset', String(to)],
    ];
    if (cursor !== null) paging.push(['_after', cursor]);
    return `${path}?${new URLSearchParams([...kept, ...paging])}`;
  };
  return {
    limit,
    offset,
    total_count: total,
    next: more ? uri(offset + limit, after) : null,
    previous: offset > 0 ? uri(Math.max(0, offset - limit)) : null,
  };
}
