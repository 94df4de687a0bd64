import { placesOf } from '../../../domain/reports/mysql/rewrite.ts';
import { translateMysql } from '../../../domain/reports/mysql/translate.ts';
import { type BoundStatement, bindPlaceholders, type Parameters, placeholderNames } from '../../../domain/reports/placeholders.ts';
import { checkStatement, LONGEST, StatementError } from '../../../domain/reports/statement.ts';
import type { WrittenStatement } from '../../../domain/reports/written.ts';

// What is done with a statement before the database sees it, on whatever thread.

/** @throws StatementError, MissingParameters */
export async function bind({ sql, dialect }: WrittenStatement, parameters: Parameters): Promise<BoundStatement> {
  if (dialect === 'mysql') return translateMysql(sql, parameters);
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
  if (statement.sql.length > LONGEST) throw new StatementError(`The statement is longer than ${LONGEST} characters.`);
  return bind(statement, Object.fromEntries(parametersOf(statement).map((name) => [name, ''])));
}

/** The parameters of a statement, each once. @throws StatementError */
export const parametersOf = ({ sql, dialect }: WrittenStatement): string[] => (dialect === 'mysql' ? placesOf(sql) : placeholderNames(sql));
