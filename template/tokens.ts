import { TemplateError } from './errors.ts';

// A template cut into text, values and tags, one piece at a time, so that whoever reads can stop at a limit. Each character is looked at once or twice.

interface Piece {
  /** Where it begins in the source. */
  begin: number;
}
export interface TextToken extends Piece {
  kind: 'text';
  text: string;
}
/** `{{ … }}` */
export interface ValueToken extends Piece {
  kind: 'value';
  /** What is between the braces, without spaces around it. */
  content: [number, number];
}
/** `{% name … %}` */
export interface TagToken extends Piece {
  kind: 'tag';
  name: string;
  /** What follows the name. */
  content: [number, number];
}
export type Token = TextToken | ValueToken | TagToken;

const NAME = /^\s*(#|[\w?\u0080-\uffff-]*)/;

export class Tokens {
  readonly source: string;
  #at = 0;
  #open: number;
  /** The last mark ended with a dash: spaces behind it are left out. */
  #dashed = false;

  constructor(source: string) {
    this.source = source;
    this.#open = this.#nextMark(0);
  }

  /** Where the next piece begins. */
  get at(): number {
    return this.#at;
  }

  /** The next piece, undefined at the end. @throws TemplateError when a mark is never closed */
  next(): Token | undefined {
    const { source } = this;
    const begin = this.#at;
    if (begin >= source.length) return undefined;
    if (begin < this.#open) return this.#text(begin);
    const isTag = source[begin + 1] === '%';
    const close = isTag ? source.indexOf('%}', begin + 2) : endOfValue(source, begin + 2);
    if (close < 0) throw new TemplateError(source, begin, isTag ? '{% is not closed with %}' : '{{ is not closed with }}');
    this.#at = close + 2;
    this.#open = this.#nextMark(this.#at);
    this.#dashed = close > begin + 2 && source[close - 1] === '-';
    const from = begin + (source[begin + 2] === '-' ? 3 : 2);
    const content = trimmed(source, from, Math.max(from, close - (this.#dashed ? 1 : 0)));
    return isTag ? tagToken(source, begin, content) : { kind: 'value', begin, content };
  }

  #text(begin: number): TextToken {
    this.#at = this.#open;
    let text = this.source.slice(begin, this.#open);
    if (this.#dashed) text = text.trimStart();
    if (this.source[this.#open + 2] === '-') text = text.trimEnd();
    return { kind: 'text', begin, text };
  }

  /** Where the next value or tag begins; the end when there is none. */
  #nextMark(from: number): number {
    const { source } = this;
    for (let at = source.indexOf('{', from); at >= 0; at = source.indexOf('{', at + 1))
      if (source[at + 1] === '%' || source[at + 1] === '{') return at;
    return source.length;
  }
}

function tagToken(source: string, begin: number, [from, to]: [number, number]): TagToken {
  const [before, name] = NAME.exec(source.slice(from, to))!;
  if (!name) throw new TemplateError(source, begin, 'illegal tag syntax, tag name expected');
  return { kind: 'tag', begin, name, content: trimmed(source, from + before.length, to) };
}

/** Where the braces of a value close, quoted text passed over; -1 when nowhere, or when others open before that. */
function endOfValue(source: string, from: number): number {
  let quote = '';
  for (let at = from; at < source.length; at++) {
    const mark = source[at]!;
    if (quote) {
      if (mark === '\\') at++;
      else if (mark === quote) quote = '';
    } else if (mark === '"' || mark === "'") quote = mark;
    else if (mark === '}' && source[at + 1] === '}') return at;
    else if (mark === '{' && (source[at + 1] === '{' || source[at + 1] === '%')) return -1;
  }
  return -1;
}

function trimmed(source: string, from: number, to: number): [number, number] {
  const text = source.slice(from, to);
  const begin = from + (text.length - text.trimStart().length);
  return [begin, Math.max(begin, from + text.trimEnd().length)];
}
