import type { A_Expr, Node } from 'libpg-query';
import * as t from './nodes.ts';

/** PostgreSQL's grammar takes no COLLATE between BETWEEN and AND, also where brackets are around what it is said of: there it stands within a call that changes nothing. */
export function withPlainBounds(expression: A_Expr): A_Expr {
  const { kind = '', rexpr } = expression;
  if (!kind.includes('BETWEEN') || !rexpr || !('List' in rexpr)) return expression;
  const [from, ...to] = rexpr.List.items ?? [];
  const items: Node[] = from && 'CollateClause' in from ? [t.ours('value', from), ...to] : (rexpr.List.items ?? []);
  return { ...expression, rexpr: { List: { items } } };
}
