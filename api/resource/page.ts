import type { AliasedExpression, Compilable, SelectQueryBuilder } from 'kysely';
import type { Sql } from '../../db/sql.ts';
import { anyTables, fragment, run } from '../../entities/tables.ts';
import { estimated } from './count.ts';
import { cursorColumns, cursorOf } from './cursor.ts';
import type { Row } from './declare.ts';
import type { Operator } from './operators.ts';
import type { CollectionQuery } from './query.ts';
import type { Resource } from './registry.ts';

// One statement gives a page and the exact number of all that match, in one snapshot. Which statement depends on what an index can do; each
// shape reads ids first and the columns of those on the page only, so that skipping half a million rows reads none of them.

/** What an index on a column can find as one range of it. */
const RANGES = new Set<Operator>(['exact', 'gt', 'gte', 'lt', 'lte', 'range', 'year']);

/**
 * So many rows are looked through in the order asked for, where it is known how many match: often the page is full long before. Where it is not, that was little
 * beside what comes then.
 */
const MOST_WALKED = 20_000;

// biome-ignore lint/suspicious/noExplicitAny: a query over whatever table
type AnyQuery = SelectQueryBuilder<any, any, any>;

type Source = Pick<Resource, 'table' | 'orderedColumns' | 'declaration' | 'fields'>;

export interface Page {
  rows: Row[];
  total: number;
  exact: boolean;
  /** Whether there are rows behind it. */
  more: boolean;
  /** Where the next page begins, for `_after`; null where its offset says it. */
  after: string | null;
}

/** @param columns what is read of the rows of the page, over the row alias `t` */
export async function readPage(
  on: Sql,
  source: Source,
  columns: readonly AliasedExpression<unknown, string>[],
  query: CollectionQuery,
): Promise<Page> {
  const { limit, offset, behind, orderBy } = query;
  const order = fragment.join(orderBy.map(({ column, direction }) => fragment`${fragment.ref(`t.${column}`)} ${fragment.raw(direction)}`));
  const all = anyTables.selectFrom(`${source.table} as t`).where(({ and }) => and(query.where));
  const kept = tallied(source, query);
  const counted = kept ?? all.select(({ fn }) => fn.countAll().as('count'));
  const guess = query.estimate ? await estimated(on, all, kept) : null;
  const inOrder = isInOrder(source, query);
  const shown = [...columns, ...(inOrder ? cursorColumns(source.fields, orderBy, offset + limit) : [])];
  // What is not counted to the end does not say whether there is more: one row too many does.
  const taken = behind || guess?.exact === false ? limit + 1 : limit;
  /** The columns of these, and the count of all. */
  const page = (ids: AnyQuery, count: AnyQuery | null, onlyWhenFull = false): Compilable<Row> => {
    const rows = anyTables
      .with(
        (cte) => cte('page').materialized(),
        () => ids,
      )
      .selectFrom('page')
      .innerJoin(`${source.table} as t`, 't.id', 'page.id')
      .select(shown)
      .orderBy(order);
    if (!count) return rows;
    return rows.select((onlyWhenFull ? fragment`case when (select count(*) from page) = ${taken} then ${count} end` : count).as(' total'));
  };
  const asked = (from: AnyQuery): AnyQuery =>
    (behind ? from.where(behind) : from.offset(offset)).select('t.id').orderBy(order).limit(taken);
  const answer = async (found: Row[], told = guess): Promise<Page> => {
    const rows = found.slice(0, limit);
    const total = told?.total ?? (await totalOf(found, offset === 0 && !behind, () => run(on, counted as Compilable<Row>)));
    const more = taken > limit ? found.length > limit : offset + limit < total;
    return { rows, total, exact: told?.exact ?? true, more, after: more ? cursorOf(rows.at(-1)) : null };
  };

  if (inOrder) return answer(await run(on, page(asked(all), guess ? null : counted)));
  // Where what is asked of rows of another table is common, the page is full soon, and to count without a list of all that match is several times as fast.
  const joined = guess === null && query.filters.some(({ column }) => column === null);
  if (
    (kept || guess?.exact === false || joined) &&
    !behind &&
    offset + limit <= MOST_WALKED / 10 &&
    source.orderedColumns.has(orderBy[0]!.column)
  ) {
    const first = anyTables.selectFrom(`${source.table} as t`).selectAll('t').orderBy(order).limit(MOST_WALKED);
    const walk = anyTables.selectFrom(first.as('t')).where(({ and }) => and(query.where));
    const found = await run(on, page(asked(walk), guess ? null : counted, !kept));
    if (found.length === taken) return answer(found);
  }
  // Left to itself the planner walks the order's index until the page is full, on the guess that matches lie evenly: when they all
  // lie at the far end (the newest by date, in the order of ids), that is the whole table, row by row. They have to be counted anyway.
  const needed = [...new Set(['id', ...orderBy.map(({ column }) => column)])];
  const matching = anyTables.with(
    (cte) => cte('matching').materialized(),
    () => all.select(needed.map((column) => `t.${column}` as const)),
  );
  const found = await run(
    on,
    matching
      .selectFrom((from) => asked(from.selectFrom('matching as t')).as('page'))
      .innerJoin(`${source.table} as t`, 't.id', 'page.id')
      .select(shown)
      .select((from) =>
        from
          .selectFrom('matching')
          .select(({ fn }) => fn.countAll().as('count'))
          .as(' total'),
      )
      .orderBy(order),
  );
  return answer(found, null);
}

