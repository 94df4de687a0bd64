// Arrays as PostgreSQL reads them, to be bound to a `text[]`, `int[]` and so on. The driver makes the same of a list, at several times the cost: felt
// where columns of thousands of rows go out at once.

const SPECIAL = /["\\]/;

export function textArray(texts: readonly string[]): string {
  const quoted = (text: string) => `"${SPECIAL.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`;
  return `{${texts.map(quoted).join(',')}}`;
}

export function plainArray(values: readonly (number | boolean | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}
