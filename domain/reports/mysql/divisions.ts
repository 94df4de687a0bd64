import type { FuncCall, Node, ResTarget, SelectStmt, SortBy } from 'libpg-query';
import * as t from './nodes.ts';
import { mapped } from './walk.ts';

// MySQL shows a quotient with four digits more than its dividend and counts on with nine: 1 / 3 is 0.3333, and 1 / 3 * 100 is 33.3333. The operator / of
// schema mysql gives what is shown; where more is made of a quotient it becomes mysql.divided, which keeps the digits, and what comes of it is cut to
// the digits it would have been shown with.

/** Has quotients counted on with all their digits and shown with four. @param select finished otherwise */
export function keepDigits(select: SelectStmt): SelectStmt {
  if (!divides([select.targetList, select.whereClause, select.havingClause, select.groupClause, select.sortClause])) return select;
  const kept = { ...select };
  if (select.targetList) {
    kept.targetList = select.targetList.map((each) => {
      const { ResTarget: target } = each as { ResTarget: ResTarget };
      return { ResTarget: { ...target, ...(target.val && { val: shown(target.val) }) } };
    });
  }
  if (select.whereClause) kept.whereClause = exact(select.whereClause);
  if (select.havingClause) kept.havingClause = exact(select.havingClause);
  // What is grouped is what is shown, so that the grammar knows it again.
  const { groupClause, distinctClause } = select;
  if (groupClause) kept.groupClause = groupClause.map(shown);
  if (distinctClause) kept.distinctClause = distinctClause.map(shown);
  if (select.sortClause) {
    const groups = new Set((groupClause ?? []).map(t.keyOf));
    kept.sortClause = select.sortClause.map((each) => {
      const { SortBy: sort } = each as { SortBy: SortBy };
      if (!sort.node) return each;
      return { SortBy: { ...sort, node: distinctClause || groups.has(t.keyOf(sort.node)) ? shown(sort.node) : exact(sort.node) } };
    });
  }
  return kept;
}

const isDivision = (node: Node): boolean => 'A_Expr' in node && node.A_Expr.kind === 'AEXPR_OP' && t.nameOf(node.A_Expr.name)?.[0] === '/';

function divides(node: unknown): boolean {
  let found = false;
  mapped(node, (each) => {
    found ||= isDivision(each);
    return found ? each : null;
  });
  return found;
}

/** With all digits of its quotients. */
function exact(node: Node): Node {
  return mapped(node, (each) => {
    if (!isDivision(each)) return null;
    const { lexpr, rexpr } = (each as { A_Expr: { lexpr: Node; rexpr: Node } }).A_Expr;
    return t.ours('divided', t.ours('num', exact(lexpr)), t.ours('num', exact(rexpr)));
  }) as Node;
}

const SUMS = new Set(['+', '-', '*', '/', '%']);
/** Functions that give a number of as many digits as they are given. */
const CARRIERS = new Set('sum max min any_value abs greatest least value num'.split(' '));
/** Functions that take what is shown. */
const WRITERS = new Set('as_text concat_ws joined string_agg array_agg'.split(' '));

/** With as many digits as MySQL shows. */
function shown(node: Node): Node {
  if (!divides(node)) return node;
  if ('A_Expr' in node) {
    const { kind, name, lexpr, rexpr } = node.A_Expr;
    const sign = kind === 'AEXPR_OP' ? (t.nameOf(name)?.at(-1) ?? '') : '';
    if (sign === '/' && !divides(lexpr) && !divides(rexpr)) return node;
    if (SUMS.has(sign)) return cut(node);
    if (sign === '||') return { A_Expr: { ...node.A_Expr, lexpr: shown(lexpr!), rexpr: shown(rexpr!) } };
  }
  if ('CollateClause' in node) return { CollateClause: { ...node.CollateClause, arg: shown(node.CollateClause.arg!) } };
  if ('CoalesceExpr' in node) return { CoalesceExpr: { ...node.CoalesceExpr, args: node.CoalesceExpr.args!.map(shown) } };
  if ('CaseExpr' in node) return shownCase(node);
  if ('FuncCall' in node) {
    const name = t.nameOf(node.FuncCall.funcname)?.at(-1) ?? '';
    if (CARRIERS.has(name)) return cut(node);
    if (WRITERS.has(name)) return { FuncCall: { ...node.FuncCall, args: node.FuncCall.args!.map(shown) } as FuncCall };
  }
  return exact(node);
}

const cut = (node: Node): Node => t.ours('shown', exact(node), node);

function shownCase({ CaseExpr: { arg, args, defresult, ...rest } }: Extract<Node, { CaseExpr: unknown }>): Node {
  const whens = (args ?? []).map((each) => {
    const { expr, result, ...more } = (each as { CaseWhen: { expr: Node; result: Node } }).CaseWhen;
    return { CaseWhen: { ...more, expr: exact(expr), result: shown(result) } };
  });
  return { CaseExpr: { ...rest, ...(arg && { arg: exact(arg) }), args: whens, ...(defresult && { defresult: shown(defresult) }) } };
}
