import { Bounds, checkBrackets, tooDeep } from './bounds.ts';
import { parse } from './grammar.ts';
import { checkInlinedSize } from './inlined-size.ts';
import { refusedFunction, refusedRelation } from './refused-names.ts';
import { checkSorts } from './sorts.ts';
import { StatementError } from './statement-error.ts';
import { nodes, type Tree } from './tree.ts';
import { LONGEST } from './written.ts';

// Statements people write: raw_sql targeting, saved reports, ad-hoc SQL. The database login they run under is the wall (core/reports/report-role.ts);
// this is the manners: one reading statement, and a clear word when it is not.

const WRITING = ['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt', 'intoClause', 'lockingClause'];

/**
 * Whether `text` is one SELECT, WITH … SELECT or VALUES that writes nothing, by PostgreSQL's own grammar,
 * and is small enough to be planned (bounds.ts, inlined-size.ts).
 * @param places names of the parameters bound in it, in their order
 * @throws StatementError saying what it is instead, or where the grammar stops
 */
export async function checkStatement(text: string, places: readonly string[] = []): Promise<void> {
  if (!text.trim()) throw new StatementError('The statement is empty.');
  checkLength(text);
  if (text.includes('\0')) throw new StatementError('The statement holds a NUL character.');
  checkScannable(text);
  checkBrackets(text);
  const parsed = await parse(text).catch((error: Error) => {
    // The grammar is a recursive program of its own: where its stack or ours ends, so does the statement.
    if (error instanceof RangeError || /^memory exhausted/.test(error.message)) throw tooDeep();
    throw new StatementError(`The statement is not valid SQL: ${error.message}.`);
  });
  const statements = parsed.stmts ?? [];
  if (statements.length !== 1) throw new StatementError(`One statement is allowed, not ${statements.length}.`);
  const [kind = 'nothing'] = Object.keys(statements[0]?.stmt ?? {});
  if (kind !== 'SelectStmt') throw new StatementError(`Only SELECT is allowed, not ${kind.replace(/Stmt$/, '').toUpperCase()}.`);
  const bounds = new Bounds();
  for (const [key, node, depth] of nodes(statements[0])) {
    if (WRITING.includes(key)) throw new StatementError('Only a SELECT that writes and locks nothing is allowed.');
    bounds.take(key, node, depth);
    if (places.length > 0) checkSorts(key, node, places);
    checkNames(key, node);
  }
  checkInlinedSize((statements[0] as { stmt: { SelectStmt: Tree } }).stmt.SelectStmt);
}

/** @throws StatementError */
export function checkLength(text: string): void {
  if (text.length > LONGEST) throw new StatementError(`The statement is longer than ${LONGEST} characters.`);
}

/**
 * The grammar's scanner reads comments within comments and long runs of operator signs over and over: tens of thousands of them would hold
 * this process for many seconds. @throws StatementError
 */
function checkScannable(text: string): void {
  if (text.split('/*').length > MOST_COMMENTS) throw new StatementError(`The statement has more than ${MOST_COMMENTS} comments.`);
  // Lines of one sign are how comments are decorated, and cost nothing.
  if (OPERATOR_RUN.test(text.replace(/([-=*#~])\1{3,}/g, ' '))) throw new StatementError('The statement has an operator that is too long.');
}

const MOST_COMMENTS = 300;
const OPERATOR_RUN = /[-+*/<>=~!@#%^&|`?]{64}/;

interface NamedNode {
  funcname?: unknown[];
  fields?: unknown[];
  indirection?: unknown[];
  schemaname?: string;
  relname?: string;
}

/** A function can also be called as `f.name` and `(x).name`, a table stands in RangeVar. @throws StatementError */
function checkNames(key: string, node: NamedNode): void {
  if (key === 'RangeVar') {
    const refused = refusedRelation(node.schemaname, node.relname ?? '');
    if (refused) throw new StatementError(`Reports may not read ${refused}.`);
  }
  const called = key === 'FuncCall' ? node.funcname?.slice(-1) : key === 'ColumnRef' ? node.fields?.slice(1) : undefined;
  for (const part of called ?? (key === 'A_Indirection' ? node.indirection : undefined) ?? []) {
    const name = (part as { String?: { sval?: string } }).String?.sval;
    if (name !== undefined && refusedFunction(name)) throw new StatementError(`Reports may not use ${name}.`);
  }
}
