import type { Node, ResTarget, SelectStmt, SortBy } from 'libpg-query';
import { keepDigits } from './divisions.ts';
import { AGGREGATES } from './functions.ts';
import * as t from './nodes.ts';
import { mapped } from './walk.ts';

// What a SELECT means in MySQL and not in PostgreSQL: names of columns of the result used in GROUP BY, HAVING and ORDER BY, columns that are not
// grouped, HAVING without groups.

type Refuse = (node: Node | undefined, what: string) => never;

/** @param select its expressions translated */
export const finishSelect = (select: SelectStmt, no: Refuse): SelectStmt => keepDigits(withMeaning(select, no));

function withMeaning(select: SelectStmt, no: Refuse): SelectStmt {
  const finished = { ...select };
  const order = (finished.sortClause ?? []).map((each) => (each as { SortBy: SortBy }).SortBy);
  for (const { node } of order) {
    if (node && t.textOf(node) !== null) no(node, 'ORDER BY a text sorts by nothing; a name is written without quotes, or in backticks');
  }
  if (finished.op && finished.op !== 'SETOP_NONE') return finished;
  leaveOutDual(finished);
  if (finished.whereClause) finished.whereClause = t.truth(finished.whereClause);
  const targets = (finished.targetList ?? []).map((each) => (each as { ResTarget: ResTarget }).ResTarget);
  const aliases = aliasesOf(targets);
  const sorts = order.map((sort) => ({
    ...sort,
    ...(sort.node && !t.bareName(sort.node) && { node: writtenOut(sort.node, aliases.besideColumns) }),
  }));
  const grouped = (finished.groupClause?.length ?? 0) > 0;
  const gathers =
    grouped ||
    [...targets.map(({ val }) => val), finished.havingClause, ...sorts.map(({ node }) => node)].some((node) => node && hasAggregate(node));
  if (!gathers) {
    if (finished.havingClause) {
      const condition = t.truth(expanded(finished.havingClause, aliases));
      finished.whereClause = finished.whereClause ? t.both(finished.whereClause, condition) : condition;
      delete finished.havingClause;
    }
    if (sorts.length > 0) finished.sortClause = sorts.map((SortBy) => ({ SortBy }));
    return finished;
  }
  if (targets.some(({ val }) => t.isStar(val))) return firstOfEach(finished, targets, sorts, no);
  return withGroups(finished, { targets, aliases, sorts });
}

/** Expressions by what they say. Written out only where one of the same size is known. */
class Keys {
  #bySize = new Map<number, Set<string>>();

