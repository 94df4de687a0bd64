import type { Expression, SqlBool } from 'kysely';
import { likeText } from '../../domain/like.ts';
import { lowerCase } from '../../domain/people/lower-case.ts';
import { readBoolean } from '../../domain/values.ts';
import { fragment } from '../../entities/tables.ts';

// The filter operators of collections: what each takes and the SQL it becomes.

export const OPERATORS = [
  'exact',
  'iexact',
  'contains',
  'icontains',
  'startswith',
  'istartswith',
  'endswith',
  'iendswith',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'range',
  'isnull',
  'year',
] as const;
export type Operator = (typeof OPERATORS)[number];

export const EXACT: Operator[] = ['exact', 'in'];
/** What a client needs that keeps in step: everything since, everything between. */
export const SINCE: Operator[] = ['exact', 'gt', 'gte', 'lt', 'lte', 'in', 'range'];

/** The same for timestamps. */
export const TIMES: Operator[] = [...SINCE, 'isnull', 'year'];

export type FilterType = 'integer' | 'number' | 'decimal' | 'text' | 'boolean' | 'datetime' | 'date';

const CASTS: Record<FilterType, string> = {
  integer: 'int',
  number: 'float8',
  decimal: 'numeric',
  text: 'text',
  boolean: 'boolean',
  datetime: 'timestamptz',
  date: 'date',
};

const PATTERNS: Partial<Record<Operator, { like: string; shape: (escaped: string) => string }>> = {
  contains: { like: 'like', shape: (it) => `%${it}%` },
  icontains: { like: 'ilike', shape: (it) => `%${it}%` },
  startswith: { like: 'like', shape: (it) => `${it}%` },
  istartswith: { like: 'ilike', shape: (it) => `${it}%` },
  endswith: { like: 'like', shape: (it) => `%${it}` },
  iendswith: { like: 'ilike', shape: (it) => `%${it}` },
};

/** Characters looked for inside a text: each is compared at every place of every row. */
const LONGEST_PATTERN = 500;

const COMPARISONS: Partial<Record<Operator, string>> = { gt: '>', gte: '>=', lt: '<', lte: '<=' };

/** Turns one text of the query string into a value of the column's type. @throws Error saying what is expected */
export type ReadValue = (text: string) => unknown;

/** What holds or does not hold of a row. */
export type Condition = Expression<SqlBool>;

export interface FilterTarget {
  column: Expression<unknown>;
  type: FilterType;
  read: ReadValue;
  /** Compare lower(column), through the index on it. */
  caseless?: boolean;
}

/**
 * The condition of one filter; values are bound.
 * @param texts the parameter's values as sent: one, or several where the operator is `in`
 * @throws Error saying what is wrong with the value
 */
export function condition({ column, type, read, caseless }: FilterTarget, operator: Operator, texts: string[]): Condition {
  const text = texts[0] ?? '';
  const asText = type === 'text' ? column : fragment`${column}::text`;
  const bound = (value: unknown) => fragment`${value}::${fragment.raw(CASTS[type])}`;
  // Shown to the second, stored finer: who sends back what was shown means that second, and all of it.
  const second = type === 'datetime' && !texts.some((each) => /\.\d/.test(each));
  const until = (value: unknown): Condition => fragment`${column} < ${bound(value)} + interval '1 second'`;
  const list = (values: unknown[], of: string) => fragment`any(${values}::${fragment.raw(of)}[])`;
  const pattern = PATTERNS[operator];
  if (pattern) {
    if (text.length > LONGEST_PATTERN) throw new Error(`must have at most ${LONGEST_PATTERN} characters`);
    const shaped = pattern.shape(likeText(withoutNul(text)));
    return fragment`${asText} ${fragment.raw(pattern.like)} ${shaped}::text`;
  }
  const comparison = COMPARISONS[operator];
  if (operator === 'lte' && second) return until(read(text));
  if (comparison) return fragment`${column} ${fragment.raw(comparison)} ${bound(read(text))}`;
  switch (operator) {
    case 'in': {
      const values = texts.flatMap((each) => each.split(',')).map((each) => read(each.trim()));
      if (values.length > 10_000) throw new Error('has too many values');
      if (second) {
        // Between the first and the last, so that an index leads there.
        const [first, last] = [values.toSorted()[0], values.toSorted().at(-1)];
        return fragment`${column} >= ${bound(first)} and ${until(last)} and date_trunc('second', ${column}) = ${list(values, CASTS[type])}`;
      }
      if (!caseless) return fragment`${column} = ${list(values, CASTS[type])}`;
      const folded = values.map((each) => lowerCase(String(each)));
      return fragment`lower(${column}) = ${list(folded, 'text')}`;
    }
    case 'range': {
      const values = texts.flatMap((each) => each.split(',')).map((each) => read(each.trim()));
      if (values.length !== 2) throw new Error('needs two values with a comma between');
      if (second) return fragment`${column} >= ${bound(values[0])} and ${until(values[1])}`;
      return fragment`${column} between ${bound(values[0])} and ${bound(values[1])}`;
    }
    case 'isnull':
      return readBoolean(text) ? fragment`${column} is null` : fragment`${column} is not null`;
    case 'year': {
      if (type !== 'datetime' && type !== 'date') throw new Error('is for dates only');
      if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error('needs a year');
      const year = Number(text);
      const start = (of: number) =>
        type === 'date' ? fragment`make_date(${of}::int, 1, 1)` : fragment`make_timestamptz(${of}::int, 1, 1, 0, 0, 0, 'UTC')`;
      return fragment`${column} >= ${start(year)} and ${column} < ${start(year + 1)}`;
    }
    case 'iexact':
      // As `exact` reads it: an email is found in whatever way its domain is written.
      return fragment`lower(${asText}) = lower(${type === 'text' ? read(text) : withoutNul(text)}::text)`;
    default: {
      const value = read(text);
      if (second) return fragment`${column} >= ${bound(value)} and ${until(value)}`;
      return caseless ? fragment`lower(${column}) = lower(${bound(value)})` : fragment`${column} = ${bound(value)}`;
    }
  }
}

function withoutNul(text: string): string {
  if (text.includes('\0')) throw new Error('must not hold a NUL character');
  return text;
}
