import { StatementError } from './statement-error.ts';
import { isSetOperation, isType, type Tree } from './tree.ts';

// How large the expressions of a statement become when the server puts the columns of subqueries and WITH queries in the places where they are named,
// as it does before it plans. `select x || x as x from (select x || x as x from (…))` doubles with each level: twenty levels are a million expressions.

const MOST = 40_000;
/** Columns of one row, where `(x).*` repeats x for each. */
const WIDE_ROW = 60;
/** How often the grammar repeats what is compared. */
const REPEATED: Record<string, number> = { AEXPR_BETWEEN: 2, AEXPR_NOT_BETWEEN: 2, AEXPR_BETWEEN_SYM: 4, AEXPR_NOT_BETWEEN_SYM: 4 };

/** What is put where a query's columns are named: its largest column, and the whole row. */
interface Columns {
  largest: number;
  row: number;
}

const ONE: Columns = { largest: 1, row: 1 };

interface Scope {
  /** WITH queries in reach. */
  named: ReadonlyMap<string, Columns>;
  /** Largest column, or row, that a name may stand for. */
  largest: number;
  row: number;
  /** Names of FROM: alone, they stand for a row. */
  rows: ReadonlySet<string>;
}

/** @param statement of bounded depth, since this walks it by recursion. @throws StatementError */
export function checkInlinedSize(statement: Tree): void {
  new Inlining().query(statement, { named: new Map(), largest: 1, row: 1, rows: new Set() });
}

class Inlining {
  #sum = 0;

  query(query: Tree, outer: Scope): Columns {
    const named = this.#with(query, outer);
    if (isSetOperation(query)) {
      const arms = [query['larg'], query['rarg']].map((arm) => this.query(arm as Tree, { ...outer, named }));
      return { largest: Math.max(...arms.map(({ largest }) => largest)), row: Math.max(...arms.map(({ row }) => row)) };
    }
    const scope: Scope = { ...outer, named, rows: new Set(outer.rows) };
    for (const item of listOf(query['fromClause'])) this.#from(item, scope);
    const columns = { largest: 1, row: 0 };
    for (const [clause, value] of Object.entries(query)) {
      if (clause === 'fromClause' || clause === 'withClause') continue;
      if (clause !== 'targetList' && clause !== 'valuesLists') {
        this.#take(this.#size(value, scope));
        continue;
      }
      for (const target of clause === 'targetList' ? listOf(value) : valuesOf(value)) {
        const size = this.#target(target, scope);
        columns.largest = Math.max(columns.largest, isStar(target) ? scope.largest : size);
        columns.row += size;
        this.#take(size);
      }
    }
    return isKeptApart(query) ? ONE : columns;
  }

  #with(query: Tree, outer: Scope): Scope['named'] {
    const clause = query['withClause'] as Tree | undefined;
    if (!clause) return outer.named;
    const named = new Map(outer.named);
    for (const each of listOf(clause['ctes'])) {
      const { ctename, ctequery, ctematerialized } = each['CommonTableExpr'] as {
        ctename: string;
        ctequery: Tree;
        ctematerialized: string;
      };
      if (clause['recursive']) named.set(ctename, ONE);
      const columns = this.query(ctequery['SelectStmt'] as Tree, { ...outer, named });
      named.set(ctename, ctematerialized === 'CTEMaterializeAlways' ? ONE : columns);
    }
    return named;
  }

  /** What FROM brings: into `scope`, which the items after it may look at. */
  #from(item: Tree, scope: Scope): void {
    const [kind = '', node = {}] = Object.entries(item)[0] as [string, Tree];
    if (kind === 'JoinExpr') {
      this.#from(node['larg'] as Tree, scope);
      this.#from(node['rarg'] as Tree, scope);
      this.#take(this.#size(node['quals'], scope));
      return;
    }
    let columns = ONE;
    if (kind === 'RangeSubselect') columns = this.query((node['subquery'] as Tree)['SelectStmt'] as Tree, scope);
    else if (kind === 'RangeVar' && !node['schemaname']) columns = scope.named.get(node['relname'] as string) ?? ONE;
    else this.#take(this.#size(node, scope));
    scope.largest = Math.max(scope.largest, columns.largest);
    scope.row = Math.max(scope.row, columns.row);
    const alias = (node['alias'] as Tree | undefined)?.['aliasname'] ?? node['relname'];
    (scope.rows as Set<unknown>).add(alias);
  }

  #target(target: Tree, scope: Scope): number {
    return isStar(target) ? scope.row : this.#size(target, scope);
  }

  #size(value: unknown, scope: Scope): number {
    if (typeof value !== 'object' || value === null) return 0;
    if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + this.#size(each, scope), 0);
    let size = 0;
    for (const [key, member] of Object.entries(value as Tree)) {
      if (key === 'SelectStmt') size += this.#nested(member as Tree, scope);
      else if (key === 'ColumnRef') size += columnSize(member as Tree, scope);
      else size += (isType(key) ? 1 : 0) + this.#size(member, scope) * factor(key, member as Tree);
    }
    // Early, lest what multiplies leaves the range of numbers.
    if (size > MOST) this.#take(size);
    return size;
  }

  /** A query within an expression goes wherever the expression goes, all of it. */
  #nested(query: Tree, scope: Scope): number {
    const before = this.#sum;
    const { largest } = this.query(query, scope);
    return largest + this.#sum - before;
  }

  #take(size: number): void {
    this.#sum += size;
    if (this.#sum > MOST) {
      throw new StatementError(
        `The statement becomes more than ${MOST} expressions when its subqueries are put in their places: write WITH … AS MATERIALIZED.`,
      );
    }
  }
}

function columnSize(column: Tree, { largest, row, rows }: Scope): number {
  const fields = listOf(column['fields']);
  if (fields.some((field) => 'A_Star' in field)) return row;
  const first = (fields[0]?.['String'] as { sval?: string } | undefined)?.sval;
  return fields.length === 1 && first !== undefined && rows.has(first) ? row : largest;
}

function factor(key: string, node: Tree): number {
  if (key === 'A_Expr') return REPEATED[node['kind'] as string] ?? 1;
  return key === 'A_Indirection' && listOf(node['indirection']).some((each) => 'A_Star' in each) ? WIDE_ROW : 1;
}

/** The server plans such a query by itself and hands its columns on as values. */
const isKeptApart = (query: Tree): boolean =>
  listOf(query['valuesLists']).length > 1 ||
  ['groupClause', 'distinctClause', 'limitCount', 'limitOffset', 'havingClause'].some((clause) => query[clause] !== undefined);

const valuesOf = (lists: unknown): Tree[] => listOf(lists).flatMap((list) => listOf((list['List'] as Tree | undefined)?.['items']));

function isStar(target: Tree): boolean {
  const column = ((target['ResTarget'] as Tree | undefined)?.['val'] as Tree | undefined)?.['ColumnRef'] as Tree | undefined;
  return listOf(column?.['fields']).some((field) => 'A_Star' in field);
}

const listOf = (value: unknown): Tree[] => (Array.isArray(value) ? value : []);
