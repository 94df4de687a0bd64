import { Problem } from './errors.ts';

// What compiling may cost, looked at before anything is read, let alone recursed into: a caller's template must hold up nobody else's request.

export const BOUND = {
  /** Characters of one template and every inclusion in it. */
  source: 500_000,
  /** Characters of all templates that make one mail. */
  together: 1_000_000,
  /** Tags, and the names, values, filters and operators in them, in all templates that make one mail. */
  parts: 5000,
  /** Names, values, filters and operators of one tag. */
  ofTag: 1000,
  /** Names with dots between them: more than loops in loops need to speak of the outermost. */
  path: 100,
  /** Characters of one tag. */
  tag: 20_000,
  /** HTML elements that a text version is made of. */
  elements: 4000,
  /** Brackets in brackets. */
  brackets: 10,
} as const;

/** As much of a template as need be looked at: what is longer than it may be is refused for its length, however much longer it is. */
export const inReach = (source: string): string => (source.length > BOUND.source ? source.slice(0, BOUND.source + 1) : source);

/** What the templates of one mail may cost together. */
export class Budget {
  #characters = 0;
  #parts = 0;
  #elements = 0;

  /** @throws Problem */
  read(characters: number): void {
    this.#characters += characters;
    if (this.#characters > BOUND.together)
      throw new Problem(`the templates of a mail have more than ${BOUND.together} characters together`);
  }

  /** A text version is made of so many HTML elements. @throws Problem */
  makeText(elements: number): void {
    this.#elements += elements;
    if (this.#elements > BOUND.elements) throw new Problem(`a text version cannot be made from more than ${BOUND.elements} HTML elements`);
  }

  /** @throws Problem */
  take(): void {
    if (++this.#parts > BOUND.parts)
      throw new Problem(`the templates of a mail have more than ${BOUND.parts} tags, values and filters together`);
  }
}

/** Looks at the inside of a tag before it is read, since brackets are read by recursion. @throws Problem with the column */
export function checkTag(source: string, [begin, end]: readonly [number, number]): void {
  const column = (at: number) => at - source.lastIndexOf('\n', at - 1);
  if (end - begin > BOUND.tag) throw new Problem(`a tag has more than ${BOUND.tag} characters, at column ${column(begin)}`);
  let [depth, quote] = [0, 0];
  for (let at = begin; at < end; at++) {
    const code = source.charCodeAt(at);
    if (quote) {
      if (code === BACKSLASH) at++;
      else if (code === quote) quote = 0;
    } else if (code === DOUBLE || code === SINGLE) quote = code;
    else if (code === ROUND || code === SQUARE) {
      if (++depth > BOUND.brackets) throw new Problem(`brackets are nested more than ${BOUND.brackets} deep, at column ${column(at)}`);
    } else if (code === ROUND_END || code === SQUARE_END) depth--;
  }
}

const [DOUBLE, SINGLE, BACKSLASH, ROUND, ROUND_END, SQUARE, SQUARE_END] = [...'"\'\\()[]'].map((mark) => mark.charCodeAt(0));
