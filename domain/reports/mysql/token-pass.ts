import { refuse, type Token } from './tokens.ts';
import { BEFORE_VALUE, fold, GRAMMAR, MARK, UNITS } from './words.ts';

/** What is open: a pair of parentheses, or the statement itself. */
interface Frame {
  /** The function called, when it is one. */
  called: string;
  /** Where in `out` the operand under way begins. */
  operand: number;
  xor: boolean;
  intervals: Token[];
}

export const isWord = (token: Token | undefined, ...words: string[]): boolean => token?.kind === 'word' && words.includes(fold(token.text));

export const isSign = (token: Token | undefined, sign: string): boolean => token?.kind === 'sign' && token.text === sign;

/** Whether what stands after the token is no value any more. */
export function endsExpression(token: Token | undefined): boolean {
  if (!token) return false;
  if (token.kind === 'sign') return token.text === ')';
  return token.kind !== 'word' || !(GRAMMAR.has(fold(token.text)) || BEFORE_VALUE.has(fold(token.text)));
}

/** Whether a text that stands after the token is the name of a column of the result. */
export function isBeforeName(token: Token | undefined): boolean {
  if (isWord(token, 'as')) return true;
  if (!token || token.kind === 'string') return false;
  if (token.kind === 'sign') return token.text === ')';
  return token.kind !== 'word' || !(BEFORE_VALUE.has(fold(token.text)) || token.text.startsWith('_') || UNITS.has(fold(token.text)));
}

/** One pass over the tokens of a statement: where it is, what is open there, and what it has written so far. */
export class TokenPass {
  readonly #statement: string;
  readonly #tokens: readonly Token[];
  #at = 0;
  readonly #out: string[] = [];
  /** Where in the statement each piece of `out` comes from. */
  readonly #sources: number[] = [];
  readonly #frames: Frame[] = [{ called: '', operand: 0, xor: false, intervals: [] }];

  constructor(statement: string, tokens: readonly Token[]) {
    this.#statement = statement;
    this.#tokens = tokens;
  }

  /** The token before the one taken last. */
  get before(): Token | undefined {
    return this.#tokens[this.#at - 2];
  }

  get frame(): Frame {
    return this.#frames.at(-1)!;
  }

  peek(ahead = 0): Token | undefined {
    return this.#tokens[this.#at + ahead];
  }

  take(): Token | undefined {
    const token = this.#tokens[this.#at];
    if (token) this.#at++;
    return token;
  }

  skip(tokens = 1): void {
    this.#at += tokens;
  }

  emit(text: string): void {
    this.#out.push(text);
    this.#sources.push(this.#tokens[this.#at - 1]?.at ?? this.#statement.length);
  }

  /** @throws StatementError that says where */
  no(token: Token, what: string): never {
    refuse(this.#statement, token.at, what);
  }

  open(called: string, text: string): void {
    this.emit(text);
    this.#frames.push({ called, operand: this.#out.length, xor: false, intervals: [] });
  }

  close(token: Token): void {
    if (this.#frames.length === 1) this.no(token, 'a parenthesis is closed that was not opened');
    this.endOperand();
    this.#checkIntervals(this.#frames.pop()!);
    this.emit(')');
  }

  /** @returns all that was written */
  end(): string {
    if (this.#frames.length > 1) refuse(this.#statement, this.#statement.length, 'a parenthesis is not closed');
    this.endOperand();
    this.#checkIntervals(this.frame);
    return this.#out.join(' ');
  }

  #checkIntervals({ intervals: [open] }: Frame): void {
    if (open) this.no(open, 'INTERVAL needs an amount and a unit');
  }

  beginOperand(): void {
    this.frame.operand = this.#out.length;
  }

  endOperand(): void {
    if (this.frame.xor) this.emit('))');
    this.frame.xor = false;
  }

  /** Writes what stands between two operands. */
  between(text: string): void {
    this.endOperand();
    this.emit(text);
    this.beginOperand();
  }

  /** Binds less than AND, more than OR: no operator of PostgreSQL's stands between the two. */
  xor(token: Token): void {
    this.endOperand();
    const { operand } = this.frame;
    if (operand >= this.#out.length) this.no(token, 'XOR needs something on its left');
    this.#out[operand] = `("${MARK.truth}"(${this.#out[operand]}`;
    this.emit(`) <> "${MARK.truth}"(`);
    this.frame.xor = true;
  }

  /** Where in the statement stands what begins at this byte of what was written. */
  sourceAt(byte: number): number {
    let passed = 0;
    for (const [index, piece] of this.#out.entries()) {
      passed += Buffer.byteLength(piece) + 1;
      if (byte < passed) return this.#sources[index]!;
    }
    return this.#statement.length;
  }
}
