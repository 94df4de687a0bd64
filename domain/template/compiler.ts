import { defaultOptions, type TagToken, Tokenizer, TokenKind, type TopLevelToken } from 'liquidjs';
import { Problem, TemplateError } from './errors.ts';
import { ExpressionReader } from './expression.ts';
import { LIMIT, type Piece, spendRoom } from './frame.ts';
import type { Output } from './output.ts';
import { type Names, Scope } from './scope.ts';
import { TAGS } from './tags.ts';
import type { TemplateOptions } from './template.ts';
import { textOf } from './values.ts';

/** A compiled run of text, values and tags. */
export interface Body {
  piece: Piece;
  /** How many pieces there are in it, those of inner blocks too: what rendering it once costs. */
  weight: number;
  /** Its output when it is always the same. */
  constant: string | null;
}

/** What a tag gives: text to join with its neighbours, or something rendered each time. */
export type Item = string | Body;

interface Source {
  text: string;
  tokens: TopLevelToken[];
  at: number;
}

/** One template being compiled, its inclusions with it. `tags.ts` uses it to read blocks. */
export class Compiler {
  readonly output: Output;
  readonly #options: TemplateOptions<never>;
  #source: Source = { text: '', tokens: [], at: 0 };
  #characters = 0;
  #depth = 0;
  #including: string[] = [];

  constructor(options: TemplateOptions<never>) {
    this.#options = options;
    this.output = options.output;
  }

  compile(text: string): Body {
    return this.#read(text, new Scope(this.#options.names as Names, this.output.html));
  }

  /** A snippet, compiled in place. @throws Problem when there is none, or it includes itself */
  include(name: string, scope: Scope): Body {
    const text = this.#options.snippet?.(name) ?? null;
    if (text === null) throw new Problem(`there is no snippet “${name}”`);
    if (this.#including.includes(name)) throw new Problem(`the snippet “${name}” includes itself`);
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
    // Comments in braces are unknown to liquidjs; they end on their line, so the count of lines stays right.
    const source = text.replace(/\{#[^\n]*?#\}/g, '');
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
    const alone = /^([A-Za-z]\w*)(\s*\|\s*safe)?$/.exec(this.#source.text.slice(...range))?.[1];
    const insert =
      alone && !scope.has(alone) && Object.hasOwn(this.#options.inserts ?? {}, alone) ? this.#options.inserts![alone] : undefined;
    if (insert) return insert;
    const reader = new ExpressionReader(this.#source.text, range, scope);
    const { evaluate, safe } = reader.value();
    reader.end();
    return this.shown(evaluate, safe);
  }

  /** A value on its way into the output. */
  shown(evaluate: (frame: Parameters<Piece>[0]) => unknown, safe: boolean): Body {
    const { output } = this;
    const encode = safe ? (text: string) => output.markup(text) : (text: string) => output.value(text);
    const piece: Piece = (frame) => {
      const value = evaluate(frame);
      const text = typeof value === 'string' ? value : textOf(value);
      if (text.length > 1000) spendRoom(frame, text.length);
      return encode(text);
    };
    return { piece, weight: 1, constant: null };
  }

  #joined(items: Item[]): Body {
    const parts: (string | Piece)[] = [];
    let [text, weight] = ['', 1];
    const flush = () => {
      if (text) parts.push(this.output.literal(text));
      text = '';
    };
    for (const item of items) {
      if (typeof item === 'string') {
        text += item;
        continue;
      }
      flush();
      weight += item.weight;
      parts.push(item.constant ?? item.piece);
    }
    flush();
    return { ...joinedParts(parts), weight: weight + parts.length };
  }

  /** Line of a token, from 1. */
  #line(token: TopLevelToken): number {
    return lineAt(this.#source.text, token.begin);
  }
}

function joinedParts(parts: (string | Piece)[]): { piece: Piece; constant: string | null } {
  if (parts.every((part) => typeof part === 'string')) {
    const constant = parts.join('');
    return { constant, piece: () => constant };
  }
  const [only] = parts;
  if (parts.length === 1 && typeof only === 'function') return { constant: null, piece: only };
  const piece: Piece = (frame) => {
    let text = '';
    for (let n = 0; n < parts.length; n++) {
      const part = parts[n]!;
      text += typeof part === 'string' ? part : part(frame);
    }
    return text;
  };
  return { constant: null, piece };
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
