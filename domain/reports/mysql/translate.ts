import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Node, ParseResult } from 'libpg-query';
import { deparseSync } from 'pgsql-deparser';
import { parse } from '../grammar.ts';
import type { BoundStatement, Parameters } from '../placeholders.ts';
import { checkStatement } from '../statement.ts';
import { StatementError } from '../statement-error.ts';
import { keyOf } from './nodes.ts';
import { rewriteTokens } from './rewrite.ts';
import { refuse } from './tokens.ts';
import { translateTree } from './tree.ts';

const LONGEST = 15_000;
/** Levels of the tree, of which a nested expression takes two to four. */
const DEEPEST = 400;

/**
 * A statement in MySQL's dialect as one of PostgreSQL's, for a session that looks in schema mysql first (core/reports/mysql-schema), its places bound. The same
 * gate stands before and behind it. What comes out is read once more and held against what was meant.
 * @throws StatementError that names what is not translated and where it stands; MissingParameters
 */
export async function translateMysql(statement: string, parameters: Parameters): Promise<BoundStatement> {
  if (!statement.trim()) throw new StatementError('The statement is empty.');
  if (statement.length > LONGEST) throw new StatementError(`MySQL dialect: the statement is longer than ${LONGEST} characters.`);
  if (statement.includes('\0') || !statement.isWellFormed()) throw new StatementError('The statement holds a character that is none.');
  const { text, values, places, numbers, names, sourceAt } = rewriteTokens(statement, parameters);
  const place = (at: number | undefined): number => (at === undefined ? 0 : sourceAt(at));
  const parsed = await parse(text).catch((error: Error & { sqlDetails?: { cursorPosition?: number } }) => {
    if (error instanceof RangeError) throw new StatementError('The statement is nested too deeply.');
    const at = error.sqlDetails?.cursorPosition ?? 0;
    return refuse(statement, place(Math.max(at, 0)), error.message.replace(/"mysql [^"]*"/, 'it').slice(0, 200));
  });
  checkDepth(parsed);
  // Each step holds the event loop; between them others have their turn.
  await nextTurn();
  await checkStatement(text, places);
  await nextTurn();
  try {
    const tree = translateTree(parsed.stmts![0]!.stmt!, numbers, (at, what) => refuse(statement, place(at), what));
    await nextTurn();
    const made = deparseSync({ version: parsed.version, stmts: [{ stmt: tree }] } as ParseResult, { pretty: false });
    await nextTurn();
    await checkSame(tree, made);
    await nextTurn();
    await checkStatement(made);
    const spelled = [...names].filter(([folded, written]) => folded !== written);
    return { text: made, values, dialect: 'mysql', ...(spelled.length > 0 && { names: Object.fromEntries(spelled) }) };
  } catch (error) {
    if (error instanceof RangeError) throw new StatementError('The statement is nested too deeply.');
    throw error;
  }
}

async function checkSame(tree: Node, text: string): Promise<void> {
  const again = await parse(text).catch(() => null);
  const [one, ...others] = again?.stmts ?? [];
  if (!one || others.length > 0 || keyOf(one.stmt) !== keyOf(tree)) {
    throw new StatementError('MySQL dialect: the statement is not translated, because what came out would not say the same.');
  }
}

/** The passes call themselves for every level. @throws StatementError */
function checkDepth(root: unknown): void {
  const open: [unknown, number][] = [[root, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, depth] = next;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > DEEPEST) throw new StatementError('The statement is nested too deeply.');
    for (const member of Object.values(value)) open.push([member, depth + 1]);
  }
}
