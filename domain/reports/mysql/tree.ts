import type { A_Expr, FuncCall, Node, SelectStmt } from 'libpg-query';
import { withPlainBounds } from './between.ts';
import { CALLS, shifted } from './calls.ts';
import { FUNCTIONS } from './functions.ts';
import { besideMoment } from './moments.ts';
import * as t from './nodes.ts';
import { asNumber, isNumber, type NumberTypes } from './numbers.ts';
import { foldTexts } from './result-texts.ts';
import { finishSelect } from './select.ts';
import { BINARY_SIGN, MARK } from './words.ts';

// The pass over the tree: from within, so that every rule finds its parts translated.

/** @param at where in the text that was read @throws StatementError */
export type RefuseAt = (at: number | undefined, what: string) => never;

export function translateTree(tree: Node, numbers: NumberTypes, refuse: RefuseAt): Node {
  return new TreePass(numbers, refuse).pass(tree) as Node;
}

type Rule = (node: never) => Node;

const LARGEST = 30_000;

class TreePass {
  #numbers: NumberTypes;
  #refuse: RefuseAt;
  #rules: Record<string, Rule>;

  constructor(numbers: NumberTypes, refuse: RefuseAt) {
    this.#numbers = numbers;
    this.#refuse = refuse;
    this.#rules = {
      FuncCall: (call: FuncCall) => this.#call(call),
      A_Expr: (expression: A_Expr) => this.#expression(expression),
      SelectStmt: (select: SelectStmt) => ({ SelectStmt: this.#select(select) }),
      BoolExpr: ({ args = [], ...rest }: { args?: Node[] }) => ({ BoolExpr: { ...rest, args: args.map(t.truth) } }) as Node,
      BooleanTest: ({ arg, ...rest }: { arg: Node }) => ({ BooleanTest: { ...rest, arg: t.truth(arg) } }) as Node,
      JoinExpr: ({ quals, ...rest }: { quals?: Node }) => ({ JoinExpr: { ...rest, ...(quals && { quals: t.truth(quals) }) } }) as Node,
      CaseExpr: (choice: { arg?: Node; args: Node[]; defresult?: Node }) => this.#case(choice),
      CoalesceExpr: ({ args }: { args: Node[] }) => ({ CoalesceExpr: { args: this.#alike(args) } }),
      // Of nothing and something MySQL takes nothing.
      MinMaxExpr: ({ args, op }: { args: Node[]; op: string }) =>
        t.ours(op === 'IS_LEAST' ? 'least' : 'greatest', ...t.foldedWhereAlone(args)),
      // Nothing comes first in MySQL, and last where the order is turned.
      SortBy: (sort: { sortby_dir?: string; node: Node }) => this.#sort(sort),
      TypeCast: ({ location }: { location?: number }) => this.#refuse(location, 'casts (::) are not translated'),
      RangeFunction: () => this.#refuse(undefined, 'functions in FROM are not translated'),
    };
  }

  pass(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.pass(each));
    if (typeof value !== 'object' || value === null) return value;
    const made: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) {
      const inner = this.pass(member);
      // The arms of a UNION stand without the name of their kind.
      made[key] = key === 'larg' || key === 'rarg' ? (this.#isSelect(inner) ? this.#select(inner, true) : inner) : inner;
      const rule = Object.hasOwn(this.#rules, key) ? this.#rules[key] : undefined;
      if (rule) return this.#bounded(rule(inner as never));
    }
    return made;
  }

  /** Some rules say a part several times, one within the other: what comes out is bounded where it grows. */
  #bounded(node: Node): Node {
    if (t.sizeOf(node) > LARGEST) this.#refuse(undefined, `the statement becomes more than ${LARGEST} parts when it is translated`);
    return node;
  }

  #isSelect = (value: unknown): value is SelectStmt => typeof value === 'object' && value !== null && 'limitOption' in value;

  /** @param arm of a UNION or its like, which looks at all of them together */
  #select(select: SelectStmt, arm = false): SelectStmt {
    return finishSelect(arm ? select : foldTexts(select), (node, what) =>
      this.#refuse((Object.values(node ?? {})[0] as { location?: number } | undefined)?.location, what),
    );
  }

  #sort(sort: { sortby_dir?: string; node: Node }): Node {
    return { SortBy: { ...sort, sortby_nulls: sort.sortby_dir === 'SORTBY_DESC' ? 'SORTBY_NULLS_LAST' : 'SORTBY_NULLS_FIRST' } } as Node;
  }

  #call(whole: FuncCall): Node {
    const { args = [] } = whole;
    const names = t.nameOf(whole.funcname) ?? [];
    const name = names.at(-1) ?? '';
    const no = (what: string): never => this.#refuse(whole.location, what);
    if (
      names.length > 1 &&
      (names[0] !== 'pg_catalog' || !['extract', 'position', 'substring', 'btrim', 'ltrim', 'rtrim', 'like_escape'].includes(name))
    ) {
      no(`the function ${names.join('.')} cannot be used: functions have no schema here`);
    }
    if (name === MARK.interval || name === MARK.separator) return { FuncCall: whole };
    if (name === 'like_escape' && names.length > 1) return { FuncCall: whole };
    const special = CALLS.get(name);
    if (special)
      return special({
        name,
        args: ['if'].includes(name) ? [args[0]!, ...this.#alike(args.slice(1))] : name === 'ifnull' ? this.#alike(args) : args,
        whole,
        no,
      });
    const known = FUNCTIONS.get(name);
    if (!known) return no(`the function ${name.toUpperCase()} is not translated`);
    const [least, most] = known.takes;
    const count = whole.agg_star ? 1 : args.length;
    if (count < least || count > most) no(`${name.toUpperCase()} with ${count} arguments is not translated`);
    const made = args.map((arg, index) => ((known.args?.[index] ?? known.args?.at(-1)) === 't' ? t.asText(arg) : arg));
    // NOW(6) is no finer here.
    const list = name === 'now' || name === 'sysdate' ? [] : made;
    const to = known.to.startsWith('.') ? ['mysql', known.to.slice(1)] : [known.to];
    const { args: _, ...rest } = whole;
    const called: Node = {
      FuncCall: {
        ...rest,
        funcname: to.map((sval) => ({ String: { sval } })),
        ...(list.length > 0 && { args: list }),
        funcformat: 'COERCE_EXPLICIT_CALL',
      },
    };
    return known.givesText ? t.folded(called) : called;
  }

  #expression(expression: A_Expr): Node {
    const { kind, name, lexpr, rexpr } = expression;
    const sign = t.nameOf(name)?.[0] ?? '';
    const no = (what: string): never => this.#refuse(expression.location, what);
    if (kind === 'AEXPR_LIKE') return this.#like(sign, lexpr!, rexpr!);
    if (kind !== 'AEXPR_OP' || !rexpr) return { A_Expr: withPlainBounds(this.#comparable(expression)) };
    if (sign === BINARY_SIGN) return t.withCollation(t.ours('as_text', rexpr), 'C');
    if (sign === '!') {
      if ('A_Expr' in rexpr && !t.isTruth(rexpr)) no('! before a sum is not translated; write NOT');
      return t.not(t.truth(rexpr));
    }
    const moved = shifted(sign, lexpr, rexpr);
    if (moved) return moved;
    if (sign === '%' && lexpr && 'A_Expr' in lexpr && t.bareName(lexpr.A_Expr.rexpr) === MARK.divide)
      return t.ours('div', lexpr.A_Expr.lexpr!, rexpr);
    if (sign === '~*' || sign === '!~*') {
      if (this.#isBinary(lexpr!) || this.#isBinary(rexpr)) no('REGEXP with BINARY is not translated');
      const found = t.ours('has_pattern', t.asText(lexpr!), t.asText(rexpr));
      return sign === '~*' ? found : t.not(found);
    }
    return { A_Expr: this.#comparable(expression) };
  }

  /** Two texts that belong to no column have to be told how they compare; a date that is none comes before all others. */
  #comparable(expression: A_Expr): A_Expr {
    const { kind, name } = expression;
    let { lexpr, rexpr } = expression;
    if (kind === 'AEXPR_OP' && ['+', '-', '*', '/', '%'].includes(t.nameOf(name)?.[0] ?? '')) {
      const number = (node: Node): Node => (t.textOf(node) === null ? node : t.ours('num', node));
      return { ...expression, ...(lexpr && { lexpr: number(lexpr) }), rexpr: number(rexpr!) };
    }
    const compares = kind !== 'AEXPR_OP' || ['=', '<>', '<', '>', '<=', '>=', '<=>'].includes(t.nameOf(name)?.[0] ?? '');
    if (!compares || !lexpr || !rexpr) return expression;
    [lexpr, rexpr] = this.#sides(expression.location, lexpr, rexpr);
    const compared = { ...expression, lexpr, rexpr };
    const zero = (node: Node): Node => (/^0000-00-00/.test(t.textOf(node) ?? '') ? t.ours('datetime', node) : node);
    const isText = (node: Node) => t.textOf(node) !== null;
    if (isText(lexpr) && isNumber(rexpr)) return { ...compared, lexpr: t.ours('num', lexpr) };
    if (isText(rexpr) && isNumber(lexpr)) return { ...compared, rexpr: t.ours('num', rexpr) };
    const list = Array.isArray(rexpr) ? (rexpr as Node[]) : 'List' in rexpr ? (rexpr.List.items ?? []) : [rexpr];
    const free = isText(lexpr) || 'ParamRef' in lexpr;
    if (free && list.some(isText)) return { ...compared, lexpr: t.folded(lexpr) };
    if (isText(lexpr) && list.some((each) => 'ParamRef' in each)) return { ...compared, lexpr: t.folded(lexpr) };
    return { ...compared, lexpr: zero(lexpr), rexpr: 'List' in rexpr ? rexpr : zero(rexpr) };
  }

  #sides(location: number | undefined, one: Node, other: Node): [Node, Node] {
    const typed = (each: Node, beside: Node): Node =>
      asNumber(
        besideMoment(each, beside, (what) => this.#refuse(location, what)),
        this.#numbers,
      );
    if (Array.isArray(other)) return [asNumber(one, this.#numbers), other.map((each: Node) => typed(each, one)) as unknown as Node];
    if ('List' in other)
      return [asNumber(one, this.#numbers), { List: { items: (other.List.items ?? []).map((each) => typed(each, one)) } }];
    return [typed(one, other), typed(other, one)];
  }

  #isBinary(node: Node): boolean {
    return 'CollateClause' in node && t.nameOf(node.CollateClause.collname)?.at(-1) === 'C';
  }

  #like(sign: string, value: Node, pattern: Node): Node {
    const binary = this.#isBinary(value) || this.#isBinary(pattern);
    const read = (node: Node): Node => {
      if ('FuncCall' in node && t.nameOf(node.FuncCall.funcname)?.at(-1) === 'like_escape') {
        const [inner, ...others] = node.FuncCall.args ?? [];
        return { FuncCall: { ...node.FuncCall, args: [read(inner!), ...others] } };
      }
      return binary ? t.asText(node) : t.ours('fold', t.asText(node));
    };
    return {
      A_Expr: {
        kind: 'AEXPR_LIKE',
        name: [{ String: { sval: sign } }],
        lexpr: t.withCollation(read(value), 'C'),
        rexpr: t.withCollation(read(pattern), 'C'),
      },
    };
  }

  #case({ arg, args, defresult, ...rest }: { arg?: Node; args: Node[]; defresult?: Node }): Node {
    const branches = args.map((each) => (each as { CaseWhen: { expr: Node; result: Node } }).CaseWhen);
    const results = this.#alike([...branches.map(({ result }) => result), ...(defresult ? [defresult] : [])]);
    const whens = branches.map(({ expr, ...branch }, index): Node => {
      return { CaseWhen: { ...branch, expr: arg ? expr : t.truth(expr), result: results[index]! } };
    });
    // A text that belongs to no column has to be told how it compares.
    const compared = arg && (t.textOf(arg) !== null || 'ParamRef' in arg) && branches.some(({ expr }) => t.textOf(expr) !== null);
    const last = defresult && results.at(-1);
    return {
      CaseExpr: { ...rest, ...(arg && { arg: compared ? t.folded(arg) : arg }), args: whens, ...(last && { defresult: last }) },
    } as Node;
  }

  /** Results one of which is given: beside a text all are texts, beside a number truth is one. */
  #alike(results: Node[]): Node[] {
    const texts = results.filter((each) => t.textOf(each) !== null).length;
    const open = results.filter((each) => !t.isNullConstant(each) && !('ParamRef' in each)).length;
    if (texts > 0) {
      let told = false;
      return results.map((each) => {
        if (t.isNullConstant(each)) return each;
        const made = texts === open ? each : t.asText(each);
        if (told) return made;
        told = true;
        return t.folded(made);
      });
    }
    if (!results.some(t.isNumberConstant) && !results.some(t.isTruth)) return results;
    return results.map((each) => (t.isNullConstant(each) || t.isNumberConstant(each) || 'ParamRef' in each ? each : t.ours('value', each)));
  }
}
