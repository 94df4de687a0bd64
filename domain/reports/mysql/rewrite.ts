// Long: one pass over the tokens, whose cases share what is open at each of them.

import { MissingParameters, type Parameters, valuesBinder } from '../placeholders.ts';
import { readTokens, refuse, type Token } from './tokens.ts';
import {
  BEFORE_PARENTHESIS,
  BEFORE_VALUE,
  BOUNDARY,
  COMPOUND_UNITS,
  GRAMMAR,
  HINTS,
  MOMENTS,
  REFUSED_WORDS,
  TYPES,
  UNITS,
} from './words.ts';

// From MySQL's words to a text PostgreSQL's grammar reads, with what it has no words for written as functions whose names hold a space; the pass over the
// tree (tree.ts) takes those away again.

export const MARK = {
  interval: 'mysql interval',
  cast: 'mysql cast',
  separator: 'mysql separator',
  truth: 'mysql truth',
  divide: 'mysql div',
} as const;
/** An operator no dialect has: BINARY. */
export const BINARY_SIGN = '@@@';

export interface Rewritten {
  text: string;
  values: string[];
  /** The parameter each value is of. */
  places: string[];
  /** Names of columns of the result, by their folded form: how they were written. */
  names: Map<string, string>;
  /** Where in the statement stands what begins at this byte of the text. */
  sourceAt(byte: number): number;
}

/** What is open: a pair of parentheses, or the statement itself. */
interface Frame {
  /** The function called, when it is one. */
  called: string;
  /** Where in `out` the operand under way begins. */
  operand: number;
  xor: boolean;
  intervals: Token[];
}

const INNER_PLACE = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}|\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}/g;
const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const literal = (text: string): string => (text.includes('\\') ? `E${quote(text.replaceAll('\\', '\\\\'))}` : quote(text));
const fold = (text: string): string => text.toLowerCase();
const named = (text: string): string => `"${fold(text).replaceAll('"', '""')}"`;

/** The names of the places of a statement, each once. @throws StatementError */
export function placesOf(statement: string): string[] {
  const found = readTokens(statement).flatMap(({ kind, text }) => {
    if (kind === 'place') return [text];
    return kind === 'string' ? [...text.matchAll(INNER_PLACE)].map((match) => match[1] ?? match[2]!) : [];
  });
  return [...new Set(found)];
}

/** @throws StatementError, MissingParameters */
export function rewriteTokens(statement: string, parameters: Parameters): Rewritten {
  const missing = placesOf(statement).filter((name) => !Object.hasOwn(parameters, name));
  if (missing.length) throw new MissingParameters(missing);
  return new Rewriter(statement, parameters).run();
}

class Rewriter {
  #statement: string;
  #tokens: Token[];
  #bound: ReturnType<typeof valuesBinder>;
  #at = 0;
  #out: string[] = [];
  #sources: number[] = [];
  #frames: Frame[] = [{ called: '', operand: 0, xor: false, intervals: [] }];
  #names = new Map<string, string>();

  constructor(statement: string, parameters: Parameters) {
    this.#statement = statement;
    this.#tokens = readTokens(statement);
    this.#bound = valuesBinder(parameters);
  }

  run(): Rewritten {
    while (this.#at < this.#tokens.length) this.#take(this.#tokens[this.#at++]!);
    if (this.#frames.length > 1) refuse(this.#statement, this.#statement.length, 'a parenthesis is not closed');
    this.#endOperand();
    this.#closed(this.#frame);
    return {
      text: this.#out.join(' '),
      values: this.#bound.values,
      places: this.#bound.valueNames,
      names: this.#names,
      sourceAt: (byte) => this.#sourceAt(byte),
    };
  }

  #sourceAt(byte: number): number {
    let passed = 0;
    for (const [index, piece] of this.#out.entries()) {
      passed += Buffer.byteLength(piece) + 1;
      if (byte < passed) return this.#sources[index]!;
    }
    return this.#statement.length;
  }

  get #frame(): Frame {
    return this.#frames.at(-1)!;
  }

