import type { A_Const, Node } from 'libpg-query';

// Pieces of the tree PostgreSQL's grammar makes, as it makes them.

const words = (...names: string[]): Node[] => names.map((sval) => ({ String: { sval } }));

/** A call of one of the schema's functions. */
export const ours = (name: string, ...args: Node[]): Node => call(['mysql', name], args);

/** A call found by the search path. */
export const plain = (name: string, ...args: Node[]): Node => call([name], args);

function call(name: string[], args: Node[]): Node {
  return { FuncCall: { funcname: words(...name), ...(args.length > 0 && { args }), funcformat: 'COERCE_EXPLICIT_CALL' } };
}

export const text = (sval: string): Node => ({ A_Const: { sval: { sval } } });
export const integer = (value: number): Node => ({ A_Const: { ival: value === 0 || Object.is(value, -0) ? {} : { ival: value } } });

export const withCollation = (arg: Node, ...name: string[]): Node => ({ CollateClause: { arg, collname: words(...name) } });
/** As MySQL compares texts: whatever the case and the accents. */
export const folded = (arg: Node): Node => withCollation(arg, 'mysql', 'ci');
/** Where none but texts written in the statement stand together, the first has to say how they compare: no column does. */
export function foldedWhereAlone(nodes: Node[]): Node[] {
  const first = nodes.findIndex((each) => textOf(each) !== null);
  if (!nodes.every((each) => textOf(each) !== null || isNullConstant(each))) return nodes;
  return nodes.map((each, index) => (index === first ? folded(each) : each));
}
export const asText = (arg: Node): Node => (textOf(arg) === null ? ours('as_text', arg) : arg);

export const operation = (name: string, lexpr: Node | undefined, rexpr: Node): Node => ({
  A_Expr: { kind: 'AEXPR_OP', name: words(name), ...(lexpr && { lexpr }), rexpr },
});
/** Of a number that is written in the statement the grammar makes one with a sign. */
export function negative(node: Node): Node {
  const written = constant(node);
  if (written && 'ival' in written) return integer(-(written.ival?.ival ?? 0));
  if (written && 'fval' in written) {
    const { fval = '' } = written.fval ?? {};
    return { A_Const: { fval: { fval: fval.startsWith('-') ? fval.slice(1) : `-${fval}` } } };
  }
  return operation('-', undefined, node);
}
export const isNull = (arg: Node): Node => ({ NullTest: { arg, nulltesttype: 'IS_NULL' } });
export const both = (...args: Node[]): Node => (args.length === 1 ? args[0]! : { BoolExpr: { boolop: 'AND_EXPR', args } });
export const not = (arg: Node): Node => ({ BoolExpr: { boolop: 'NOT_EXPR', args: [arg] } });
export const when = (expr: Node, result: Node, otherwise?: Node): Node => ({
  CaseExpr: { args: [{ CaseWhen: { expr, result } }], ...(otherwise && { defresult: otherwise }) },
});

export const constant = (node: Node): A_Const | null => ('A_Const' in node ? node.A_Const : null);
export const isNullConstant = (node: Node): boolean => constant(node)?.isnull === true;
/** Of a text written in the statement; null for everything else. */
export function textOf(node: Node): string | null {
  const found = constant(node);
  return found && 'sval' in found ? (found.sval?.sval ?? '') : null;
}
/** Of a text, a null and a parameter alone nobody can tell the type: functions that take any type need to be told. */
export const hasNoType = (node: Node): boolean => textOf(node) !== null || isNullConstant(node) || 'ParamRef' in node;
export function integerOf(node: Node): number | null {
  const found = constant(node);
  return found && 'ival' in found ? (found.ival?.ival ?? 0) : null;
}
export const isNumberConstant = (node: Node): boolean => {
  const found = constant(node);
  return found !== null && ('ival' in found || 'fval' in found);
};

/** The words of a name, or null when it has a star or something else in it. */
export function nameOf(parts: Node[] | undefined): string[] | null {
  const names = (parts ?? []).map((part) => ('String' in part ? (part.String.sval ?? '') : null));
  return names.every((name) => name !== null) ? names : null;
}

/** A column named without its table. */
export function bareName(node: Node | undefined): string | null {
  if (!node || !('ColumnRef' in node)) return null;
  const name = nameOf(node.ColumnRef.fields);
  return name?.length === 1 ? name[0]! : null;
}

export const isStar = (node: Node | undefined): boolean =>
  node !== undefined && 'ColumnRef' in node && (node.ColumnRef.fields ?? []).some((part) => 'A_Star' in part);

const COMPARES = new Set(['=', '<>', '<', '>', '<=', '>=', '<=>', '~~', '!~~']);
const NOT_TRUTH = new Set(['AEXPR_NULLIF']);

/** Whether an expression is true, false or null whatever its columns are. */
export function isTruth(node: Node): boolean {
  if ('A_Expr' in node) {
    const { kind = 'AEXPR_OP', name } = node.A_Expr;
    return kind === 'AEXPR_OP' ? COMPARES.has(nameOf(name)?.[0] ?? '') : !NOT_TRUTH.has(kind);
  }
  if ('SubLink' in node) return !['EXPR_SUBLINK', 'ARRAY_SUBLINK', 'MULTIEXPR_SUBLINK'].includes(node.SubLink.subLinkType ?? '');
  if ('FuncCall' in node) return ['truth', 'has_pattern'].includes(nameOf(node.FuncCall.funcname)?.[1] ?? '');
  return 'BoolExpr' in node || 'NullTest' in node || 'BooleanTest' in node || constant(node)?.boolval !== undefined;
}

/** As a condition: numbers but 0 are true, texts as far as they are numbers. */
export const truth = (node: Node): Node => (isTruth(node) || isNullConstant(node) ? node : ours('truth', node));

const WHERE = new Set(['location', 'list_start', 'list_end', 'rexpr_list_start', 'rexpr_list_end', 'stmt_len', 'stmt_location']);
/** The same for trees that say the same, wherever it stands. */
export function keyOf(node: unknown): string {
  return JSON.stringify(node, (key, value) => {
    if (WHERE.has(key)) return undefined;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

const sizes = new WeakMap<object, number>();

/** How many objects a tree is made of when it is written out; a part that stands in several places counts in each. */
export function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let size = sizes.get(value);
  if (size === undefined) {
    size = 1;
    for (const member of Object.values(value)) size += sizeOf(member);
    sizes.set(value, size);
  }
  return size;
}
