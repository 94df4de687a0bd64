import { parse } from 'libpg-query';

// Statements people write: raw_sql targeting, saved reports, ad-hoc SQL. The database login they run under is the wall (entities/report-role.ts);
// this is the manners: one reading statement, and a clear word when it is not.

/** SQL that cannot be run as a report; the message is for its author. */
export class StatementError extends Error {}

export interface BoundStatement {
  text: string;
  values: string[];
}

export type ParameterValue = string | number | boolean | null;
export type Parameters = Record<string, ParameterValue | ParameterValue[]>;

const LONGEST = 100_000;
const WRITING = ['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt', 'intoClause', 'lockingClause'];

/**
 * Whether `text` is one SELECT, WITH … SELECT or VALUES that writes nothing, by PostgreSQL's own grammar.
 * @throws StatementError saying what it is instead, or where the grammar stops
 */
export async function checkStatement(text: string): Promise<void> {
  if (!text.trim()) throw new StatementError('The statement is empty.');
  if (text.length > LONGEST) throw new StatementError(`The statement is longer than ${LONGEST} characters.`);
  if (text.includes('\0')) throw new StatementError('The statement holds a NUL character.');
  const parsed = await parse(text).catch((error: Error) => {
    throw new StatementError(`The statement is not valid SQL: ${error.message}.`);
  });
  const statements = parsed.stmts ?? [];
  if (statements.length !== 1) throw new StatementError(`One statement is allowed, not ${statements.length}.`);
  const [kind = 'nothing'] = Object.keys(statements[0]?.stmt ?? {});
  if (kind !== 'SelectStmt') throw new StatementError(`Only SELECT is allowed, not ${kind.replace(/Stmt$/, '').toUpperCase()}.`);
  if (writes(statements[0])) throw new StatementError('Only a SELECT that writes and locks nothing is allowed.');
}

function writes(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  return Object.entries(node).some(([key, value]) => WRITING.includes(key) || writes(value));
}

const PLACEHOLDER = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The names of the `{{ name }}` and `{name}` places of a statement, each once. */
export function placeholderNames(text: string): string[] {
  return [...new Set([...text.matchAll(PLACEHOLDER)].map((match) => match[1] ?? match[2] ?? ''))];
}

/**
 * The statement with its places bound as $1, $2 …; nothing is pasted in. A place may stand alone, in quotes (`'{{ name }}'`) or within a
 * quoted text (`'%{name}%'`); a list of values becomes as many places, for `in ({{ names }})`.
 * @throws StatementError naming the parameters that were not given
 */
export function bindPlaceholders(text: string, parameters: Parameters): BoundStatement {
  const missing = placeholderNames(text).filter((name) => !Object.hasOwn(parameters, name));
  if (missing.length) throw new StatementError(`Parameters not given: ${missing.join(', ')}.`);
  const values: string[] = [];
  const bind = (value: ParameterValue): string => {
    if (value === null) return 'null';
    values.push(String(value));
    return `$${values.length}`;
  };
  const places = (name: string): string[] => {
    const bound = [parameters[name] ?? null].flat().map(bind);
    return bound.length ? bound : ['null'];
  };
  const quoted = quotedRanges(text);
  let from = 0;
  let out = '';
  for (const match of text.matchAll(PLACEHOLDER)) {
    const bound = places(match[1] ?? match[2] ?? '');
    const end = match.index + match[0].length;
    const range = quoted.find(([start, stop]) => start < match.index && end < stop);
    if (!range) out += text.slice(from, match.index) + bound.join(', ');
    else if (bound.length > 1) throw new StatementError(`A list cannot stand inside quotes: ${match[0]}.`);
    // Leaves the quoted text, adds the value, and opens it again; a null would make the whole text null, so it counts as empty.
    else out += `${text.slice(from, match.index)}' || coalesce(${bound[0]}::text, '') || '`;
    from = end;
  }
  return { text: unquoteEmpty(out + text.slice(from)), values };
}

/** `'' || coalesce($1::text, '') || ''`, left of a place that was the whole quoted text, becomes `$1`, whose type is then free. */
const unquoteEmpty = (text: string): string => text.replace(/(?<!')'' \|\| coalesce\((\$\d+|null)::text, ''\) \|\| ''(?!')/g, '$1');

/** Where plain quoted texts begin and end (positions of their quotes), comments and quoted names left out. */
function quotedRanges(text: string): [number, number][] {
  const tokens = /--[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"]|"")*"|'(?:[^']|'')*'/g;
  return [...text.matchAll(tokens)]
    .filter((match) => match[0].startsWith("'"))
    .map((match) => [match.index, match.index + match[0].length]);
}
