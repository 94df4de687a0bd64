import { Compiler } from './compiler.ts';
import { RenderError } from './errors.ts';
import { type Frame, newFrame, type Piece } from './frame.ts';
import type { Output } from './output.ts';
import type { Names } from './scope.ts';

/** A compiled template. */
export interface Template<Globals> {
  /** The whole output, when no value and no tag can change it. */
  readonly constant: string | null;
  /** @throws RenderError */
  render(globals: Globals): string;
  /** For a template this one is inserted in. */
  readonly piece: Piece;
  readonly weight: number;
}

export interface TemplateOptions<Globals> {
  /** What values may be used; see `objectNames` for those of a plain object. */
  names: Names<Globals>;
  output: Output;
  /** The source of a snippet, for `{% include "name" %}`; null when there is none of that name. */
  snippet?: (name: string) => string | null;
  /** Compiled templates (with the same output) that stand where `{{ name }}` says. */
  inserts?: Readonly<Record<string, Template<Globals>>>;
}

/**
 * Compiles a template into closures: names, filters and blocks are resolved once, the template's own text goes through the output once.
 * @throws TemplateError with the line of what is wrong
 */
export function compileTemplate<Globals>(source: string, options: TemplateOptions<Globals>): Template<Globals> {
  const body = new Compiler(options as TemplateOptions<never>).compile(source);
  // An inserted template numbers its local values by itself, so it must not share them with the one around it.
  const piece: Piece = (frame) => {
    const around = frame.locals;
    frame.locals = [];
    const text = body.piece(frame);
    frame.locals = around;
    return text;
  };
  return {
    constant: body.constant,
    weight: body.weight,
    piece: body.constant === null ? piece : body.piece,
    render: (globals) => finish(body.piece, newFrame(globals)),
  };
}

/** A value of an unexpected kind must cost one recipient, not the worker: whatever goes wrong in here is a RenderError. */
function finish(piece: Piece, frame: Frame): string {
  try {
    return piece(frame);
  } catch (error) {
    if (error instanceof RenderError) throw error;
    throw new RenderError(`the template fails with these values: ${(error as Error).message}`);
  }
}
