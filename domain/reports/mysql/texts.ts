import type { valuesBinder } from '../placeholders.ts';

const INNER_PLACE = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}|\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}/g;

export const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const literal = (text: string): string => (text.includes('\\') ? `E${quote(text.replaceAll('\\', '\\\\'))}` : quote(text));

/** Names of the places inside a quoted text. */
export const placesIn = (text: string): string[] => [...text.matchAll(INNER_PLACE)].map(nameOf);

const nameOf = (match: RegExpMatchArray): string => match[1] ?? match[2]!;

/**
 * A quoted text as a value, the places in it bound.
 * @param no refuses it
 */
export function boundText(text: string, bound: ReturnType<typeof valuesBinder>, no: (what: string) => never): string {
  const places = [...text.matchAll(INNER_PLACE)];
  if (places.length === 0) return literal(text);
  const place = (match: RegExpExecArray): string => {
    const [one = 'null', ...more] = bound.places(nameOf(match));
    if (more.length) no(`a list cannot stand inside quotes: ${match[0]}`);
    return one;
  };
  if (places[0]![0].length === text.length) return place(places[0]!);
  let from = 0;
  const parts: string[] = [];
  for (const match of places) {
    // A null would make the whole text null, so it counts as empty.
    parts.push(literal(text.slice(from, match.index)), `coalesce(${place(match)}, '')`);
    from = match.index + match[0].length;
  }
  return `"concat"(${[...parts, literal(text.slice(from))].join(', ')})`;
}
