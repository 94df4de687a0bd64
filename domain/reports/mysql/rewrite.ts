import { MissingParameters, type Parameters, valuesBinder } from '../placeholders.ts';
import { innerJoins } from './joins.ts';
import { type NumberTypes, noteNumber } from './numbers.ts';
import { emitCollation, emitMoment, skipIndex, takeType } from './special-words.ts';
import { boundText, placesIn } from './texts.ts';
import { endsExpression, isBeforeName, isSign, isWord, TokenPass } from './token-pass.ts';
import { readTokens, type Token } from './tokens.ts';
import {
  BEFORE_PARENTHESIS,
  BINARY_SIGN,
  BOUNDARY,
  COMPOUND_UNITS,
  fold,
  GRAMMAR,
  HINTS,
  MARK,
  MOMENTS,
  NO_FUNCTIONS,
  REFUSED_WORDS,
  TYPES,
  UNITS,
} from './words.ts';

// From MySQL's words to a text PostgreSQL's grammar reads, with what it has no words for written as functions whose names hold a space; the pass over the
// tree (tree.ts) takes those away again.

export interface Rewritten {
  text: string;
  values: string[];
  /** The parameter each value is of. */
  places: string[];
  /** Which of the values are numbers. */
  numbers: NumberTypes;
  /** Names of columns of the result, by their folded form: how they were written. */
  names: Map<string, string>;
  /** Where in the statement stands what begins at this byte of the text. */
  sourceAt(byte: number): number;
}

const named = (text: string): string => `"${fold(text).replaceAll('"', '""')}"`;

/** The names of the places of a statement, each once. @throws StatementError */
export function placesOf(statement: string): string[] {
  const found = readTokens(statement).flatMap(({ kind, text }) => (kind === 'place' ? [text] : kind === 'string' ? placesIn(text) : []));
  return [...new Set(found)];
}

/** @throws StatementError, MissingParameters */
export function rewriteTokens(statement: string, parameters: Parameters): Rewritten {
  const missing = placesOf(statement).filter((name) => !Object.hasOwn(parameters, name));
  if (missing.length) throw new MissingParameters(missing);
  return new Rewriter(statement, parameters).run();
}

class Rewriter {
  readonly #pass: TokenPass;
  readonly #bound: ReturnType<typeof valuesBinder>;
  readonly #names = new Map<string, string>();
  readonly #numbers: NumberTypes = new Map();
  readonly #parameters: Parameters;
  readonly #joins: ReturnType<typeof innerJoins>;

  constructor(statement: string, parameters: Parameters) {
    this.#parameters = parameters;
    const tokens = readTokens(statement);
    this.#pass = new TokenPass(statement, tokens);
    this.#joins = innerJoins(tokens);
    this.#bound = valuesBinder(parameters);
  }

  run(): Rewritten {
    for (let token = this.#pass.take(); token; token = this.#pass.take()) this.#take(token);
    return {
      text: this.#pass.end(),
      values: this.#bound.values,
      places: this.#bound.valueNames,
      numbers: this.#numbers,
      names: this.#names,
      sourceAt: (byte) => this.#pass.sourceAt(byte),
    };
  }

  #take(token: Token): void {
    const { before } = this.#pass;
    if (token.kind === 'number') this.#pass.emit(token.text);
    else if (token.kind === 'place') this.#place(token.text);
    else if (token.kind === 'string') this.#string(token, before);
    else if (token.kind === 'quoted') this.#name(token, before);
    else if (token.kind === 'word') this.#word(token, before);
    else this.#sign(token);
  }

  #place(name: string): void {
    this.#pass.emit(this.#bound.places(name).join(', '));
    noteNumber(this.#numbers, this.#bound.values.length, name, this.#parameters);
  }

  /** A text is a value, or after an expression the name of a column of the result. */
  #string(token: Token, before: Token | undefined): void {
    if (isBeforeName(before)) {
      this.#remember(token.text);
      this.#pass.emit(`${isWord(before, 'as') ? '' : 'AS '}${named(token.text)}`);
      return;
    }
    let text = token.text;
    while (this.#pass.peek()?.kind === 'string') text += this.#pass.take()!.text;
    this.#pass.emit(this.#value(token, text));
  }

  #value = (token: Token, text: string): string => boundText(text, this.#bound, (what) => this.#pass.no(token, what));

  #remember(name: string): void {
    if (!this.#names.has(fold(name))) this.#names.set(fold(name), name);
  }

