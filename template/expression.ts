import { Tokenizer, TokenKind } from 'liquidjs';
import { BOUND, type Budget, checkTag } from './budget.ts';
import { Problem } from './errors.ts';
import { FILTERS } from './filters.ts';
import { type Evaluate, type Expression, spendSteps } from './frame.ts';
import type { Scope } from './scope.ts';
import { COMPARE, costOf, costOfSearch, isTrue, Markup, plain, textOf } from './values.ts';

// Expressions: liquidjs reads the words (names, quoted text, numbers), the meaning is Django's. All of it is settled here once; what is left is
// closures that look nothing up.

type ValueToken = NonNullable<ReturnType<Tokenizer['readValue']>>;
type PathToken = ValueToken & { props: ValueToken[]; variable?: unknown };

const CONSTANT: Record<string, unknown> = { True: true, False: false, None: null };

/** Reads the expressions of one tag, one after another. */
export class ExpressionReader {
  readonly #words: Tokenizer;
  readonly #scope: Scope;
  readonly #budget: Budget;
  #parts = 0;

  /** @throws Problem when there is more in it than can be read */
  constructor(source: string, range: readonly [number, number], scope: Scope, budget: Budget) {
    checkTag(source, range);
    this.#budget = budget;
    this.#words = new Tokenizer(source, {}, undefined, [...range]);
    this.#scope = scope;
  }

  get rest(): string {
    return this.#words.remaining().trim();
  }