  #emit(text: string): void {
    this.#out.push(text);
    this.#sources.push(this.#tokens[this.#at - 1]?.at ?? this.#statement.length);
  }

  #no(token: Token, what: string): never {
    refuse(this.#statement, token.at, what);
  }

  #peek(ahead = 0): Token | undefined {
    return this.#tokens[this.#at + ahead];
  }

  #isWord(token: Token | undefined, ...words: string[]): boolean {
    return token?.kind === 'word' && words.includes(fold(token.text));
  }

  #isSign(token: Token | undefined, sign: string): boolean {
    return token?.kind === 'sign' && token.text === sign;
  }

  #take(token: Token): void {
    const before = this.#tokens[this.#at - 2];
    if (token.kind === 'number') this.#emit(token.text);
    else if (token.kind === 'place') this.#emit(this.#bound.places(token.text).join(', '));
    else if (token.kind === 'string') this.#string(token, before);
    else if (token.kind === 'quoted') this.#name(token, before);
    else if (token.kind === 'word') this.#word(token, before);
    else this.#sign(token, before);
  }

  /** A text is a value, or after an expression the name of a column of the result. */
  #string(token: Token, before: Token | undefined): void {
    if (this.#namesColumn(before)) {
      this.#remember(token.text);
      this.#emit(`${this.#isWord(before, 'as') ? '' : 'AS '}${named(token.text)}`);
      return;
    }
    let text = token.text;
    while (this.#peek()?.kind === 'string') text += this.#tokens[this.#at++]!.text;
    this.#emit(this.#value(token, text));
  }

  #namesColumn(before: Token | undefined): boolean {
    if (this.#isWord(before, 'as')) return true;
    if (!before || before.kind === 'string') return false;
    if (before.kind === 'sign') return before.text === ')';
    return before.kind !== 'word' || !(BEFORE_VALUE.has(fold(before.text)) || before.text.startsWith('_') || UNITS.has(fold(before.text)));
  }

  #value(token: Token, text: string): string {
    const places = [...text.matchAll(INNER_PLACE)];
    if (places.length === 0) return literal(text);
    const place = (match: RegExpExecArray): string => {
      const [one = 'null', ...more] = this.#bound.places(match[1] ?? match[2]!);
      if (more.length) this.#no(token, `a list cannot stand inside quotes: ${match[0]}`);
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

  #remember(name: string): void {
    if (!this.#names.has(fold(name))) this.#names.set(fold(name), name);
  }

  #name(token: Token, before: Token | undefined): void {
    if (token.text === '') this.#no(token, 'a name is empty');
    if (!this.#isSign(before, '.')) this.#remember(token.text);
    this.#emit(named(token.text));
  }

  #sign(token: Token, _before: Token | undefined): void {
    const { text } = token;
    if (text === '(') {
      this.#open('', '(');
      return;
    }
    if (text === ')') {
      if (this.#frames.length === 1) this.#no(token, 'a parenthesis is closed that was not opened');
      this.#endOperand();
      this.#closed(this.#frames.pop()!);
      this.#emit(')');
      return;
    }
    if (text === ',') {
      this.#endOperand();
      this.#emit(',');
      this.#beginOperand();
    } else if (text === '||') {
      this.#endOperand();
      this.#emit('or');
      this.#beginOperand();
    } else this.#emit({ '&&': 'and', '!=': '<>' }[text] ?? text);
  }

  #open(called: string, text: string): void {
    this.#emit(text);
    this.#frames.push({ called, operand: this.#out.length, xor: false, intervals: [] });
  }

  #closed({ intervals: [open] }: Frame): void {
    if (open) this.#no(open, 'INTERVAL needs an amount and a unit');
  }

  #beginOperand(): void {
    this.#frame.operand = this.#out.length;
  }

  #endOperand(): void {
    if (this.#frame.xor) this.#emit('))');
    this.#frame.xor = false;
  }

  /** Binds less than AND, more than OR: no operator of PostgreSQL's stands between the two. */
  #xor(token: Token): void {
    this.#endOperand();
    const { operand } = this.#frame;
    if (operand >= this.#out.length) this.#no(token, 'XOR needs something on its left');
    this.#out[operand] = `("${MARK.truth}"(${this.#out[operand]}`;
    this.#emit(`) <> "${MARK.truth}"(`);
    this.#frame.xor = true;
  }

  #word(token: Token, before: Token | undefined): void {
    const word = fold(token.text);
    const next = this.#peek();
    if (this.#isSign(before, '.') || this.#isSign(next, '.')) {
      this.#emit(named(token.text));
      return;
    }
    if (this.#isWord(before, 'as') && this.#frame.called !== 'cast') {
      this.#remember(token.text);
      this.#emit(named(token.text));
      return;
    }
    if (this.#isSign(next, '(') && !BEFORE_PARENTHESIS.has(word) && this.#calls(token, word)) return;
    if (next?.kind === 'string' && this.#beforeString(token, word, next)) return;
    if (this.#special(token, word, before)) return;
    const boundary = BOUNDARY.has(word);
    if (boundary) this.#endOperand();
    if (GRAMMAR.has(word)) this.#emit(word);
    else {
      this.#remember(token.text);
      this.#emit(named(token.text));
    }
    if (boundary) this.#beginOperand();
  }

  /** `name(`: a function, unless the word means something else there. */
  #calls(token: Token, word: string): boolean {
    if (
      [
        'interval',
        'div',
        'mod',
        'xor',
        'rlike',
        'regexp',
        'binary',
        'separator',
        'union',
        'straight_join',
        'use',
        'force',
        'ignore',
      ].includes(word)
    ) {
      if (word !== 'mod' || this.#endsExpression(this.#tokens[this.#at - 2])) return false;
    }
    if (REFUSED_WORDS.has(word)) this.#no(token, REFUSED_WORDS.get(word)!);
    if (MOMENTS.has(word) || (this.#frame.called === 'convert' && TYPES.has(word))) return false;
    // A name with a list of columns: `with x (a, b) as`, `window`, or a table's alias.
    this.#open(word, `${named(token.text)} (`);
    this.#at++;
    return true;
  }

  #endsExpression(token: Token | undefined): boolean {
    if (!token) return false;
    if (token.kind === 'sign') return token.text === ')';
    return token.kind !== 'word' || !(GRAMMAR.has(fold(token.text)) || BEFORE_VALUE.has(fold(token.text)));
  }

  #beforeString(token: Token, word: string, next: Token): boolean {
    if (['date', 'time', 'timestamp'].includes(word) && !this.#endsExpression(this.#tokens[this.#at - 2])) {
      this.#at++;
      this.#emit(`"${word}"(${this.#value(next, next.text)})`);
      return true;
    }
    if (next.at !== token.end && !word.startsWith('_')) return false;
    if (/^_(utf8|utf8mb3|utf8mb4|latin1|ascii)$/.test(word) || word === 'n') return true;
    if (/^(x|b|_\w+)$/.test(word)) this.#no(token, "texts with a prefix (x'…', b'…', _charset'…') are not translated");
    return false;
  }

  /** What is written another way. */
  #special(token: Token, word: string, before: Token | undefined): boolean {
    const next = this.#peek();
    const frame = this.#frame;
    if (word === 'cast' && this.#isSign(next, '(')) {
      this.#open('cast', `"${MARK.cast}" (`);
      this.#at++;
    } else if (word === 'as' && frame.called === 'cast') this.#castType();
    else if (word === 'using' && frame.called === 'convert') this.#at++;
    else if (frame.called === 'convert' && this.#isSign(before, ',') && TYPES.has(word)) {
      this.#at--;
      this.#emit(this.#typeWords());
    } else if (word === 'interval') {
      frame.intervals.push(token);
      this.#emit(`"${MARK.interval}" (`);
    } else if (frame.intervals.length && COMPOUND_UNITS.has(word))
      this.#no(token, `INTERVAL … ${token.text.toUpperCase()} is not translated`);
    else if (frame.intervals.length && UNITS.has(word)) {
      frame.intervals.pop();
      this.#emit(`, '${word}')`);
    } else if (word === 'separator') this.#emit(`, "${MARK.separator}" (${this.#separator(token)})`);
    else if (word === 'limit' && this.#isSign(this.#peek(1), ',')) this.#limit();
    else if (word === 'div') this.#emit(`% "${MARK.divide}" %`);
    else if (word === 'mod') this.#emit('%');
    else if (word === 'xor') this.#xor(token);
    else if (word === 'not' && this.#isWord(next, 'rlike', 'regexp')) {
      this.#at++;
      this.#emit('!~*');
    } else if (word === 'rlike' || word === 'regexp') this.#emit('~*');
    else if (word === 'binary') this.#emit(BINARY_SIGN);
    else if (word === 'collate') this.#collate(token);
    else if (word === 'straight_join') {
      if (!this.#isWord(before, 'select')) this.#emit('join');
    } else if (word === 'distinctrow') this.#emit('distinct');
    else if (MOMENTS.has(word)) this.#moment(word);
    else if (HINTS.has(word) && this.#isWord(before, 'select', 'distinct', 'all', ...HINTS)) return true;
    else if (['use', 'force', 'ignore'].includes(word) && this.#isWord(next, 'index', 'key')) this.#skipIndex(token);
    else if (REFUSED_WORDS.has(word) && word !== 'values' && word !== 'match') this.#no(token, REFUSED_WORDS.get(word)!);
    else return false;
    return true;
  }

  /** `cast(a as decimal(10, 2))`: what stands after AS, as a text. */
  #castType(): void {
    this.#emit(`, ${this.#typeWords()}`);
  }

  #typeWords(): string {
    const parts: string[] = [];
    let depth = 0;
    for (let token = this.#peek(); token && (depth > 0 || !this.#isSign(token, ')')); token = this.#peek()) {
      if (this.#isSign(token, '(')) depth++;
      else if (this.#isSign(token, ')')) depth--;
      else if (token.kind === 'word' || token.kind === 'number') parts.push(fold(token.text));
      this.#at++;
    }
    return quote(parts.filter((part) => part !== 'integer' || parts.length === 1).join(' '));
  }

  #separator(token: Token): string {
    const next = this.#peek();
    if (next?.kind !== 'string') this.#no(token, 'SEPARATOR needs a text');
    this.#at++;
    return this.#value(next, next.text);
  }

  /** `limit 5, 10`: the first is left out, the second given. */
  #limit(): void {
    const [skipped, , taken] = this.#tokens.slice(this.#at, this.#at + 3);
    this.#at += 3;
    const amount = (token: Token | undefined) =>
      token?.kind === 'place' ? this.#bound.places(token.text)[0] : token?.kind === 'number' ? token.text : 'null';
    this.#endOperand();
    const [offset, limit] = [amount(skipped), amount(taken)];
    this.#emit(`limit ${limit} offset ${offset}`);
  }

  #collate(token: Token): void {
    const next = this.#peek();
    const name = fold(next?.text ?? '');
    this.#at++;
    if (/_ci$/.test(name)) this.#emit('collate "mysql"."ci"');
    else if (/_bin$/.test(name) || name === 'binary') this.#emit('collate "C"');
    else this.#no(token, `COLLATE ${next?.text ?? ''} is not translated`);
  }

  #moment(word: string): void {
    if (this.#isSign(this.#peek(), '(')) {
      this.#at++;
      if (this.#peek()?.kind === 'number') this.#at++;
      if (this.#isSign(this.#peek(), ')')) this.#at++;
    }
    this.#emit(`"${MOMENTS.get(word)}"()`);
  }

  #skipIndex(token: Token): void {
    while (this.#peek() && !this.#isSign(this.#peek(), ')')) this.#at++;
    if (!this.#peek()) this.#no(token, 'the list of indexes is not closed');
    this.#at++;
  }
}
