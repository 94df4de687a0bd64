import type { Sql } from '../../../db/sql.ts';
import { notOneLine } from '../../../domain/values.ts';
import type { Dialect } from '../../../domain/words.ts';
import type { ReferenceContext } from '../../references.ts';
import type { TrackingSettings } from '../../sending/tracked.ts';

/** What reading a mailing's fields needs beside the values: the transaction they are looked up in, and what the caller may do. */
export interface InputContext extends ReferenceContext {
  sql: Sql;
  env: TrackingSettings & { REPORT_DIALECT: Dialect };
  can(permission: string): boolean;
  /** Who asks; undefined where no account is known. */
  account?: number | undefined;
  /** What was prepared before the transaction began. */
  prepared?: Prepared;
}

/** What preparing statements of raw_sql came to, by their keys. */
export type Prepared = Map<string, Promise<unknown>>;

/** @throws Error */
export function readList(value: unknown, most = 100_000): unknown[] {
  if (!Array.isArray(value)) throw new Error('must be a list');
  if (value.length > most) throw new Error(`must not have more than ${most} members`);
  return value;
}

/** @throws Error */
export function readString(value: unknown): string {
  if (typeof value !== 'string') throw new Error('must be a string');
  if (value.includes('\0') || !value.isWellFormed()) throw new Error('must not hold a NUL character or half a surrogate pair');
  return value;
}

/** A text that may stand in a header: no line ends, no control characters. @throws Error */
export function readLine(value: unknown): string {
  const line = readString(value);
  const problem = notOneLine(line);
  if (problem) throw new Error(problem);
  return line;
}

/** @throws Error */
export function readStrings(value: unknown, read = readString): string[] {
  return readList(value).map((member) => {
    try {
      return read(member);
    } catch (error) {
      throw new Error(`must hold strings only; one ${(error as Error).message}`);
    }
  });
}

/** At most five of the things given, for a message. */
export const several = (given: readonly unknown[]): string =>
  given
    .slice(0, 5)
    .map((value) => String(typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 100))
    .join(', ') + (given.length > 5 ? ', …' : '');
