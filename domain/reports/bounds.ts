import { refusedSize } from './refused-names.ts';
import { StatementError } from './statement-error.ts';
import { isSetOperation, isType, type Tree } from './tree.ts';

// How large a statement may be. What it costs before its time limit can reach it is memory of the planner, which nothing else bounds: it grows with the
// square of the relations and worse, so these are counted. Figures are of PostgreSQL 18, one statement at each bound: under 250 MB.

const BOUNDS = {
  relations: { most: 50, what: 'tables, functions and subqueries in FROM' },
  selects: { most: 100, what: 'SELECTs' },
  pairings: { most: 120, what: 'equalities between columns' },
  naturals: { most: 3, what: 'NATURAL joins' },
  sorts: { most: 30, what: 'window functions and aggregates with DISTINCT or ORDER BY' },
  nodes: { most: 40_000, what: 'parts' },
} as const;
type Counted = keyof typeof BOUNDS;

/** Typed nodes one within the other: each takes stack of the server. */
const DEEPEST = 300;
/** Brackets one within the other. The grammar is a recursive program, too, so this is looked at before it runs. */
const DEEPEST_BRACKETS = 200;

const FROM = new Set(['RangeVar', 'RangeSubselect', 'RangeFunction', 'RangeTableFunc', 'JsonTable', 'RangeTableSample']);

export const tooDeep = (): StatementError =>
  new StatementError(
    `The statement is nested too deeply: at most ${DEEPEST_BRACKETS} brackets and ${DEEPEST} expressions within each other.`,
  );

/**
 * Brackets within brackets, wherever they stand: who puts two hundred into a quoted text can bind it as a parameter.
 * @throws StatementError
 */
export function checkBrackets(text: string): void {
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x28 || code === 0x5b) open++;
    else if ((code === 0x29 || code === 0x5d) && open > 0) open--;
    if (open > DEEPEST_BRACKETS) throw tooDeep();
  }
}

/** Counts a statement node by node. */
export class Bounds {
  #counts: Record<Counted, number> = { relations: 0, selects: 0, pairings: 0, naturals: 0, sorts: 0, nodes: 0 };

  /** @throws StatementError naming the first bound that is passed */
  take(key: string, node: Tree, depth: number): void {
    if (depth > DEEPEST) throw tooDeep();
    if (isType(key)) this.#add('nodes', 1);
    if (FROM.has(key)) this.#add('relations', 1);
    else if (node['limitOption'] !== undefined && !isSetOperation(node)) this.#add('selects', 1);
    else if (key === 'JoinExpr') this.#join(node);
    else if (key === 'A_Expr' && comparesColumns(node)) this.#add('pairings', 1);
    else if (key === 'CommonTableExpr' && node['ctematerialized'] === 'CTEMaterializeNever')
      throw new StatementError('NOT MATERIALIZED is not for reports: leave it out.');
    else if (key === 'FuncCall') this.#call(node);
  }

  #join(node: Tree): void {
    if (node['isNatural']) this.#add('naturals', 1);
    this.#add('pairings', (node['usingClause'] as unknown[] | undefined)?.length ?? 0);
  }

  #call(node: Tree): void {
    if (node['over'] || node['agg_distinct'] || node['agg_order']) this.#add('sorts', 1);
    const refused = refusedSize(node as Parameters<typeof refusedSize>[0]);
    if (refused) throw new StatementError(refused);
  }

  #add(counted: Counted, more: number): void {
    const { most, what } = BOUNDS[counted];
    this.#counts[counted] += more;
    if (this.#counts[counted] > most) throw new StatementError(`The statement has more than ${most} ${what}.`);
  }
}

/** The planner derives every other equality that follows from those between columns. */
function comparesColumns({ name, lexpr, rexpr }: Tree): boolean {
  const operator = (name as { String?: { sval?: string } }[] | undefined)?.at(-1)?.String?.sval;
  return operator === '=' && [lexpr, rexpr].every((side) => !isValue(side));
}

const isValue = (side: unknown): boolean =>
  typeof side !== 'object' ||
  side === null ||
  'A_Const' in side ||
  'ParamRef' in side ||
  ('TypeCast' in side && isValue((side.TypeCast as Tree)['arg']));
