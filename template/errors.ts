/** A template that cannot be used: where (line from 1) and why. */
export class TemplateError extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** This rendering, with these values, gives no result: a required value is missing, or a limit was reached. */
export class RenderError extends Error {}

/** What is wrong with one tag or value; the compiler, which knows the line, makes a TemplateError of it. */
export class Problem extends Error {}
