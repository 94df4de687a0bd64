import type { Budget } from './budget.ts';
import { Compiler } from './compiler.ts';
import { RenderError } from './errors.ts';
import { type Frame, newFrame, type Piece } from './frame.ts';
import { type Output, type Sink, TextSink } from './output.ts';
import type { ReportParameter, ReportRow } from './report-tag.ts';
import type { Names } from './scope.ts';

/** A compiled template. */
export interface Template<Globals, Into extends Sink = TextSink> {
  /** No value and no tag changes what it shows. */
  readonly constant: boolean;
  /** @throws RenderError; what was written until then stays in the sink */
  renderInto(into: Into, globals: Globals): void;
  /** For templates this one is inserted in. */
  readonly piece: Piece;
  readonly weight: number;
}

export interface TemplateOptions<Globals, Into extends Sink = TextSink> {
  /** What values may be used; see `objectNames` for those of a plain object. */
  names: Names<Globals>;
  output: Output<Into>;
  /** The source of a snippet, for `{% include "name" %}`; null when there is none of that name. */
  snippet?: (name: string) => string | null;
  /** The rows of a saved report, for `{% report "name" %}`. @throws Problem when there is none, or not with these parameters */
  report?: (name: string, parameters: Readonly<Record<string, ReportParameter>>) => readonly ReportRow[];
  /** Shared by all templates of a mail; one of its own where it is left out. */
  budget?: Budget;
  /** Compiled templates (for the same output) that stand where `{{ name }}` says. */
  inserts?: Readonly<Record<string, Template<Globals, Into>>>;
}

/**
 * Compiles a template into closures: names, filters and blocks are resolved once, the template's own text is made ready for the output once.
 * @throws TemplateError with the line of what is wrong
 */
export function compileTemplate<Globals, Into extends Sink>(
  source: string,
  options: TemplateOptions<Globals, Into>,
): Template<Globals, Into> {
  const body = new Compiler(options as unknown as TemplateOptions<unknown, Sink>).compile(source);
  // An inserted template numbers its local values by itself, so it must not share them with the one around it.
  const piece: Piece = (frame) => {
    const around = frame.locals;
    frame.locals = [];
    body.piece(frame);
    frame.locals = around;
  };
  return { ...template(body.piece, body.weight, body.constant), piece: body.constant ? body.piece : piece };
}

/** One of several templates, chosen when rendering. */
export function oneOf<Globals, Into extends Sink>(
  templates: readonly Template<Globals, Into>[],
  choose: (globals: Globals) => number,
): Template<Globals, Into> {
  if (templates.length === 1) return templates[0]!;
  return template(
    (frame) => templates[choose(frame.globals as Globals)]!.piece(frame),
    Math.max(...templates.map(({ weight }) => weight)),
    false,
  );
}

/** The text a template gives. @throws RenderError */
export function renderText<Globals>(template: Template<Globals>, globals: Globals): string {
  const sink = new TextSink();
  template.renderInto(sink, globals);
  return sink.text;
}

const template = <Globals, Into extends Sink>(piece: Piece, weight: number, constant: boolean): Template<Globals, Into> => ({
  constant,
  weight,
  piece,
  renderInto: (into, globals) => run(piece, newFrame(globals, into)),
});

/** A value of an unexpected kind must cost one recipient, not the worker: whatever goes wrong in here is a RenderError. */
function run(piece: Piece, frame: Frame): void {
  try {
    piece(frame);
  } catch (error) {
    if (error instanceof RenderError) throw error;
    throw new RenderError(`the template fails with these values: ${(error as Error).message}`);
  }
}
