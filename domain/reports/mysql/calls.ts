// Long: a dictionary of functions, each a few lines.

import type { FuncCall, Node } from 'libpg-query';
import { readPattern, shownPattern } from './date-patterns.ts';
import * as t from './nodes.ts';
import { MARK, UNITS } from './words.ts';

// Functions whose translation is more than another name.

export interface Call {
  name: string;
  args: Node[];
  whole: FuncCall;
  /** @throws StatementError naming the place */
  no(what: string): never;
}

type Translate = (call: Call) => Node;

const takes =
  (least: number, most: number, translate: Translate): Translate =>
  (call) => {
    const { length } = call.args;
    if (length < least || length > most) call.no(`${call.name.toUpperCase()} with ${length} arguments is not translated`);
    return translate(call);
  };

/** Of an INTERVAL: how many of which unit. */
function intervalOf(node: Node | undefined): { amount: Node; unit: string } | null {
  if (!node || !('FuncCall' in node) || t.nameOf(node.FuncCall.funcname)?.[0] !== MARK.interval) return null;
  const [amount, unit] = node.FuncCall.args ?? [];
  return amount && unit ? { amount, unit: t.textOf(unit) ?? '' } : null;
}

const DAYS = new Set(['day', 'week', 'month', 'quarter', 'year']);

const later = (moment: Node, amount: Node, unit: string, back: boolean): Node => {
  const number = t.textOf(amount) === null && !('ParamRef' in amount) ? amount : t.ours('num', amount);
  return t.ours(DAYS.has(unit) ? 'later_days' : 'later', moment, back ? t.negative(number) : number, t.text(unit));
};

/** `a + INTERVAL …`, `a - INTERVAL …`, `INTERVAL … + a`; null when it is none of these. */
export function shifted(sign: string, left: Node | undefined, right: Node): Node | null {
  const after = intervalOf(right);
  if (after && left && (sign === '+' || sign === '-')) return later(left, after.amount, after.unit, sign === '-');
  const before = intervalOf(left);
  return before && sign === '+' ? later(right, before.amount, before.unit, false) : null;
}

const shift =
  (back: boolean, daysAllowed: boolean): Translate =>
  ({ name, args: [moment, amount], no }) => {
    const interval = intervalOf(amount);
    if (interval) return later(moment!, interval.amount, interval.unit, back);
    return daysAllowed ? later(moment!, amount!, 'day', back) : no(`${name.toUpperCase()} needs an INTERVAL`);
  };

const unitOf = ({ name, args: [unit], no }: Call): string => {
  const word = t.bareName(unit)?.replace(/^sql_tsi_/, '') ?? '';
  return UNITS.has(word) ? word : no(`${name.toUpperCase()} needs a unit such as DAY`);
};

const chain = (parts: Node[]): Node =>
  parts.slice(1).reduce(
    (left, right) =>
      ({
        A_Expr: {
          kind: 'AEXPR_OP',
          name: [{ String: { sval: 'pg_catalog' } }, { String: { sval: '||' } }],
          lexpr: left,
          rexpr: t.asText(right),
        },
      }) as Node,
    t.asText(parts[0]!),
  );

/** Joined as texts; one alone is made a text as well. */
const concatenated = (parts: Node[]): Node => (parts.length === 1 ? t.ours('as_text', parts[0]!) : chain(parts));

function groupConcat({ args, whole, no }: Call): Node {
  const separatorOf = (node: Node): Node | null =>
    'FuncCall' in node && t.nameOf(node.FuncCall.funcname)?.[0] === MARK.separator ? (node.FuncCall.args?.[0] ?? null) : null;
  const order = whole.agg_order ?? [];
  const sortOf = (node: Node) => ('SortBy' in node ? node.SortBy.node : undefined);
  const separators = [...args, ...order.map((each) => sortOf(each)!)].map(separatorOf).filter((each) => each !== null);
  const values = args.filter((each) => !separatorOf(each));
  const sorts = order.filter((each) => !separatorOf(sortOf(each)!));
  const separator = separators[0] ?? t.text(',');
  if (values.length === 0) no('GROUP_CONCAT needs a value');
  const value = values.length === 1 ? values[0]! : chain(values);
  const { funcname: _, args: __, agg_order: ___, agg_distinct: distinct, ...rest } = whole;
  const gather = (name: string, list: Node[], more: Partial<FuncCall>): Node => ({
    FuncCall: {
      ...(t.plain(name, ...list) as { FuncCall: FuncCall }).FuncCall,
      ...rest,
      ...more,
      ...(sorts.length > 0 && { agg_order: sorts }),
    },
  });
  if (!distinct) return t.folded(gather('string_agg', [t.ours('as_text', value), separator], {}));
  // Gathered as what it is, so that numbers are sorted as numbers.
  if (sorts.some((each) => t.keyOf(sortOf(each)) !== t.keyOf(value))) no('GROUP_CONCAT(DISTINCT …) can be sorted by what it gathers alone');
  const present: Node = { NullTest: { arg: value, nulltesttype: 'IS_NOT_NULL' } };
  const gathered = t.hasNoType(value) ? t.ours('as_text', value) : value;
  return t.folded(t.ours('joined', gather('array_agg', [gathered], { agg_distinct: true, agg_filter: present }), separator));
}

