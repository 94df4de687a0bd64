import type { Dialect } from '../words.ts';

/** A statement as somebody wrote it. */
export interface WrittenStatement {
  sql: string;
  dialect: Dialect;
}
