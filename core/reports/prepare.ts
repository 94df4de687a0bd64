import { type BoundStatement, boundLength, type Parameters } from '../../domain/reports/placeholders.ts';
import type { WrittenStatement } from '../../domain/reports/written.ts';
import { ReaderThread } from './reading/reader-thread.ts';

/** Characters up to which a statement is read in a few milliseconds, whatever stands in it. */
const SHORT = 800;
const LIMIT_MS = 10_000;
/** For whom work counts that no request asked for. */
const NOBODY = 0;

/** Of what is read in the end: a list takes as many places as it has members, and few characters ask for it. */
const isShort = (sql: string, parameters: Parameters = {}): boolean => sql.length <= SHORT && boundLength(sql, parameters) <= SHORT;

const thread = new ReaderThread(LIMIT_MS);

/** Loaded when first needed: a worker that is given no statements has 15 MB less. The API loads it as it starts, so that nobody waits for it. */
export const loadGrammar = () => import('./reading/read.ts');

/**
 * What the database is to be sent: values bound, MySQL's dialect translated, and known to be one reading statement. Long ones are read on a thread of
 * their own: the grammar and the translation would hold everybody else's requests for hundreds of milliseconds.
 * @param account whose turn it takes
 * @throws StatementError, MissingParameters, UnavailableError
 */
export async function prepareStatement(
  statement: WrittenStatement,
  parameters: Parameters = {},
  account = NOBODY,
): Promise<BoundStatement> {
  const { sql, dialect } = statement;
  return isShort(sql, parameters)
    ? (await loadGrammar()).bind(statement, parameters)
    : thread.run('bind', [{ sql, dialect }, parameters], account);
}

/** A statement of a targeting: it has no parameters, so what looks like one in PostgreSQL's is text. @throws StatementError */
export async function prepareRaw(raw: string | WrittenStatement, account = NOBODY): Promise<BoundStatement> {
  if (typeof raw !== 'string') return prepareStatement(raw, {}, account);
  return raw.length <= SHORT ? (await loadGrammar()).bindNothing(raw) : thread.run('bindNothing', [raw], account);
}

/** Whether a statement can be run, before anybody has said with what values. @throws StatementError */
export async function checkWritten({ sql, dialect }: WrittenStatement, account = NOBODY): Promise<void> {
  await (isShort(sql) ? (await loadGrammar()).bindAnything({ sql, dialect }) : thread.run('bindAnything', [{ sql, dialect }], account));
}