function count({ args, whole, no }: Call): Node {
  if (whole.agg_star || args.length === 1) return { FuncCall: { ...whole, funcname: [{ String: { sval: 'count' } }] } };
  if (!whole.agg_distinct || args.length === 0) no('COUNT needs one argument');
  const row: Node = { RowExpr: { args, row_format: 'COERCE_EXPLICIT_CALL' } };
  const present = args.map((arg): Node => ({ NullTest: { arg, nulltesttype: 'IS_NOT_NULL' } }));
  return { FuncCall: { ...whole, funcname: [{ String: { sval: 'count' } }], args: [t.when(t.both(...present), row)] } };
}

/** What MySQL's AVG is: a sum divided, with the digits of its division. */
function average({ whole }: Call): Node {
  const of = (name: string): Node => ({ FuncCall: { ...whole, funcname: [{ String: { sval: name } }] } });
  return t.operation('/', of('sum'), of('count'));
}

function cast({ args: [value, type], no }: Call): Node {
  const [name = '', first, second] = (t.textOf(type!) ?? '').split(' ');
  if (/^(signed|unsigned)$/.test(name)) return t.ours('as_signed', value!);
  if (/^n?char$/.test(name)) {
    const whole = t.folded(t.ours('as_text', value!));
    return first && /^\d+$/.test(first) ? t.ours('left', whole, t.integer(Number(first))) : whole;
  }
  if (name === 'date') return t.ours('date', value!);
  if (name === 'datetime') return t.ours('moment', value!);
  if (name === 'time') return t.ours('time', value!);
  if (/^(decimal|dec)$/.test(name)) return t.ours('as_decimal', value!, t.integer(Number(second ?? 0)));
  if (/^(float|double|real)$/.test(name)) return t.ours('as_double', value!);
  return no(`CAST … AS ${name.toUpperCase()} is not translated`);
}

function convert(call: Call): Node {
  const [value, type] = call.args;
  if (call.args.length === 1) return t.folded(t.ours('as_text', value!));
  if (t.textOf(type!) === null) call.no('CONVERT needs a type such as CHAR');
  return cast(call);
}

function dateFormat({ name, args: [moment, format], no }: Call): Node {
  const written = t.textOf(format!) ?? no(`${name.toUpperCase()} needs a format that is written in the statement`);
  const shown = shownPattern(written);
  if ('unknown' in shown) return no(`${name.toUpperCase()} with ${shown.unknown} is not translated`);
  return t.folded(t.ours('date_format', moment!, t.text(shown.pattern)));
}

function strToDate({ args: [value, format], no }: Call): Node {
  const written = t.textOf(format!) ?? no('STR_TO_DATE needs a format that is written in the statement');
  const read = readPattern(written);
  if ('unknown' in read) return no(`STR_TO_DATE with ${read.unknown} is not translated`);
  if (!/Y/i.test(read.parts)) return no('STR_TO_DATE without a year is not translated');
  const moment = t.ours('read_date', t.asText(value!), t.text(read.pattern), t.text(read.parts));
  return read.hasTime ? moment : t.ours('date', moment);
}

function field({ args: [wanted, ...list], no }: Call): Node {
  const texts = list.filter((each) => t.textOf(each) !== null).length;
  const numbers = list.filter(t.isNumberConstant).length;
  if (list.length === 0 || (texts > 0 && numbers > 0)) return no('FIELD is translated for texts or numbers, not for both');
  if (numbers === list.length) return t.ours('field', wanted!, { A_ArrayExpr: { elements: list } });
  return t.ours('field', t.asText(wanted!), { A_ArrayExpr: { elements: list.map((each) => t.ours('as_text', each)) } });
}

function elt({ args: [which, ...list] }: Call): Node {
  const args = list.map((each, index): Node => ({ CaseWhen: { expr: t.integer(index + 1), result: t.asText(each) } }));
  return t.folded({ CaseExpr: { arg: which!, args } });
}

function week({ args: [moment, mode], no }: Call): Node {
  const number = mode ? t.integerOf(mode) : 0;
  const names: Record<number, string> = { 0: 'week', 1: 'week_of_mondays', 3: 'weekofyear' };
  const name = names[number ?? -1] ?? no('WEEK is translated for the modes 0, 1 and 3');
  return t.ours(name, moment!);
}

