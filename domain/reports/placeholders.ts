import type { Dialect } from '../words.ts';
import { StatementError } from './statement-error.ts';

// `{{ name }}` and `{name}` places, with or without spaces, of statements people write, turned into bound parameters.

export interface BoundStatement {
  text: string;
  values: string[];
  /** What it was written in; absent is postgresql. */
  dialect?: Dialect;
  /** How names of columns of the result were written, by how the database gives them. */
  names?: Record<string, string>;
}

export type ParameterValue = string | number | boolean | null;
export type Parameters = Record<string, ParameterValue | ParameterValue[]>;

/** Parameters a statement needs and did not get. */
export class MissingParameters extends StatementError {
  readonly names: string[];
  constructor(names: string[]) {
    super(`Parameters not given: ${names.join(', ')}.`);
    this.names = names;
  }
}

/** The protocol counts them in 16 bits. */
const MOST_VALUES = 30_000;

const PLACEHOLDER = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}|\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}/g;
const nameOf = (match: RegExpExecArray): string => match[1] ?? match[2] ?? '';

/**
 * Where no place is bound: comments, quoted names, dollar-quoted texts. Where it leaves the quotes: plain quoted texts. What is not closed goes
 * to the end, so that no statement takes long to read.
 */
const TOKENS = /--[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)|"(?:[^"]|"")*"|\$([A-Za-z_]\w*)?\$(?:[\s\S]*?\$\1\$|[\s\S]*)|'(?:[^']|'')*'/g;

type Piece = { kind: 'plain' | 'quoted' | 'kept'; text: string };

function* pieces(text: string): Generator<Piece> {
  let from = 0;
  for (const match of text.matchAll(TOKENS)) {
    yield { kind: 'plain', text: text.slice(from, match.index) };
    yield { kind: match[0].startsWith("'") ? 'quoted' : 'kept', text: match[0] };
    from = match.index + match[0].length;
  }
  yield { kind: 'plain', text: text.slice(from) };
}

/** The names of the places of a statement, each once. */
export function placeholderNames(text: string): string[] {
  const bound = [...pieces(text)].filter(({ kind }) => kind !== 'kept');
  return [...new Set(bound.flatMap((piece) => [...piece.text.matchAll(PLACEHOLDER)].map(nameOf)))];
}

/** Characters that a place takes in a quoted text, which it leaves and opens again, and that each value takes. */
const [AROUND, EACH] = [24, 8];

/** About how long a statement is when its places are bound, at most: found without binding any, of whatever dialect. */
export function boundLength(text: string, parameters: Parameters): number {
  const places = text.match(/\{(?!\{)/g)?.length ?? 0;
  const longest = Object.values(parameters).reduce<number>((most, value) => Math.max(most, Array.isArray(value) ? value.length : 1), 1);
  return text.length + places * (AROUND + EACH * longest);
}

/**
 * The statement with its places bound as $1, $2 …; nothing is pasted in. A place may stand alone, in quotes (`'{{ name }}'`) or within a
 * quoted text (`'%{name}%'`, `interval '{days} days'`); a list of values becomes as many places, for `in ({{ names }})`. The server finds the
 * type of each from where it stands. `places`: the parameter each value is of.
 * @throws MissingParameters, StatementError
 */
export function bindPlaceholders(text: string, parameters: Parameters): BoundStatement & { places: string[] } {
  const missing = placeholderNames(text).filter((name) => !Object.hasOwn(parameters, name));
  if (missing.length) throw new MissingParameters(missing);
  const { values, valueNames, places: placesNamed } = valuesBinder(parameters);
  const places = (match: RegExpExecArray) => placesNamed(nameOf(match));
  const out: string[] = [];
  for (const { kind, text: piece } of pieces(text)) {
    const matches = kind === 'kept' ? [] : [...piece.matchAll(PLACEHOLDER)];
    if (matches.length === 0) out.push(piece);
    else if (kind === 'plain') out.push(splice(piece, matches, (match) => places(match).join(', ')));
    else out.push(castBefore(out.pop() ?? '', quoted(piece, matches, places)));
  }
  return { text: out.join(''), values, places: valueNames };
}

/**
 * Gathers values as $1, $2 …; `places` gives those of one parameter, as many as its list has. `valueNames`: whose each value is.
 * @throws StatementError for too many
 */
export function valuesBinder(parameters: Parameters): { values: string[]; valueNames: string[]; places(name: string): string[] } {
  const values: string[] = [];
  const valueNames: string[] = [];
  const bind = (name: string, value: ParameterValue): string => {
    if (value === null) return 'null';
    if (values.length === MOST_VALUES) throw new StatementError(`More than ${MOST_VALUES} values.`);
    values.push(String(value));
    valueNames.push(name);
    return `$${values.length}`;
  };
  return {
    values,
    valueNames,
    places: (name) => {
      const bound = [parameters[name] ?? null].flat().map((value) => bind(name, value));
      return bound.length ? bound : ['null'];
    },
  };
}

function splice(text: string, matches: RegExpExecArray[], made: (match: RegExpExecArray) => string): string {
  let from = 0;
  let out = '';
  for (const match of matches) {
    out += text.slice(from, match.index) + made(match);
    from = match.index + match[0].length;
  }
  return out + text.slice(from);
}

/** A quoted text with places. One that is nothing but a place is the value itself, whose type is then free. */
function quoted(text: string, matches: RegExpExecArray[], places: (match: RegExpExecArray) => string[]): string {
  const single = (match: RegExpExecArray): string => {
    const [place = 'null', ...more] = places(match);
    if (more.length) throw new StatementError(`A list cannot stand inside quotes: ${match[0]}.`);
    return place;
  };
  const [first] = matches;
  if (first && first[0].length === text.length - 2) return single(first);
  // Leaves the quoted text, adds the value, and opens it again; a null would make the whole text null, so it counts as empty.
  return `(${splice(text, matches, (match) => `' || coalesce(${single(match)}::text, '') || '`)})`;
}

/**
 * `interval '…'` takes a literal only: with a value in it, it has to be a cast.
 * @param before the piece before it alone: all there is would be looked through for each place again
 */
function castBefore(before: string, expression: string): string {
  const type = /\b(interval|timestamptz|timestamp|date|time)\s*$/i.exec(before);
  return type ? `${before.slice(0, type.index)}cast(${expression} as ${type[1]})` : before + expression;
}