  /** Takes a bare word or an operator sign if it comes next. */
  take(word: string): boolean {
    this.#words.skipBlank();
    if (!this.#words.match(word) || (/\w$/.test(word) && /^[\w.|]/.test(this.#words.peek(word.length)))) return false;
    this.#words.advance(word.length);
    this.#count();
    return true;
  }

  /** A plain name: a loop variable, a `with` name. */
  name(): string {
    this.#count();
    const name = this.#words.readIdentifier().getText();
    if (!/^[A-Za-z_]\w*$/.test(name)) throw new Problem(`a name was expected at “${this.rest.slice(0, 30)}”`);
    return name;
  }

  /** A constant text: the name of a snippet. */
  text(): string {
    const token = this.#words.readValue();
    if (!token || token.kind !== TokenKind.Quoted) throw new Problem('a name in quotes was expected');
    return quotedText(token.getText());
  }

  /** A text, a number, True, False or None as the template writes it. */
  constant(): string | number | boolean | null {
    const token = this.#words.readValue();
    const constant = token && constantOf(token);
    if (!constant) throw new Problem(`a text in quotes or a number was expected at “${(token?.getText() ?? this.rest).slice(0, 30)}”`);
    return constant.value as string | number | boolean | null;
  }

  end(): void {
    if (this.rest !== '') throw new Problem(`“${this.rest.slice(0, 30)}” is too much here`);
  }

  /** A value with its filters: `user.first_name|capfirst|default:"friend"`. */
  value(): Expression {
    this.#words.skipBlank();
    const begin = this.#words.p;
    let expression = this.#operand();
    for (;;) {
      const source = this.#words.input.slice(begin, this.#words.p);
      this.#words.skipBlank();
      if (this.#words.peek() !== '|') return expression;
      this.#words.advance();
      expression = this.#filtered(expression, source);
    }
  }

  /** A condition with `or`, `and`, `not` and comparisons, binding in this order, loosest first. */
  condition(): Evaluate {
    const choices = [this.#conjunction()];
    while (this.take('or')) choices.push(this.#conjunction());
    if (choices.length === 1) return choices[0]!;
    return (frame) => {
      spendSteps(frame, choices.length);
      return choices.some((choice) => isTrue(choice(frame)));
    };
  }

  #conjunction(): Evaluate {
    const all = [this.#negation()];
    while (this.take('and')) all.push(this.#negation());
    if (all.length === 1) return all[0]!;
    return (frame) => {
      spendSteps(frame, all.length);
      return all.every((each) => isTrue(each(frame)));
    };
  }

  #negation(): Evaluate {
    let negations = 0;
    while (this.take('not')) negations++;
    const inner = this.#comparison();
    return negations === 0 ? inner : (frame) => isTrue(inner(frame)) === (negations % 2 === 0);
  }

  #comparison(): Evaluate {
    let left = this.value().evaluate;
    for (let compare = this.#comparator(); compare; compare = this.#comparator()) {
      const [first, second, test] = [left, this.value().evaluate, compare];
      const searches = test === COMPARE['in'] || test === COMPARE['not in'];
      left = (frame) => {
        const [a, b] = [plain(first(frame)), plain(second(frame))];
        spendSteps(frame, 1 + costOf(a) + costOf(b) + (searches ? costOfSearch(b, a) : 0));
        return test(a, b);
      };
    }
    return left;
  }

  #comparator() {
    for (const sign of ['==', '!=', '<=', '>=', '<', '>', 'in'] as const) if (this.take(sign)) return COMPARE[sign];
    if (this.take('is')) return COMPARE[this.take('not') ? 'is not' : 'is'];
    if (!this.take('not')) return null;
    if (!this.take('in')) throw new Problem('“in” was expected after “not”');
    return COMPARE['not in'];
  }

  /** Expressions become closures in closures, as deep as there are parts in a tag. */
  #count(): void {
    this.#budget.take();
    if (++this.#parts > BOUND.ofTag) throw new Problem(`a tag has more than ${BOUND.ofTag} names, values, filters and operators`);
  }

  #operand(): Expression {
    this.#count();
    const token = this.#words.readValue();
    if (!token) throw new Problem(this.rest ? `a value was expected at “${this.rest.slice(0, 30)}”` : 'a value is missing');
    const constant = constantOf(token);
    if (constant !== undefined) return { evaluate: () => constant.value, safe: true };
    if (token.kind !== TokenKind.PropertyAccess) throw new Problem(`“${token.getText().slice(0, 30)}” cannot be used here`);
    return this.#scope.read(pathOf(token as PathToken));
  }

  #filtered({ evaluate, safe }: Expression, source: string): Expression {
    this.#count();
    const name = this.#words.readIdentifier().getText();
    const filter = FILTERS.get(name);
    if (!filter) throw new Problem(name ? `there is no filter “${name}”` : 'the name of a filter was expected after “|”');
    this.#words.skipBlank();
    const given = this.#words.peek() === ':';
    if (given) this.#words.advance();
    if (given && filter.argument === 'none') throw new Problem(`the filter “${name}” takes no argument`);
    if (!given && filter.argument === 'required') throw new Problem(`the filter “${name}” needs an argument, as in ${name}:"…"`);
    const argument = given ? this.#operand() : null;
    const around = { html: this.#scope.html, safe, argumentSafe: argument?.safe ?? false, source };
    const { apply, gives, costs } = filter;
    const result: Evaluate = (frame) => {
      const [value, by] = [evaluate(frame), argument?.evaluate(frame)];
      spendSteps(frame, 1 + costOf(value) + costOf(by) + (costs?.(value, by) ?? 0));
      // A default that was chosen is markup, or is not, each time anew.
      const [isMarkup, byMarkup] = [value instanceof Markup, by instanceof Markup];
      const here = isMarkup || byMarkup ? { ...around, safe: safe || isMarkup, argumentSafe: around.argumentSafe || byMarkup } : around;
      const outcome = apply(plain(value), plain(by), here);
      return gives === 'same' && isMarkup ? new Markup(textOf(outcome)) : outcome;
    };
    return { evaluate: result, safe: gives === 'markup' || (gives === 'same' && safe) };
  }
}

/** The text in quotes that a tag begins with, which names what it shows; null where there is none. */
export function quotedName(source: string, [begin, end]: readonly [number, number]): string | null {
  if (end - begin > BOUND.tag) return null;
  const token = new Tokenizer(source, {}, undefined, [begin, end]).readValue();
  const text = token?.kind === TokenKind.Quoted ? token.getText() : '';
  return isClosed(text) ? unquoted(text) : null;
}

function constantOf(token: ValueToken): { value: unknown } | undefined {
  const text = token.getText();
  if (token.kind === TokenKind.Quoted) return { value: quotedText(text) };
  if (token.kind === TokenKind.Number) return { value: Number(text) };
  if (token.kind === TokenKind.Literal && /^(true|false|nil|null)$/.test(text))
    return { value: text === 'true' ? true : text === 'false' ? false : null };
  return Object.hasOwn(CONSTANT, text) ? { value: CONSTANT[text] } : undefined;
}

function quotedText(quoted: string): string {
  if (!isClosed(quoted)) throw new Problem(`the quote ${quoted.slice(0, 30)} is not closed`);
  return unquoted(quoted);
}

const isClosed = (quoted: string) => quoted.length >= 2 && quoted.at(-1) === quoted[0];
const unquoted = (quoted: string) => quoted.slice(1, -1).replace(/\\(["'\\])/g, '$1');

/** The names of a path: `user.fields.color`, also `user.fields["favourite color"]` and `list.0`. */
function pathOf(token: PathToken): string[] {
  const names = token.props.map((prop) => {
    const text = prop.getText();
    if (prop.kind === TokenKind.Quoted) return quotedText(text);
    if (prop.kind === TokenKind.Word || prop.kind === TokenKind.Number) return text;
    throw new Problem(`“${token.getText().slice(0, 30)}” cannot be used here`);
  });
  if (token.variable !== undefined || names.some((name) => name === ''))
    throw new Problem(`“${token.getText().slice(0, 30)}” cannot be used here`);
  if (names.length > BOUND.path) throw new Problem(`“${token.getText().slice(0, 30)}” has more than ${BOUND.path} names`);
  if (names.some((name) => name.startsWith('_'))) throw new Problem('names must not begin with an underscore');
  return names;
}
