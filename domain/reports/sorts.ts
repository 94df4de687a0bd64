import { StatementError } from './statement-error.ts';
import { nodes } from './tree.ts';

/**
 * A value bound where rows are sorted or grouped is the same for all of them, so it would do nothing and say nothing: names of columns cannot be parameters.
 * @param places names of the parameters, in the order they are bound
 * @throws StatementError naming the parameter
 */
export function checkSorts(key: string, node: { node?: unknown; groupClause?: unknown }, places: readonly string[]): void {
  const [clause, expressions] = key === 'SortBy' ? ['ORDER BY', [node.node]] : ['GROUP BY', node.groupClause];
  if (!Array.isArray(expressions)) return;
  for (const expression of expressions) {
    const name = constantPlace(expression, places);
    if (name === null) continue;
    throw new StatementError(`${clause} {{ ${name} }} does nothing: a parameter is a value, never the name of a column.`);
  }
}

/** The parameter an expression is made of, where nothing in it belongs to a row. */
function constantPlace(expression: unknown, places: readonly string[]): string | null {
  let name: string | null = null;
  for (const [key, part] of nodes(expression)) {
    if (key === 'ColumnRef' || key === 'SubLink') return null;
    if (key === 'ParamRef') name ??= places[((part as { number?: number }).number ?? 1) - 1] ?? '?';
  }
  return name;
}
