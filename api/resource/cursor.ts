import type { AliasedExpression } from 'kysely';
import { readDate, readDecimal, readInteger, readNumber, readText, readTimestamp } from '../../domain/values.ts';
import { fragment } from '../../entities/tables.ts';
import type { FieldKind, Row } from './declare.ts';
import type { Field } from './fields.ts';
import type { Condition } from './operators.ts';

// Where a page ended, as `_after` in the `next` of pages far down a collection: the values of the last row in the order asked for. The page behind it is read
// from there, where skipping millions of rows takes as long as reading them.

export interface Order {
  column: string;
  direction: 'asc' | 'desc';
}

/** Up to here rows are skipped sooner than said. */
const CURSOR_FROM = 1000;

/** How values of a kind are read, and the type they are compared as; what is not here has no place in a cursor. */
const KINDS: Partial<Record<FieldKind, [read: (text: string) => unknown, type: string]>> = {
  integer: [readInteger, 'int'],
  number: [readNumber, 'float8'],
  decimal: [readDecimal, 'numeric'],
  string: [readText, 'text'],
  reference: [readInteger, 'int'],
  datetime: [readTimestamp, 'timestamptz'],
  date: [readDate, 'date'],
};

/** What the columns of an order hold; null where a row's place cannot be said by them: for none, or for several directions. */
function kindsOf(fields: readonly Field[], orderBy: readonly Order[]): FieldKind[] | null {
  const found = orderBy.map(({ column }) => fields.find((field) => field.column === column));
  const usable = found.every((field) => field && !field.nullable && KINDS[field.stored.kind]);
  const [first] = orderBy;
  return usable && orderBy.every(({ direction }) => direction === first!.direction) ? found.map((field) => field!.stored.kind) : null;
}

const named = (index: number) => ` at ${index}`;

/** Columns to read for the cursor of the page behind one that ends at `end`; none where it takes none. Of the row alias `t`. */
export function cursorColumns(fields: readonly Field[], orderBy: readonly Order[], end: number): AliasedExpression<unknown, string>[] {
  const kinds = end >= CURSOR_FROM ? kindsOf(fields, orderBy) : null;
  return (kinds ?? []).map((kind, index) => {
    const column = fragment.ref(`t.${orderBy[index]!.column}`);
    const text = kind === 'datetime' ? fragment`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')` : fragment`${column}::text`;
    return text.as(named(index));
  });
}

/** The cursor of the last row of a page; null where its columns were not read. */
export function cursorOf(row: Row | undefined): string | null {
  if (row?.[named(0)] === undefined) return null;
  const values: unknown[] = [];
  while (row[named(values.length)] !== undefined) values.push(row[named(values.length)]);
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/**
 * The rows behind a cursor.
 * @throws Error when it is none of this order
 */
export function behind(fields: readonly Field[], orderBy: readonly Order[], cursor: string): Condition {
  const kinds = kindsOf(fields, orderBy);
  const values = kinds && valuesOf(cursor);
  if (values?.length !== kinds?.length || !values || !kinds) throw new Error('is not of this order');
  const columns = orderBy.map(({ column }) => fragment.ref(`t.${column}`));
  const bound = kinds.map((kind, index) => {
    const [read, type] = KINDS[kind]!;
    return fragment`${read(values[index]!)}::${fragment.raw(type)}`;
  });
  const than = fragment.raw(orderBy[0]!.direction === 'asc' ? '>' : '<');
  return fragment`(${fragment.join(columns)}) ${than} (${fragment.join(bound)})`;
}

function valuesOf(cursor: string): string[] | null {
  try {
    const values = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(values) && values.every((value) => typeof value === 'string') ? values : null;
  } catch {
    return null;
  }
}
