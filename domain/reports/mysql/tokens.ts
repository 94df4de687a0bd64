import { StatementError } from '../statement-error.ts';

// The words of a statement in MySQL's dialect, as MySQL's own scanner takes them.

export interface Token {
  kind: 'word' | 'quoted' | 'string' | 'number' | 'sign' | 'place';
  /** Of a string its value, of a quoted name the name, of a place the name of the parameter, of the rest what stands there. */
  text: string;
  /** Where it begins in the statement, and ends. */
  at: number;
  end: number;
}

/** @throws StatementError that names what cannot be translated and where it stands */
export function refuse(statement: string, at: number, what: string): never {
  const before = statement.slice(0, at);
  const line = before.split('\n').length;
  throw new StatementError(`MySQL dialect: ${what} (line ${line}, column ${at - before.lastIndexOf('\n')}).`);
}

const SPACE = /[\s\0]+/y;
const LINE_COMMENT = /(?:#|--(?=\s|$))[^\n]*/y;
const PLACE = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}|\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}/y;
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*/y;
const SIGN = /<=>|<=|>=|<>|!=|\|\||&&|[(),.+\-*/%=<>!;]/y;

/** What this dialect has and is not translated, by the sign it begins with. */
const REFUSED_SIGNS: [RegExp, string][] = [
  [/@@/y, 'system variables (@@name) cannot be used'],
  [/@/y, 'user variables (@name) cannot be used'],
  [/:=/y, 'assignments (:=) cannot be used'],
  [/<<|>>|[&|^~]/y, 'operators on bits (& | ^ ~ << >>) are not translated'],
  [/->/y, 'operators on JSON (->) are not translated'],
  [/\\N/y, '\\N is not translated; write NULL'],
];

const MOST_TOKENS = 10_000;

/** @throws StatementError */
export function readTokens(statement: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(statement);
  };
  const push = (kind: Token['kind'], text: string, end: number) => {
    tokens.push({ kind, text, at, end });
    at = end;
  };
  while (at < statement.length) {
    if (tokens.length > MOST_TOKENS) throw new StatementError(`MySQL dialect: the statement has more than ${MOST_TOKENS} words and signs.`);
    const skipped = match(SPACE) ?? match(LINE_COMMENT);
    if (skipped) {
      at += skipped[0].length;
      continue;
    }
    const sign = statement[at]!;
    if (statement.startsWith('/*', at)) {
      if (/[!M+]/.test(statement[at + 2] ?? '') && statement[at + 2] !== '+')
        refuse(statement, at, 'comments that are run (/*! … */) cannot be used');
      const end = statement.indexOf('*/', at + 2);
      if (end < 0) refuse(statement, at, 'a comment is not closed');
      at = end + 2;
    } else if (sign === "'" || sign === '"') {
      const { value, end } = readString(statement, at);
      push('string', value, end);
    } else if (sign === '`') {
      const { value, end } = readName(statement, at);
      push('quoted', value, end);
    } else {
      const place = match(PLACE);
      const number = match(NUMBER);
      const word = match(WORD);
      const plain = match(SIGN);
      if (place) push('place', place[1] ?? place[2]!, at + place[0].length);
      else if (number && !(sign === '.' && tokens.at(-1)?.end === at)) {
        if (/[A-Za-z_$]/.test(statement[at + number[0].length] ?? ''))
          refuse(statement, at, 'numbers with letters (0x…, 0b…) are not translated');
        push('number', number[0], at + number[0].length);
      } else if (word) push('word', word[0], at + word[0].length);
      else {
        for (const [pattern, what] of REFUSED_SIGNS)
          if (!plain?.[0].match(/\|\||&&|<=|>=|<>/) && match(pattern)) refuse(statement, at, what);
        if (!plain) refuse(statement, at, `the sign ${sign} cannot be used here`);
        push('sign', plain[0], at + plain[0].length);
      }
    }
  }
  return tokens;
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', Z: '\x1a' };

function readString(statement: string, start: number): { value: string; end: number } {
  const quote = statement[start]!;
  let value = '';
  let at = start + 1;
  for (;;) {
    const from = at;
    while (at < statement.length && statement[at] !== quote && statement[at] !== '\\') at++;
    value += statement.slice(from, at);
    if (at >= statement.length) refuse(statement, start, 'a text is not closed');
    if (statement[at] === quote) {
      if (statement[at + 1] !== quote) return { value, end: at + 1 };
      value += quote;
      at += 2;
      continue;
    }
    const escaped = statement[at + 1];
    if (escaped === undefined) refuse(statement, start, 'a text is not closed');
    if (escaped === '0') refuse(statement, at, 'a text holds a NUL character');
    // For LIKE these two keep their backslash.
    value += escaped === '%' || escaped === '_' ? `\\${escaped}` : (ESCAPES[escaped] ?? escaped);
    at += 2;
  }
}

function readName(statement: string, start: number): { value: string; end: number } {
  let at = start + 1;
  let value = '';
  for (;;) {
    const end = statement.indexOf('`', at);
    if (end < 0) refuse(statement, start, 'a name is not closed');
    value += statement.slice(at, end);
    if (statement[end + 1] !== '`') return { value, end: end + 1 };
    value += '`';
    at = end + 2;
  }
}
