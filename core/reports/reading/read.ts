import { translateMysql } from '../../../domain/reports/mysql/translate.ts';
import { type BoundStatement, bindPlaceholders, type Parameters } from '../../../domain/reports/placeholders.ts';
import { checkLength, checkStatement } from '../../../domain/reports/statement.ts';
import { LONGEST, parametersOf, type WrittenStatement } from '../../../domain/reports/written.ts';

// What is done with a statement before the database sees it, on whatever thread.

/** A place may be longer than what is bound in it. More than this is not looked through for places: that would take seconds, in which others wait. */
const LONGEST_WITH_PLACES = 5 * LONGEST;

/** @throws StatementError, MissingParameters */
export async function bind({ sql, dialect }: WrittenStatement, parameters: Parameters): Promise<BoundStatement> {
  if (dialect === 'mysql') return translateMysql(sql, parameters);
  if (sql.length > LONGEST_WITH_PLACES) checkLength(sql);
  const { places, ...bound } = bindPlaceholders(sql, parameters);
  await checkStatement(bound.text, places);
  return bound;
}

/** Of a text in PostgreSQL's dialect without parameters: what looks like one is text. @throws StatementError */
export async function bindNothing(text: string): Promise<BoundStatement> {
  await checkStatement(text);
  return { text, values: [] };
}

/** Whether a statement can be run, before anybody has said with what values. @throws StatementError */
export async function bindAnything(statement: WrittenStatement): Promise<BoundStatement> {
  checkLength(statement.sql);
  return bind(statement, Object.fromEntries(parametersOf(statement).map((name) => [name, ''])));
}