  #name(token: Token, before: Token | undefined): void {
    if (token.text === '') this.#pass.no(token, 'a name is empty');
    if (!isSign(before, '.')) this.#remember(token.text);
    this.#pass.emit(named(token.text));
  }

  #sign(token: Token): void {
    const { text } = token;
    if (text === '(') this.#pass.open('', '(');
    else if (text === ')') this.#pass.close(token);
    else if (text === ',') this.#pass.between(',');
    else if (text === '||') this.#pass.between('or');
    else this.#pass.emit({ '&&': 'and', '!=': '<>' }[text] ?? text);
  }

  #word(token: Token, before: Token | undefined): void {
    const word = fold(token.text);
    const next = this.#pass.peek();
    if (isSign(before, '.') || isSign(next, '.')) {
      this.#pass.emit(named(token.text));
      return;
    }
    if (isWord(before, 'as') && this.#pass.frame.called !== 'cast') {
      this.#remember(token.text);
      this.#pass.emit(named(token.text));
      return;
    }
    if (isSign(next, '(') && !BEFORE_PARENTHESIS.has(word) && this.#calls(token, word)) return;
    if (next?.kind === 'string' && this.#beforeString(token, word, next)) return;
    if (this.#special(token, word, before)) return;
    const boundary = BOUNDARY.has(word);
    if (boundary) this.#pass.endOperand();
    if (GRAMMAR.has(word)) this.#pass.emit(word);
    else {
      this.#remember(token.text);
      this.#pass.emit(named(token.text));
    }
    if (boundary) this.#pass.beginOperand();
  }

  /** `name(`: a function, unless the word means something else there. */
  #calls(token: Token, word: string): boolean {
    if (NO_FUNCTIONS.has(word) && (word !== 'mod' || endsExpression(this.#pass.before))) return false;
    if (REFUSED_WORDS.has(word)) this.#pass.no(token, REFUSED_WORDS.get(word)!);
    if (MOMENTS.has(word) || (this.#pass.frame.called === 'convert' && TYPES.has(word))) return false;
    // A name with a list of columns: `with x (a, b) as`, `window`, or a table's alias.
    this.#pass.open(word, `${named(token.text)} (`);
    this.#pass.skip();
    return true;
  }

  #beforeString(token: Token, word: string, next: Token): boolean {
    if (['date', 'time', 'timestamp'].includes(word) && !endsExpression(this.#pass.before)) {
      this.#pass.skip();
      this.#pass.emit(`"${word}"(${this.#value(next, next.text)})`);
      return true;
    }
    if (next.at !== token.end && !word.startsWith('_')) return false;
    if (/^_(utf8|utf8mb3|utf8mb4|latin1|ascii)$/.test(word) || word === 'n') return true;
    if (/^(x|b|_\w+)$/.test(word)) this.#pass.no(token, "texts with a prefix (x'…', b'…', _charset'…') are not translated");
    return false;
  }

  /** What is written another way. */
  #special(token: Token, word: string, before: Token | undefined): boolean {
    const next = this.#pass.peek();
    const frame = this.#pass.frame;
    if (word === 'cast' && isSign(next, '(')) {
      this.#pass.open('cast', `"${MARK.cast}" (`);
      this.#pass.skip();
    } else if (word === 'as' && frame.called === 'cast') this.#pass.emit(`, ${takeType(this.#pass)}`);
    else if (word === 'using' && frame.called === 'convert') this.#pass.skip();
    else if (frame.called === 'convert' && isSign(before, ',') && TYPES.has(word)) {
      this.#pass.skip(-1);
      this.#pass.emit(takeType(this.#pass));
    } else if (word === 'interval') {
      frame.intervals.push(token);
      this.#pass.emit(`"${MARK.interval}" (`);
    } else if (frame.intervals.length && COMPOUND_UNITS.has(word))
      this.#pass.no(token, `INTERVAL … ${token.text.toUpperCase()} is not translated`);
    else if (frame.intervals.length && UNITS.has(word)) {
      frame.intervals.pop();
      this.#pass.emit(`, '${word}')`);
    } else if (word === 'separator') this.#pass.emit(`, "${MARK.separator}" (${this.#separator(token)})`);
    else if (word === 'limit' && isSign(this.#pass.peek(1), ',')) this.#limit();
    else if (word === 'div') this.#pass.emit(`% "${MARK.divide}" %`);
    else if (word === 'mod') this.#pass.emit('%');
    else if (word === 'xor') this.#pass.xor(token);
    else if (word === 'not' && isWord(next, 'rlike', 'regexp')) {
      this.#pass.skip();
      this.#pass.emit('!~*');
    } else if (word === 'rlike' || word === 'regexp') this.#pass.emit('~*');
    else if (word === 'binary') this.#pass.emit(BINARY_SIGN);
    else if (word === 'collate') emitCollation(this.#pass, token);
    else if (this.#joins.has(token)) this.#pass.emit(this.#joins.get(token)!);
    else if (word === 'straight_join' && isWord(before, 'select')) return true;
    else if (word === 'distinctrow') this.#pass.emit('distinct');
    else if (MOMENTS.has(word)) emitMoment(this.#pass, word);
    else if (HINTS.has(word) && isWord(before, 'select', 'distinct', 'all', ...HINTS)) return true;
    else if (['use', 'force', 'ignore'].includes(word) && isWord(next, 'index', 'key')) skipIndex(this.#pass, token);
    else if (REFUSED_WORDS.has(word) && word !== 'values' && word !== 'match') this.#pass.no(token, REFUSED_WORDS.get(word)!);
    else return false;
    return true;
  }

  #separator(token: Token): string {
    const next = this.#pass.peek();
    if (next?.kind !== 'string') this.#pass.no(token, 'SEPARATOR needs a text');
    this.#pass.skip();
    return this.#value(next, next.text);
  }

  /** `limit 5, 10`: the first is left out, the second given. */
  #limit(): void {
    const [skipped, , taken] = [0, 1, 2].map(() => this.#pass.take());
    const amount = (token: Token | undefined) =>
      token?.kind === 'place' ? this.#bound.places(token.text)[0] : token?.kind === 'number' ? token.text : 'null';
    this.#pass.endOperand();
    const [offset, limit] = [amount(skipped), amount(taken)];
    this.#pass.emit(`limit ${limit} offset ${offset}`);
  }
}
