import { BOUND, Budget } from './budget.ts';
import { withoutNotes } from './comments.ts';
import type { Body, Item, ReportParameter, ReportRow, TagCompiler, TemplateOptions } from './contracts.ts';
import { Problem, TemplateError } from './errors.ts';
import { ExpressionReader } from './expression.ts';
import { type Evaluate, LIMIT, type Piece, spendRoom } from './frame.ts';
import type { Output, Sink } from './output.ts';
import { Scope } from './scope.ts';
import { TAGS } from './tags.ts';
import { type TagToken, type Token, Tokens } from './tokens.ts';
import { Markup, textOf } from './values.ts';

type Options = TemplateOptions<unknown, Sink>;

/** One template being compiled, its inclusions with it. */
export class Compiler implements TagCompiler {
  readonly output: Output;
  readonly #options: Options;
  readonly #budget: Budget;
  #tokens = new Tokens('');
  #characters = 0;
  #depth = 0;
  #including: string[] = [];

  constructor(options: Options) {
    this.#options = options;
    this.#budget = options.budget ?? new Budget();
    this.output = options.output;
  }

  compile(text: string): Body {
    try {
      return this.#read(text, new Scope(this.#options.names, this.output.html));
    } catch (error) {
      throw error instanceof Problem ? new TemplateError('', 0, error.message) : error;
    }
  }

  include(name: string, scope: Scope): Body {
    const text = this.#options.snippet?.(name) ?? null;
    if (text === null) throw new Problem(`there is no snippet “${name}”`);
    if (this.#including.includes(name)) throw new Problem(`the snippet “${name}” includes itself`);
    if (this.#including.length >= LIMIT.inclusions) throw new Problem(`snippets include each other more than ${LIMIT.inclusions} deep`);
    const around = this.#tokens;
    this.#including.push(name);
    try {
      return this.#read(text, scope);
    } catch (error) {
      if (error instanceof TemplateError) throw new Problem(`in the snippet “${name}”, ${error.place}: ${error.message}`);
      throw error;
    } finally {
      this.#including.pop();
      this.#tokens = around;
    }
  }

  report(name: string, parameters: Readonly<Record<string, ReportParameter>>): readonly ReportRow[] {
    if (!this.#options.report) throw new Problem(`there is no report “${name}”`);
    return this.#options.report(name, parameters);
  }

  block(scope: Scope, opener: TagToken, ends: readonly string[]): { body: Body; end: TagToken } {
    if (++this.#depth > LIMIT.depth) throw new Problem('blocks are nested too deeply');
    const { body, end } = this.#items(scope, ends);
    if (!end) throw new TemplateError(this.#tokens.source, opener.begin, `{% ${opener.name} %} is never closed with {% ${ends.at(-1)} %}`);
    this.#depth--;
    return { body, end };
  }

  skip(opener: TagToken, end: string): void {
    for (let token = this.#tokens.next(); token; token = this.#tokens.next()) if (token.kind === 'tag' && token.name === end) return;
    throw new TemplateError(this.#tokens.source, opener.begin, `{% ${opener.name} %} is never closed with {% ${end} %}`);
  }

  reader(tag: TagToken, scope: Scope): ExpressionReader {
    return new ExpressionReader(this.#tokens.source, tag.content, scope, this.#budget);
  }

  #read(text: string, scope: Scope): Body {
    this.#characters += text.length;
    if (this.#characters > BOUND.source) throw new Problem(`the template is longer than ${BOUND.source} characters`);
    this.#budget.read(text.length);
    this.#tokens = new Tokens(withoutNotes(text));
    return this.#items(scope, []).body;
  }

  #items(scope: Scope, ends: readonly string[]): { body: Body; end: TagToken | null } {
    const items: Item[] = [];
    for (let token = this.#tokens.next(); token; token = this.#tokens.next()) {
      if (token.kind === 'tag' && ends.includes(token.name)) return { body: this.#joined(items), end: token };
      try {
        items.push(this.#item(token, scope));
      } catch (error) {
        if (error instanceof TemplateError) throw error;
        throw templateError(error as Error, this.#tokens.source, token);
      }
    }
    return { body: this.#joined(items), end: null };
  }

  #item(token: Token, scope: Scope): Item {
    if (token.kind === 'text') return token.text;
    this.#budget.take();
    if (token.kind === 'value') return this.#value(token.content, scope);
    const tag = TAGS.get(token.name);
    if (!tag) throw new Problem(`there is no tag {% ${token.name} %} here`);
    return tag(this, token, scope);
  }

  #value(range: [number, number], scope: Scope): Item {
    const alone = /^([A-Za-z_]\w*)(\s*\|\s*safe)?$/.exec(this.#tokens.source.slice(...range))?.[1];
    const insert =
      alone && !scope.has(alone) && Object.hasOwn(this.#options.inserts ?? {}, alone) ? this.#options.inserts![alone] : undefined;
    if (insert) return insert;
    const reader = new ExpressionReader(this.#tokens.source, range, scope, this.#budget);
    const { evaluate, safe } = reader.value();
    reader.end();
    return this.shown(evaluate, safe);
  }

  shown(evaluate: Evaluate, safe: boolean): Body {
    const { output } = this;
    const piece: Piece = (frame) => {
      const value = evaluate(frame);
      const text = typeof value === 'string' ? value : textOf(value);
      if (text.length > 1000) spendRoom(frame, text.length);
      if (safe || value instanceof Markup) output.markup(frame.sink, text);
      else output.value(frame.sink, text);
    };
    return { piece, weight: 1, constant: false };
  }

  #joined(items: Item[]): Body {
    const pieces: Piece[] = [];
    let [text, weight, constant] = ['', 1, true];
    const flush = () => {
      const write = this.output.literal(text);
      if (text) pieces.push((frame) => write(frame.sink));
      text = '';
    };
    for (const item of items) {
      if (typeof item === 'string') {
        text += item;
        continue;
      }
      flush();
      weight += item.weight;
      constant &&= item.constant;
      pieces.push(item.piece);
    }
    flush();
    return { piece: inOrder(pieces), weight: weight + pieces.length, constant };
  }
}

function inOrder(pieces: Piece[]): Piece {
  if (pieces.length === 1) return pieces[0]!;
  return (frame) => {
    for (let n = 0; n < pieces.length; n++) pieces[n]!(frame);
  };
}

/** An error of liquidjs or a Problem of ours, as a TemplateError. */
function templateError(error: Error, source: string, { begin }: Token): TemplateError {
  const token = (error as { token?: { begin: number; input: string } }).token;
  const message = error.message.replace(/(, file:.*)?, line:\d+, col:\d+$/s, '');
  if (error instanceof Problem || token) return new TemplateError(source, begin, message);
  throw error;
}
