import { defaultOptions, type TagToken, Tokenizer, TokenKind, type TopLevelToken } from 'liquidjs';
import { withoutNotes } from './comments.ts';
import { Problem, TemplateError } from './errors.ts';
import { ExpressionReader } from './expression.ts';
import { type Evaluate, LIMIT, type Piece, spendRoom } from './frame.ts';
import type { Output, Sink } from './output.ts';
import type { ReportParameter, ReportRow } from './report-tag.ts';
import { Scope } from './scope.ts';
import { TAGS } from './tags.ts';
import type { TemplateOptions } from './template.ts';
import { Markup, textOf } from './values.ts';

/** A compiled run of text, values and tags. */
export interface Body {
  piece: Piece;
  /** How many pieces there are in it, those of inner blocks too: what rendering it once costs. */
  weight: number;
  /** It always shows the same. */
  constant: boolean;
}

/** What a tag gives: text to join with its neighbours, or something rendered each time. */
export type Item = string | Body;

type Options = TemplateOptions<unknown, Sink>;

interface Source {
  text: string;
  tokens: TopLevelToken[];
  at: number;
}

/** One template being compiled, its inclusions with it. `tags.ts` uses it to read blocks. */
export class Compiler {
  readonly output: Output;
  readonly #options: Options;
  #source: Source = { text: '', tokens: [], at: 0 };
  #characters = 0;
  #depth = 0;
  #including: string[] = [];

  constructor(options: Options) {
    this.#options = options;
    this.output = options.output;
  }

  compile(text: string): Body {
    try {
      return this.#read(text, new Scope(this.#options.names, this.output.html));
    } catch (error) {
      throw error instanceof Problem ? new TemplateError(1, error.message) : error;
    }
  }

  /** A snippet, compiled in place. @throws Problem when there is none, or it includes itself */
  include(name: string, scope: Scope): Body {
    const text = this.#options.snippet?.(name) ?? null;
    if (text === null) throw new Problem(`there is no snippet “${name}”`);
    if (this.#including.includes(name)) throw new Problem(`the snippet “${name}” includes itself`);
    if (this.#including.length >= LIMIT.inclusions) throw new Problem(`snippets include each other more than ${LIMIT.inclusions} deep`);
    const around = this.#source;
    this.#including.push(name);
    try {
      return this.#read(text, scope);
    } catch (error) {
      if (error instanceof TemplateError) throw new Problem(`in the snippet “${name}”, line ${error.line}: ${error.message}`);
      throw error;
    } finally {
      this.#including.pop();
      this.#source = around;
    }
  }

  /** The rows of a saved report. @throws Problem when there is none, or not with these parameters */
  report(name: string, parameters: Readonly<Record<string, ReportParameter>>): readonly ReportRow[] {
    if (!this.#options.report) throw new Problem(`there is no report “${name}”`);
    return this.#options.report(name, parameters);
  }

  /** Reads a block's inside up to one of `ends`, which is taken too. */
  block(scope: Scope, opener: TagToken, ends: readonly string[]): { body: Body; end: TagToken } {
    if (++this.#depth > LIMIT.depth) throw new Problem('blocks are nested too deeply');
    const { body, end } = this.#items(scope, ends);
    if (!end) throw new TemplateError(this.#line(opener), `{% ${opener.name} %} is never closed with {% ${ends.at(-1)} %}`);
    this.#depth--;
    return { body, end };
  }

  /** Leaves out everything up to a tag. */
  skip(opener: TagToken, end: string): void {
    for (let token = this.#next(); token; token = this.#next())
      if (token.kind === TokenKind.Tag && (token as TagToken).name === end) return;
    throw new TemplateError(this.#line(opener), `{% ${opener.name} %} is never closed with {% ${end} %}`);
  }

  /** Reads the expressions after a tag's name. */
  reader(tag: TagToken, scope: Scope): ExpressionReader {
    return new ExpressionReader(this.#source.text, [tag.tokenizer.p, tag.contentRange[1]], scope);
  }

  #read(text: string, scope: Scope): Body {
    this.#characters += text.length;
    if (this.#characters > LIMIT.source) throw new Problem(`the template is longer than ${LIMIT.source} characters`);
    const source = withoutNotes(text);
    this.#source = { text: source, tokens: tokensOf(source), at: 0 };
    return this.#items(scope, []).body;
  }

  #next(): TopLevelToken | undefined {
    return this.#source.tokens[this.#source.at++];
  }

  #items(scope: Scope, ends: readonly string[]): { body: Body; end: TagToken | null } {
    const items: Item[] = [];
    for (let token = this.#next(); token; token = this.#next()) {
      if (token.kind === TokenKind.Tag && ends.includes((token as TagToken).name))
        return { body: this.#joined(items), end: token as TagToken };
      try {
        items.push(this.#item(token, scope));
      } catch (error) {
        if (error instanceof TemplateError) throw error;
        throw templateError(error as Error, this.#line(token));
      }
    }
    return { body: this.#joined(items), end: null };
  }

  #item(token: TopLevelToken, scope: Scope): Item {
    if (token.kind === TokenKind.HTML) return (token as unknown as { getContent(): string }).getContent();
    if (token.kind === TokenKind.Output) return this.#value((token as TagToken).contentRange, scope);
    const tag = TAGS.get((token as TagToken).name);
    if (!tag) throw new Problem(`there is no tag {% ${(token as TagToken).name} %} here`);
    return tag(this, token as TagToken, scope);
  }

  #value(range: [number, number], scope: Scope): Item {
    const alone = /^([A-Za-z_]\w*)(\s*\|\s*safe)?$/.exec(this.#source.text.slice(...range))?.[1];
    const insert =
      alone && !scope.has(alone) && Object.hasOwn(this.#options.inserts ?? {}, alone) ? this.#options.inserts![alone] : undefined;
    if (insert) return insert;
    const reader = new ExpressionReader(this.#source.text, range, scope);
    const { evaluate, safe } = reader.value();
    reader.end();
    return this.shown(evaluate, safe);
  }

  /** A value on its way into the output. */
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

  /** Line of a token, from 1. */
  #line(token: TopLevelToken): number {
    return lineAt(this.#source.text, token.begin);
  }
}

function inOrder(pieces: Piece[]): Piece {
  if (pieces.length === 1) return pieces[0]!;
  return (frame) => {
    for (let n = 0; n < pieces.length; n++) pieces[n]!(frame);
  };
}

const lineAt = (text: string, position: number) => text.slice(0, position).split('\n').length;

/** An error of liquidjs or a Problem of ours, as a TemplateError. */
function templateError(error: Error, line: number): TemplateError {
  const token = (error as { token?: { begin: number; input: string } }).token;
  const message = error.message.replace(/(, file:.*)?, line:\d+, col:\d+$/s, '');
  if (error instanceof Problem || token) return new TemplateError(token ? lineAt(token.input, token.begin) : line, message);
  throw error;
}

const LIQUID = { ...defaultOptions, operators: {} };

function tokensOf(source: string): TopLevelToken[] {
  try {
    return new Tokenizer(source, {}).readTopLevelTokens(LIQUID);
  } catch (error) {
    throw templateError(error as Error, 1);
  }
}