/** A page past the end has no row to carry the count. @param whole the page is the first */
async function totalOf(found: Row[], whole: boolean, count: () => Promise<Row[]>): Promise<number> {
  if (found.length > 0) return Number(found[0]![' total']);
  return whole ? 0 : Number((await count())[0]!['count']);
}

/** Whether one range of one index holds all that match, in the order asked for. */
function isInOrder({ orderedColumns, declaration }: Source, { filters, orderBy }: CollectionQuery): boolean {
  if (declaration.where) return false;
  const first = orderBy[0]!.column;
  if (filters.length === 0) return orderedColumns.has(first);
  const [{ column, operator }] = filters as [CollectionQuery['filters'][number]];
  if (column === null || !orderedColumns.has(column) || filters.some((each) => each.column !== column || !RANGES.has(each.operator)))
    return false;
  return column === first || (first === 'id' && operator === 'exact' && filters.length === 1);
}

/** Resources of whose objects few belong to each person, order or action. */
const OF_ONE = new Set(['user', 'order', 'action']);

/** Whether what matches is one row, or belongs to one person or thing: an index finds it, and it is little however large the table. */
export function isNarrow({ fields }: Pick<Resource, 'fields'>, { filters }: CollectionQuery): boolean {
  return filters.some(({ column, operator }) => {
    const field = operator === 'exact' && column !== null ? fields.find((each) => each.column === column) : undefined;
    return field !== undefined && (field.unique || OF_ONE.has(field.stored.to ?? ''));
  });
}

/** The count kept for this filter, or null when there is none. */
function tallied({ table, declaration }: Source, { filters }: CollectionQuery) {
  const { tally, where, whereTallied } = declaration;
  if (!tally || filters.length > 1) return null;
  const sum = (facet: string) =>
    anyTables
      .selectFrom('core_tally')
      .where('counted', '=', table)
      .where('facet', '=', facet)
      .select(({ fn }) => fn.coalesce(fn.sum('delta'), fragment.lit(0)).as('count'));
  if (where)
    return whereTallied && filters.length === 0
      ? sum(whereTallied.column).where(fragment<boolean>`value in (select id::text from ${fragment.raw(whereTallied.rows)})`)
      : null;
  const [{ column, operator, value } = { column: '', operator: 'exact' as const, value: '' }] = filters;
  if (column === null || operator !== 'exact' || (column !== '' && !tally.includes(column))) return null;
  return sum(column).where('value', '=', String(value));
}
