import { Compiler } from './compiler.ts';
import type { Template, TemplateOptions } from './contracts.ts';
import { RenderError } from './errors.ts';
import { type Frame, newFrame, type Piece } from './frame.ts';
import { type Sink, TextSink } from './output.ts';

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
