import type { Node, ResTarget, SelectStmt } from 'libpg-query';
import * as t from './nodes.ts';

// Texts written where columns of a result stand: `select 'b' as letter union select 'A'`. Around it they compare, sort and are grouped as those of columns do.

/**
 * With the texts of each column that holds nothing else saying how they compare; and with texts alone in each where a word stands beside what is none:
 * `select id from t union select 'total'`.
 * @param select no arm of another one
 */
export function foldTexts(select: SelectStmt): SelectStmt {
  const arms = armsOf(select);
  const columns = arms.map((arm) => targetsOf(arm).map(({ val }) => val));
  const alone = new Set<number>();
  const mixed = new Set<number>();
  for (let column = 0; column < Math.min(...columns.map((arm) => arm.length)); column++) {
    const values = columns.map((arm) => arm[column]);
    const texts = values.flatMap((each) => (each && t.textOf(each)) ?? []);
    if (texts.length === 0) continue;
    if (values.every((each) => each && (t.textOf(each) !== null || t.isNullConstant(each)))) alone.add(column);
    else if (texts.some(isWord) && !values.some(saysHow)) mixed.add(column);
  }
  // Behind a star nobody knows which column is which; an arm with an order of its own would be in that of the texts.
  if (arms.some(({ sortClause }, arm) => sortClause || columns[arm]!.some(t.isStar))) mixed.clear();
  return alone.size + mixed.size > 0 ? withFolded(select, alone, mixed) : select;
}

/** What may be a number or a moment is taken for what stands in the other arms. */
const isWord = (text: string): boolean => !/^\s*[-+]?\.?\d/.test(text);

/** Whether it says how it compares. */
const saysHow = (value: Node | undefined): boolean => t.keyOf(value ?? null).includes('"CollateClause"');

const targetsOf = (select: SelectStmt): ResTarget[] =>
  (select.targetList ?? []).map((each) => (each as { ResTarget: ResTarget }).ResTarget);

const armsOf = (select: SelectStmt): SelectStmt[] =>
  select.larg && select.rarg ? [...armsOf(select.larg), ...armsOf(select.rarg)] : [select];

function withFolded(select: SelectStmt, alone: ReadonlySet<number>, mixed: ReadonlySet<number>): SelectStmt {
  if (select.larg && select.rarg)
    return { ...select, larg: withFolded(select.larg, alone, mixed), rarg: withFolded(select.rarg, alone, mixed) };
  const targetList = targetsOf(select).map((target, column): Node => {
    const { val } = target;
    if (!val || !(alone.has(column) || mixed.has(column)) || t.isNullConstant(val)) return { ResTarget: target };
    if (t.textOf(val) !== null) return { ResTarget: { ...target, val: t.folded(val) } };
    return { ResTarget: mixed.has(column) ? { name: nameOf(val), ...target, val: t.asText(val) } : target };
  });
  return { ...select, targetList };
}

/** As PostgreSQL names a column of the result by itself. */
function nameOf(val: Node): string {
  const names = 'ColumnRef' in val ? val.ColumnRef.fields : 'FuncCall' in val ? val.FuncCall.funcname : [];
  return t.nameOf(names)?.at(-1) ?? '?column?';
}
