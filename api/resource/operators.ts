import { readBoolean } from '../../domain/values.ts';

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

const COMPARISONS: Partial<Record<Operator, string>> = { gt: '>', gte: '>=', lt: '<', lte: '<=' };

/** Turns one text of the query string into a value of the column's type. @throws Error saying what is expected */
export type ReadValue = (text: string) => unknown;

export interface FilterTarget {
  /** SQL of the column. */
  column: string;
  type: FilterType;
  read: ReadValue;
  /** Compare lower(column), through the index on it. */
  caseless?: boolean;
}

/** Adds a value to the statement and gives its placeholder. */
export type Bind = (value: unknown) => string;

/**
 * The condition of one filter.
 * @param texts the parameter's values as sent: one, or several where the operator is `in`
 * @throws Error saying what is wrong with the value
 */
export function condition({ column, type, read, caseless }: FilterTarget, operator: Operator, texts: string[], bind: Bind): string {
  const cast = CASTS[type];
  const text = texts[0] ?? '';
  const fold = caseless ? (sql: string) => `lower(${sql})` : (sql: string) => sql;
  const pattern = PATTERNS[operator];
  if (pattern) {
    const shaped = pattern.shape(withoutNul(text).replace(/[\\%_]/g, '\\$&'));
    return `${type === 'text' ? column : `${column}::text`} ${pattern.like} ${bind(shaped)}::text`;
  }
  const comparison = COMPARISONS[operator];
  if (comparison) return `${column} ${comparison} ${bind(read(text))}::${cast}`;
  switch (operator) {
    case 'in': {
      const values = texts.flatMap((each) => each.split(',')).map((each) => read(each.trim()));
      if (values.length > 10_000) throw new Error('has too many values');
      return caseless
        ? `lower(${column}) = any(${bind(values.map((each) => String(each).toLowerCase()))}::text[])`
        : `${column} = any(${bind(values)}::${cast}[])`;
    }
    case 'range': {
      const values = texts.flatMap((each) => each.split(',')).map((each) => read(each.trim()));
      if (values.length !== 2) throw new Error('needs two values with a comma between');
      return `${column} between ${bind(values[0])}::${cast} and ${bind(values[1])}::${cast}`;
    }
    case 'isnull':
      return `${column} is ${readBoolean(text) ? '' : 'not '}null`;
    case 'year': {
      if (type !== 'datetime' && type !== 'date') throw new Error('is for dates only');
      if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error('needs a year');
      const year = Number(text);
      const start = (of: number) =>
        type === 'date' ? `make_date(${bind(of)}::int, 1, 1)` : `make_timestamptz(${bind(of)}::int, 1, 1, 0, 0, 0, 'UTC')`;
      return `${column} >= ${start(year)} and ${column} < ${start(year + 1)}`;
    }
    case 'iexact':
      return `lower(${type === 'text' ? column : `${column}::text`}) = lower(${bind(withoutNul(text))}::text)`;
    default: {
      const value = read(text);
      // Shown to the second, stored finer: who sends back what was shown means that second.
      if (type === 'datetime' && !/\.\d/.test(text)) {
        return `${column} >= ${bind(value)}::timestamptz and ${column} < ${bind(value)}::timestamptz + interval '1 second'`;
      }
      return `${fold(column)} = ${fold(`${bind(value)}::${cast}`)}`;
    }
  }
}

function withoutNul(text: string): string {
  if (text.includes('\0')) throw new Error('must not hold a NUL character');
  return text;
}
