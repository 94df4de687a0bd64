import { Problem } from './errors.ts';
import type { Expression } from './expression.ts';
import type { Evaluate } from './frame.ts';
import { propertyOf } from './values.ts';

/** How the beginning of a path is read from what a template is rendered with. */
export interface Binding<Globals = unknown> {
  read(globals: Globals): unknown;
  /** How many names of the path this has used up; the rest are looked up in what it gives. */
  taken: number;
}

/**
 * The names a template may use, asked once for each use when it is compiled.
 * @returns how to read the path, or, when there is no such name, a sentence that says so
 */
export type Names<Globals = unknown> = (path: readonly string[]) => Binding<Globals> | string;

/** Names of a plain object: every own property; what is absent is nothing. */
export const objectNames: Names<Record<string, unknown>> = ([first]) => ({
  read: (globals) => (Object.hasOwn(globals, first!) ? globals[first!] : undefined),
  taken: 1,
});

interface Local {
  slot: number;
  safe: boolean;
}

/** What names mean at one place of a template: the blocks around it first, then what the caller gives. */
export class Scope {
  readonly html: boolean;
  readonly #names: Names;
  readonly #locals: ReadonlyMap<string, Local>;
  readonly #counter: { slots: number };

  constructor(names: Names, html: boolean, locals: ReadonlyMap<string, Local> = new Map(), counter = { slots: 0 }) {
    this.#names = names;
    this.html = html;
    this.#locals = locals;
    this.#counter = counter;
  }

  /** The same scope with one more local name, and the slot its value stands in. */
  with(name: string, safe = false): { scope: Scope; slot: number } {
    const slot = this.#counter.slots++;
    const scope = new Scope(this.#names, this.html, new Map(this.#locals).set(name, { slot, safe }), this.#counter);
    return { scope, slot };
  }

  /** With no local names but those of some slots: inside `{% include … only %}`. */
  only(slots: readonly number[]): Scope {
    const kept = [...this.#locals].filter(([, local]) => slots.includes(local.slot));
    return new Scope(this.#names, this.html, new Map(kept), this.#counter);
  }

  has(name: string): boolean {
    return this.#locals.has(name);
  }

  /** @throws Problem when the name is not known */
  read(path: readonly string[]): Expression {
    const local = this.#locals.get(path[0]!);
    if (local) return { evaluate: follow((frame) => frame.locals[local.slot], path.slice(1)), safe: local.safe && path.length === 1 };
    const binding = this.#names(path);
    if (typeof binding === 'string') throw new Problem(binding);
    return { evaluate: follow((frame) => binding.read(frame.globals), path.slice(binding.taken)), safe: false };
  }
}

/** The rest of a path, looked up step by step. */
function follow(read: Evaluate, names: readonly string[]): Evaluate {
  const [first, ...more] = names;
  return first === undefined ? read : follow((frame) => propertyOf(read(frame), first), more);
}
