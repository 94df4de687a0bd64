import type { Dialect } from '../words.ts';
import { placesOf } from './mysql/rewrite.ts';
import { placeholderNames } from './placeholders.ts';

/** A statement as somebody wrote it. */
export interface WrittenStatement {
  sql: string;
  dialect: Dialect;
}

/** Characters of a statement, at most. */
export const LONGEST = 100_000;

/** The parameters of a statement, each once. @throws StatementError */
export const parametersOf = ({ sql, dialect }: WrittenStatement): string[] => (dialect === 'mysql' ? placesOf(sql) : placeholderNames(sql));
