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
  const out = [literals[0] ?? ''];
  const values: unknown[] = [];
  parts.forEach((part, index) => {
    const after = literals[index + 1] ?? '';
    if (isSql(part)) {
      out[out.length - 1] += part.literals[0];
      out.push(...part.literals.slice(1));
      values.push(...part.values);
      out[out.length - 1] += after;
    } else {
      values.push(part);
      out.push(after);
    }
  });
  return fragment(out, values);
}

/** Fragments one after the other with `separator`, a constant of ours, between them. */
export function joinSql(parts: readonly Sql[], separator: string): Sql {
  if (!parts.length) return fragment([''], []);
  const out = [...parts[0]!.literals];
  const values = [...parts[0]!.values];
  for (const part of parts.slice(1)) {
    out[out.length - 1] += separator + part.literals[0];
    out.push(...part.literals.slice(1));
    values.push(...part.values);
  }
  return fragment(out, values);
}

/** A table or column name out of our own constants, quoted. @throws when it is not a plain lower-case name */
export function identifier(name: string): Sql {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new Error(`Not a name of ours: ${name}`);
  return fragment([`"${name}"`], []);
}

const mark = Symbol('sql');

function fragment(literals: readonly string[], values: readonly unknown[]): Sql {
  const text = literals.reduce((before, literal, index) => `${before}$${index}${literal}`);
  return { text, values, literals, [mark]: true } as Sql;
}

function isSql(part: unknown): part is Sql {
  return typeof part === 'object' && part !== null && mark in part;
}
