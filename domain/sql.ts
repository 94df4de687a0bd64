// Composed SQL: fragments that carry their values, so that nothing a caller sent is ever pasted into a statement.

/** A piece of SQL and the values it binds. `text` and `values` are what `pg` takes as a query. */
export interface Sql {
  /** With $1, $2 … in the order of `values`. */
  readonly text: string;
  readonly values: readonly unknown[];
  /** The literal text around the values: one string more than there are values. */
  readonly literals: readonly string[];
}

export type SqlValue = string | number | bigint | boolean | null | Date | readonly (string | number)[];

/**
 * A fragment from a template: `` sql`u.state = any(${states})` ``. A nested fragment is spliced in with its own values,
 * everything else becomes a bound value (arrays too, as one array). Where PostgreSQL cannot infer a type, cast: `${x}::int`.
 */
export function sql(literals: TemplateStringsArray, ...parts: (Sql | SqlValue)[]): Sql {
  const built = parts.map((part, index) => {
    const after = literals[index + 1] ?? '';
    return isSql(part) ? concat([part, fragment([after], [])]) : fragment(['', after], [part]);
  });
  return concat([fragment([literals[0] ?? ''], []), ...built]);
}

/** Fragments with `separator`, a constant of ours, between them. */
export function joinSql(parts: readonly Sql[], separator: string): Sql {
  return concat(parts.flatMap((part, index) => (index ? [fragment([separator], []), part] : [part])));
}

/** A table or column name out of our own constants, quoted. @throws when it is not a plain lower-case name */
export function identifier(name: string): Sql {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new Error(`Not a name of ours: ${name}`);
  return fragment([`"${name}"`], []);
}

/** SQL put together from constants of ours alone: never from anything a caller sent. */
export const constantSql = (text: string): Sql => fragment([text], []);

function concat(parts: readonly Sql[]): Sql {
  const literals = [''];
  for (const part of parts) literals.push((literals.pop() ?? '') + (part.literals[0] ?? ''), ...part.literals.slice(1));
  return fragment(
    literals,
    parts.flatMap((part) => part.values),
  );
}

const mark = Symbol('sql');

function fragment(literals: readonly string[], values: readonly unknown[]): Sql {
  const text = literals.reduce((before, literal, index) => `${before}$${index}${literal}`);
  return { text, values, literals, [mark]: true } as Sql;
}

function isSql(part: unknown): part is Sql {
  return typeof part === 'object' && part !== null && mark in part;
}
