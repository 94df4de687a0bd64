/** Characters shown of what stands at the place of an error. */
const SHOWN = 40;
/** To the end of the piece or the line, whichever comes first; what another mark opens is no part of it. */
const PIECE = /^[^\n]?[^\n]?(?:(?!\{[{%]|[}%]\})[^\n])*(?:[}%]\})?/;

/** A template that cannot be used: why, and where it is not as it should be. */
export class TemplateError extends Error {
  /** From 1. */
  readonly line: number;
  /** For whoever wrote it: line, column (both from 1) and the words there. */
  readonly place: string;

  /** @param begin where in the source the piece begins that is at fault */
  constructor(source: string, begin: number, message: string) {
    super(message);
    const lines = source.slice(0, begin).split('\n');
    this.line = lines.length;
    const words = PIECE.exec(source.slice(begin, begin + 1_000))![0].trimEnd();
    const shown = words.length > SHOWN ? `${words.slice(0, SHOWN).toWellFormed()}…` : words;
    this.place = `line ${this.line}, column ${lines.at(-1)!.length + 1}${shown && `, at “${shown}”`}`;
  }
}

/** This rendering, with these values, gives no result: a required value is missing, or a limit was reached. */
export class RenderError extends Error {}

/** What is wrong with one tag or value; the compiler, which knows the line, makes a TemplateError of it. */
export class Problem extends Error {}