  add(node: Node): void {
    const size = t.sizeOf(node);
    if (!this.#bySize.has(size)) this.#bySize.set(size, new Set());
    this.#bySize.get(size)!.add(t.keyOf(node));
  }

  has(node: Node): boolean {
    return this.#bySize.get(t.sizeOf(node))?.has(t.keyOf(node)) ?? false;
  }
}

function leaveOutDual(select: SelectStmt): void {
  const [only, ...others] = select.fromClause ?? [];
  if (only && others.length === 0 && 'RangeVar' in only && only.RangeVar.relname === 'dual' && !only.RangeVar.schemaname)
    delete select.fromClause;
}

function withGroups(
  select: SelectStmt,
  { targets, aliases, sorts }: { targets: ResTarget[]; aliases: Aliases; sorts: SortBy[] },
): SelectStmt {
  const keys = new Keys();
  const named = new Set<string>();
  const groups = (select.groupClause ?? []).map((each) => {
    const position = t.integerOf(each);
    const target = position === null ? undefined : targets[position - 1];
    const name = t.bareName(each);
    if (target?.val) keys.add(target.val);
    if (name) {
      named.add(name);
      // It may be the name of a column of the table as well, which wins in both dialects and is grouped then.
      if (aliases.all.has(name)) keys.add(aliases.all.get(name)!);
    }
    keys.add(each);
    return each;
  });
  const one = (node: Node): Node => anyOf(node, keys) as Node;
  const finished: SelectStmt = {
    ...select,
    targetList: targets.map((target) => {
      const { name, val } = target;
      // The expression that is grouped by its name.
      if (!val || (name && named.has(name))) return { ResTarget: target };
      const column = lastName(val);
      const made = one(val);
      return { ResTarget: { ...target, val: made, ...(!name && column && made !== val && { name: column }) } };
    }),
  };
  if (groups.length > 0) finished.groupClause = groups;
  if (select.havingClause) finished.havingClause = t.truth(one(expanded(select.havingClause, aliases)));
  const shownNames = new Set(targets.flatMap(({ name, val }) => name ?? (val && lastName(val)) ?? []));
  if (sorts.length > 0) {
    finished.sortClause = sorts.map((sort) => {
      const name = t.bareName(sort.node);
      return { SortBy: { ...sort, ...(sort.node && !(name && shownNames.has(name)) && { node: one(sort.node) }) } };
    });
  }
  return finished;
}

/** `select * … group by x`: some row of each group, as MySQL gives it. */
function firstOfEach(select: SelectStmt, targets: ResTarget[], sorts: SortBy[], no: Refuse): SelectStmt {
  const star = targets.find(({ val }) => t.isStar(val))?.val;
  if (select.havingClause || targets.some(({ val }) => val && hasAggregate(val)) || !select.groupClause || select.distinctClause) {
    no(star, '* beside GROUP BY, aggregates or HAVING is not translated; name the columns');
  }
  const { groupClause, sortClause, limitCount, limitOffset, limitOption, withClause, ...rest } = select;
  const inner: SelectStmt = { ...rest, distinctClause: groupClause!, limitOption: 'LIMIT_OPTION_DEFAULT' };
  if (!sortClause && !limitCount && !limitOffset) return { ...inner, ...(withClause && { withClause }) };
  const odd = sorts.find(({ node }) => !t.bareName(node));
  if (odd) no(odd.node, '* beside GROUP BY can be sorted by bare names of columns alone');
  return {
    targetList: [{ ResTarget: { val: { ColumnRef: { fields: [{ A_Star: {} }] } } } }],
    fromClause: [{ RangeSubselect: { subquery: { SelectStmt: inner }, alias: { aliasname: 'grouped' } } }],
    ...(sorts.length > 0 && { sortClause: sorts.map((SortBy) => ({ SortBy })) }),
    ...(limitCount && { limitCount }),
    ...(limitOffset && { limitOffset }),
    ...(limitOption && { limitOption }),
    ...(withClause && { withClause }),
    op: 'SETOP_NONE',
  };
}

/** Names of columns of the result, and what they stand for: all, and those that stand for it also where a column of the tables comes first. */
interface Aliases {
  all: ReadonlyMap<string, Node>;
  besideColumns: ReadonlyMap<string, Node>;
}

/** That the tables have a column of the name is seen where the column of the result is made of it: `year(born) as born`. */
function aliasesOf(targets: ResTarget[]): Aliases {
  const all = targets.flatMap(({ name, val }) => (name && val ? [[name, val] as const] : []));
  return { all: new Map(all), besideColumns: new Map(all.filter(([name, val]) => lastName(val) === name || !isMadeOf(val, name))) };
}

const writtenOut = (node: Node, names: ReadonlyMap<string, Node>): Node =>
  mapped(node, (each) => names.get(t.bareName(each) ?? '') ?? null) as Node;

/** With the names of columns of the result written out; in what is gathered columns of the tables come first. */
const expanded = (node: Node, { all, besideColumns }: Aliases): Node =>
  mapped(node, (each) => (aggregateName(each) ? writtenOut(each, besideColumns) : (all.get(t.bareName(each) ?? '') ?? null))) as Node;

const lastName = (node: Node): string | undefined => ('ColumnRef' in node ? t.nameOf(node.ColumnRef.fields)?.at(-1) : undefined);

function isMadeOf(node: Node, column: string): boolean {
  let found = false;
  mapped(node, (each) => {
    found ||= lastName(each) === column;
    return found ? each : null;
  });
  return found;
}

const aggregateName = (node: Node): boolean =>
  'FuncCall' in node && !node.FuncCall.over && AGGREGATES.has(t.nameOf(node.FuncCall.funcname)?.at(-1) ?? '');

function hasAggregate(node: Node): boolean {
  let found = false;
  mapped(node, (each) => {
    if (aggregateName(each)) found = true;
    return found ? each : null;
  });
  return found;
}

/** With every column that is neither grouped nor gathered as that of any row. */
function anyOf(node: Node, keys: Keys): unknown {
  return mapped(node, (each) => {
    if (Object.keys(each).length !== 1 || !/^[A-Z]/.test(Object.keys(each)[0]!)) return null;
    if (aggregateName(each) || keys.has(each)) return each;
    return 'ColumnRef' in each ? t.plain('any_value', each) : null;
  });
}
