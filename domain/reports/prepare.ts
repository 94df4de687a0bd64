import { placesOf } from './mysql/rewrite.ts';
import { translateMysql } from './mysql/translate.ts';
import { type BoundStatement, bindPlaceholders, type Parameters, placeholderNames } from './placeholders.ts';
import { checkStatement } from './statement.ts';
import type { WrittenStatement } from './written.ts';

/**
 * What the database is to be sent: values bound, MySQL's dialect translated, and known to be one reading statement.
 * @throws StatementError, MissingParameters
 */
export async function prepareStatement({ sql, dialect }: WrittenStatement, parameters: Parameters = {}): Promise<BoundStatement> {
  if (dialect === 'mysql') return translateMysql(sql, parameters);
  const bound = bindPlaceholders(sql, parameters);
  await checkStatement(bound.text);
  return bound;
}

/** A statement of a targeting: it has no parameters, so what looks like one in PostgreSQL's is text. @throws StatementError */
export async function prepareRaw(raw: string | WrittenStatement): Promise<BoundStatement> {
  if (typeof raw !== 'string') return prepareStatement(raw);
  await checkStatement(raw);
  return { text: raw, values: [] };
}

/** The parameters of a statement, each once. @throws StatementError */
export const parametersOf = ({ sql, dialect }: WrittenStatement): string[] => (dialect === 'mysql' ? placesOf(sql) : placeholderNames(sql));

/** Whether a statement can be run, before anybody has said with what values. @throws StatementError */
export async function checkWritten(statement: WrittenStatement): Promise<void> {
  await prepareStatement(statement, Object.fromEntries(parametersOf(statement).map((name) => [name, ''])));
}
