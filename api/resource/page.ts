import type { Pool } from '../../db/driver.ts';
import type { Row } from './declare.ts';
import type { Operator } from './operators.ts';
import type { CollectionQuery } from './query.ts';
import type { Resource } from './registry.ts';

// One statement gives a page and the exact number of all that match, in one snapshot. Which statement depends on what an index can do; each
// shape reads ids first and the columns of those on the page only, so that skipping half a million rows reads none of them.

/** What an index on a column can find as one range of it. */
const RANGES = new Set<Operator>(['exact', 'gt', 'gte', 'lt', 'lte', 'range', 'year']);

type Source = Pick<Resource, 'table' | 'orderedColumns' | 'declaration'>;

/** @param columns select list over the row alias `t` */
export async function readPage(
  pool: Pool,
  source: Source,
  columns: string,
  query: CollectionQuery,
): Promise<{ rows: Row[]; total: number }> {
  const { table } = source;
  const { where, limit, offset } = query;
  const values = [...query.values];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const order = query.orderBy.replaceAll('t."id"', 't.id');
  const cut = `limit ${bind(limit)}::bigint offset ${bind(offset)}::bigint`;
  const shown = (ids: string, total: string) =>
    `select ${columns}, ${total} as " total" from (${ids}) page join "${table}" t on t.id = page.id order by ${order}`;

  let text: string;
  if (isInOrder(source, query)) {
    const count = tallySql(source, query, bind) ?? `(select count(*) from "${table}" t where ${where})`;
    text = shown(`select t.id from "${table}" t where ${where} order by ${order} ${cut}`, count);
  } else {
    // Left to itself the planner walks the order's index until the page is full, on the guess that matches lie evenly: when they all
    // lie at the far end (the newest by date, in the order of ids), that is the whole table, row by row. They have to be counted anyway.
    const needed = [...new Set(['t.id', ...order.split(', ').map((part) => part.replace(/ desc$/, ''))])].join(', ');
    const ids = `select t.id from matching t order by ${order} ${cut}`;
    text = `with matching as materialized (select ${needed} from "${table}" t where ${where}) ${shown(ids, '(select count(*) from matching)')}`;
  }
  const { rows } = await pool.query<Row>(text, values);
  if (rows.length > 0) return { rows, total: Number(rows[0]![' total']) };
  if (offset === 0) return { rows, total: 0 };
  // A page past the end has no row to carry the count.
  const counted = await pool.query<{ count: string }>(`select count(*) from "${table}" t where ${where}`, query.values);
  return { rows, total: Number(counted.rows[0]!.count) };
}

/** Whether one range of one index holds all that match, in the order asked for. */
function isInOrder({ orderedColumns, declaration }: Source, { filters, firstColumn }: CollectionQuery): boolean {
  if (declaration.where) return false;
  if (filters.length === 0) return orderedColumns.has(firstColumn);
  const [{ column, operator }] = filters as [CollectionQuery['filters'][number]];
  if (column === null || !orderedColumns.has(column) || filters.some((each) => each.column !== column || !RANGES.has(each.operator)))
    return false;
  return column === firstColumn || (firstColumn === 'id' && operator === 'exact' && filters.length === 1);
}

/** SQL of the count kept for this filter, or null when there is none. */
function tallySql({ declaration }: Source, { filters }: CollectionQuery, bind: (value: unknown) => string): string | null {
  const { tally } = declaration;
  if (!tally || declaration.where || filters.length > 1) return null;
  const [{ column, operator, value } = { column: '', operator: 'exact', value: '' }] = filters;
  if (column === null || operator !== 'exact' || (column !== '' && !tally.facets.includes(column))) return null;
  return `(select coalesce(sum(delta), 0) from "${tally.table}" where facet = ${bind(column)}::text and value = ${bind(String(value))}::text)`;
}
