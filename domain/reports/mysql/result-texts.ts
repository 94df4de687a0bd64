import type { Node, ResTarget, SelectStmt } from 'libpg-query';
import * as t from './nodes.ts';

// Texts written where columns of a result stand: `select 'b' as letter union select 'A'`. Around it they compare, sort and are grouped as those of columns do.

/** With the first text of each column that holds nothing else saying how it compares. @param select no arm of another one */
export function foldTexts(select: SelectStmt): SelectStmt {
  const columns = (each: SelectStmt): (Node | undefined)[] => targetsOf(each).map(({ val }) => val);
  const arms = armsOf(select).map(columns);
  const width = Math.min(...arms.map((arm) => arm.length));
  const alone = new Set<number>();
  for (let column = 0; column < width; column++) {
    const values = arms.map((arm) => arm[column]);
    const texts = values.filter((each) => each && t.textOf(each) !== null).length;
    if (texts > 0 && values.every((each) => each && (t.textOf(each) !== null || t.isNullConstant(each)))) alone.add(column);
  }
  return alone.size > 0 ? withFolded(select, alone) : select;
}

const targetsOf = (select: SelectStmt): ResTarget[] =>
  (select.targetList ?? []).map((each) => (each as { ResTarget: ResTarget }).ResTarget);

const armsOf = (select: SelectStmt): SelectStmt[] =>
  select.larg && select.rarg ? [...armsOf(select.larg), ...armsOf(select.rarg)] : [select];

function withFolded(select: SelectStmt, columns: ReadonlySet<number>): SelectStmt {
  if (select.larg && select.rarg) return { ...select, larg: withFolded(select.larg, columns), rarg: withFolded(select.rarg, columns) };
  const targetList = targetsOf(select).map((target, column): Node => {
    const { val } = target;
    return { ResTarget: val && columns.has(column) && t.textOf(val) !== null ? { ...target, val: t.folded(val) } : target };
  });
  return { ...select, targetList };
}
