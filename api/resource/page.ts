import type { AliasedExpression, Compilable } from 'kysely';
import type { Sql } from '../../db/sql.ts';
import { anyTables, fragment, run } from '../../entities/tables.ts';
import type { Row } from './declare.ts';
import type { Operator } from './operators.ts';
import type { CollectionQuery } from './query.ts';
import type { Resource } from './registry.ts';

// One statement gives a page and the exact number of all that match, in one snapshot. Which statement depends on what an index can do; each
// shape reads ids first and the columns of those on the page only, so that skipping half a million rows reads none of them.

/** What an index on a column can find as one range of it. */
const RANGES = new Set<Operator>(['exact', 'gt', 'gte', 'lt', 'lte', 'range', 'year']);

type Source = Pick<Resource, 'table' | 'orderedColumns' | 'declaration'>;

/** @param columns what is read of the rows of the page, over the row alias `t` */
export async function readPage(
  on: Sql,
  source: Source,
  columns: readonly AliasedExpression<unknown, string>[],
  query: CollectionQuery,
): Promise<{ rows: Row[]; total: number }> {
  const { limit, offset } = query;
  const order = fragment.join(
    query.orderBy.map(({ column, direction }) => fragment`${fragment.ref(`t.${column}`)} ${fragment.raw(direction)}`),
  );
  const all = anyTables.selectFrom(`${source.table} as t`).where(({ and }) => and(query.where));
  const counted = all.select(({ fn }) => fn.countAll().as('count'));

  let page: Compilable<Row>;
  if (isInOrder(source, query)) {
    const ids = all.select('t.id').orderBy(order).limit(limit).offset(offset);
    page = anyTables
      .selectFrom(ids.as('page'))
      .innerJoin(`${source.table} as t`, 't.id', 'page.id')
      .select(columns)
      .select((tallied(source, query) ?? counted).as(' total'))
      .orderBy(order);
  } else {
    // Left to itself the planner walks the order's index until the page is full, on the guess that matches lie evenly: when they all
    // lie at the far end (the newest by date, in the order of ids), that is the whole table, row by row. They have to be counted anyway.
    const needed = [...new Set(['id', ...query.orderBy.map(({ column }) => column)])];
    page = anyTables
      .with(
        (cte) => cte('matching').materialized(),
        () => all.select(needed.map((column) => `t.${column}` as const)),
      )
      .selectFrom((from) => from.selectFrom('matching as t').select('t.id').orderBy(order).limit(limit).offset(offset).as('page'))
      .innerJoin(`${source.table} as t`, 't.id', 'page.id')
      .select(columns)
      .select((from) =>
        from
          .selectFrom('matching')
          .select(({ fn }) => fn.countAll().as('count'))
          .as(' total'),
      )
      .orderBy(order);
  }
  const rows = await run(on, page);
  if (rows.length > 0) return { rows, total: Number(rows[0]![' total']) };
  if (offset === 0) return { rows, total: 0 };
  // A page past the end has no row to carry the count.
  const [past] = await run(on, counted);
  return { rows, total: Number(past!.count) };
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

/** The count kept for this filter, or null when there is none. */
function tallied({ declaration }: Source, { filters }: CollectionQuery) {
  const { tally } = declaration;
  if (!tally || declaration.where || filters.length > 1) return null;
  const [{ column, operator, value } = { column: '', operator: 'exact' as const, value: '' }] = filters;
  if (column === null || operator !== 'exact' || (column !== '' && !tally.facets.includes(column))) return null;
  return anyTables
    .selectFrom(tally.table)
    .where('facet', '=', column)
    .where('value', '=', String(value))
    .select(({ fn }) => fn.coalesce(fn.sum('delta'), fragment.lit(0)).as('count'));
}
