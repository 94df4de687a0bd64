import { RenderError } from './errors.ts';
import type { Sink } from './output.ts';

/** What one rendering carries along. */
export interface Frame {
  /** What the caller renders with; only the names' own readers look into it. */
  readonly globals: unknown;
  readonly sink: Sink;
  /** Values of loop variables and `with` names, by slot; which slot is whose was settled when the template was compiled. */
  locals: unknown[];
  /** Steps left, so that no template runs for long whatever it loops over. */
  steps: number;
  /** Characters left, so that no template fills the memory. */
  room: number;
}

/** A compiled expression. */
export type Evaluate = (frame: Frame) => unknown;

/** A compiled expression and what is known of it beforehand. */
export interface Expression {
  evaluate: Evaluate;
  /** It gives markup, which HTML does not escape. */
  safe: boolean;
}

/** A compiled part of a template: writes what it shows into the frame's sink. */
export type Piece = (frame: Frame) => void;

export const LIMIT = {
  /** Blocks in blocks. */
  depth: 50,
  /** Snippets in snippets. */
  inclusions: 10,
  /** Pieces rendered by loops, filters, comparisons and what `and` and `or` join, plus one per 64 characters that one of these works on: some tenths of a second at worst. */
  steps: 100_000,
  /** Characters of one output, and of any one value on the way. */
  room: 2_000_000,
} as const;

export const newFrame = (globals: unknown, sink: Sink): Frame => ({ globals, sink, locals: [], steps: LIMIT.steps, room: LIMIT.room });

/** @throws RenderError when the steps are used up */
export function spendSteps(frame: Frame, steps: number): void {
  frame.steps -= steps;
  if (frame.steps < 0) throw new RenderError('the template takes too long with these values');
}

/** @throws RenderError when the room is used up */
export function spendRoom(frame: Frame, characters: number): void {
  frame.room -= characters;
  if (frame.room < 0) throw new RenderError('the result would be too large');
}
