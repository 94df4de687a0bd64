import type { Budget } from './budget.ts';
import type { ExpressionReader } from './expression.ts';
import type { Evaluate, Piece } from './frame.ts';
import type { Output, Sink, TextSink } from './output.ts';
import type { Names, Scope } from './scope.ts';
import type { TagToken } from './tokens.ts';

// What the compiler, the tags and those who use templates know of each other.

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

/** A parameter of a report, written in the template. */
export type ReportParameter = string | number | boolean | null;

/** A row of a report by the names of its columns. */
export type ReportRow = Readonly<Record<string, ReportParameter>>;

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

/** What compiles a tag: how it reads what follows its name and what stands inside it. */
export type Tag = (compiler: TagCompiler, tag: TagToken, scope: Scope) => Item;

/** What the compiler offers to tags. */
export interface TagCompiler {
  /** Reads the expressions after a tag's name. */
  reader(tag: TagToken, scope: Scope): ExpressionReader;
  /** Reads a block's inside up to one of `ends`, which is taken too. */
  block(scope: Scope, opener: TagToken, ends: readonly string[]): { body: Body; end: TagToken };
  /** Leaves out everything up to a tag. */
  skip(opener: TagToken, end: string): void;
  /** A snippet, compiled in place. @throws Problem when there is none, or it includes itself */
  include(name: string, scope: Scope): Body;
  /** The rows of a saved report. @throws Problem when there is none, or not with these parameters */
  report(name: string, parameters: Readonly<Record<string, ReportParameter>>): readonly ReportRow[];
  /** A value on its way into the output. */
  shown(evaluate: Evaluate, safe: boolean): Body;
}
