import { Problem } from './errors.ts';
import { type Evaluate, type Expression, spendSteps } from './frame.ts';
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
  readonly #around: Scope | null;
  readonly #counter: { slots: number };
  /** Of this block only: copying those around it for each name would take quadratic time. There are never more scopes around than blocks may be deep. */
  readonly #locals = new Map<string, Local>();

  constructor(names: Names, html: boolean, around: Scope | null = null, counter = { slots: 0 }) {
    this.#names = names;
    this.html = html;
    this.#around = around;
    this.#counter = counter;
  }

  /** The scope of a block inside: what it is given is seen there only. */
  inner(): Scope {
    return new Scope(this.#names, this.html, this, this.#counter);
  }

  /** Makes a local name. @returns the slot its value stands in */
  add(name: string, safe = false): number {
    const slot = this.slot();
    this.#locals.set(name, { slot, safe });
    return slot;
  }

  /** A slot no other value stands in. */
  slot(): number {
    return this.#counter.slots++;
  }

  /** With no local names but those of this block: inside `{% include … only %}`. */
  only(): Scope {
    const alone = new Scope(this.#names, this.html, null, this.#counter);
    for (const [name, local] of this.#locals) alone.#locals.set(name, local);
    return alone;
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  #find(name: string): Local | undefined {
    for (let scope: Scope | null = this; scope; scope = scope.#around) {
      const local = scope.#locals.get(name);
      if (local) return local;
    }
    return undefined;
  }

  /** @throws Problem when the name is not known */
  read(path: readonly string[]): Expression {
    const local = this.#find(path[0]!);
    if (local) return { evaluate: follow((frame) => frame.locals[local.slot], path.slice(1)), safe: local.safe && path.length === 1 };
    const binding = this.#names(path);
    if (typeof binding === 'string') throw new Problem(binding);
    return { evaluate: follow((frame) => binding.read(frame.globals), path.slice(binding.taken)), safe: false };
  }
}

/** The rest of a path, looked up step by step. */
function follow(read: Evaluate, names: readonly string[]): Evaluate {
  if (names.length === 0) return read;
  return (frame) => {
    let value = read(frame);
    for (let n = 0; n < names.length; n++) {
      value = propertyOf(value, names[n]!);
      // Gathered anew each time.
      if (names[n] === 'items' && Array.isArray(value)) spendSteps(frame, value.length);
    }
    return value;
  };
}