function yearweek({ args: [moment, mode], no }: Call): Node {
  const number = mode ? t.integerOf(mode) : 0;
  if (number !== 0 && number !== 1 && number !== 3) return no('YEARWEEK is translated for the modes 0, 1 and 3');
  return t.ours(number === 0 ? 'yearweek' : 'yearweek_iso', moment!);
}

function extract({ args: [unit, moment], no }: Call): Node {
  const word = t.textOf(unit!)?.toLowerCase() ?? '';
  return UNITS.has(word) ? t.ours(word, moment!) : no(`EXTRACT(${word.toUpperCase()} …) is not translated`);
}

function trim(name: string): Translate {
  return ({ args: [value, sign], no }) => {
    // PostgreSQL takes away each of these characters, MySQL the text as a whole.
    if (sign && t.textOf(sign)?.length !== 1) no('TRIM of more than one character is not translated');
    return t.folded(t.plain(name, t.asText(value!), ...(sign ? [sign] : [])));
  };
}

/** Nothing, where one of its arguments is nothing. */
const logarithm: Translate = ({ args: [first, second] }) =>
  second ? t.operation('/', t.ours('ln', second), t.ours('ln', first!)) : t.ours('ln', first!);

export const CALLS: ReadonlyMap<string, Translate> = new Map<string, Translate>([
  ['if', takes(3, 3, ({ args: [condition, yes, no] }) => t.when(t.truth(condition!), yes!, no))],
  ['ifnull', takes(2, 2, ({ args }) => ({ CoalesceExpr: { args } }))],
  ['isnull', takes(1, 1, ({ args: [value] }) => t.isNull(value!))],
  ['concat', takes(1, 1000, ({ args }) => t.folded(concatenated(args)))],
  [
    'concat_ws',
    takes(2, 1000, ({ args: [sign, ...list] }) =>
      t.folded(t.plain('concat_ws', t.asText(sign!), ...list.map((each) => t.ours('as_text', each)))),
    ),
  ],
  ['space', takes(1, 1, ({ args: [n] }) => t.folded(t.plain('repeat', t.text(' '), n!)))],
  ['instr', takes(2, 2, ({ args: [where, what] }) => t.ours('locate', t.asText(what!), t.asText(where!)))],
  ['position', takes(2, 2, ({ args: [where, what] }) => t.ours('locate', t.asText(what!), t.asText(where!)))],
  ['regexp_like', takes(2, 2, ({ args: [value, pattern] }) => t.ours('has_pattern', t.asText(value!), t.asText(pattern!)))],
  ['mod', takes(2, 2, ({ args: [left, right] }) => t.operation('%', left, right!))],
  [
    'round',
    takes(1, 2, ({ args: [value, digits] }) =>
      t.ours('round', t.hasNoType(value!) ? t.ours('num', value!) : value!, digits ?? t.integer(0)),
    ),
  ],
  ['log', takes(1, 2, logarithm)],
  ['field', takes(2, 1000, field)],
  ['elt', takes(2, 1000, elt)],
  ['week', takes(1, 2, week)],
  ['yearweek', takes(1, 2, yearweek)],
  ['date_add', takes(2, 2, shift(false, false))],
  ['adddate', takes(2, 2, shift(false, true))],
  ['date_sub', takes(2, 2, shift(true, false))],
  ['subdate', takes(2, 2, shift(true, true))],
  ['timestampadd', takes(3, 3, (call) => later(call.args[2]!, call.args[1]!, unitOf(call), false))],
  [
    'timestampdiff',
    takes(3, 3, (call) => t.ours('timestampdiff', t.text(unitOf(call)), t.ours('moment', call.args[1]!), t.ours('moment', call.args[2]!))),
  ],
  ['date_format', takes(2, 2, dateFormat)],
  ['time_format', takes(2, 2, (call) => dateFormat({ ...call, args: [t.ours('clock', call.args[0]!), call.args[1]!] }))],
  [
    'from_unixtime',
    takes(1, 2, (call) => {
      const moment = t.ours('from_unixtime', call.args[0]!);
      return call.args[1] ? dateFormat({ ...call, args: [moment, call.args[1]] }) : moment;
    }),
  ],
  ['str_to_date', takes(2, 2, strToDate)],
  ['extract', takes(2, 2, extract)],
  ['trim', takes(1, 1, trim('btrim'))],
  ['btrim', takes(1, 2, trim('btrim'))],
  ['ltrim', takes(1, 2, trim('ltrim'))],
  ['rtrim', takes(1, 2, trim('rtrim'))],
  ['count', count],
  ['avg', takes(1, 1, average)],
  ['group_concat', takes(1, 1000, groupConcat)],
  ['convert', takes(1, 2, convert)],
  [MARK.cast, takes(2, 2, cast)],
  [MARK.truth, takes(1, 1, ({ args: [value] }) => t.truth(value!))],
]);
