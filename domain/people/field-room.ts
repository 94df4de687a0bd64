// How much custom fields may hold. Everybody who knows an address can write those of a person, and they are read many people at a time.

/** No field is called so: JSON with such a name is refused, so that who has one could not be sent back as they were read. */
export const NO_FIELD = '__proto__';

/** What the fields of a person or an action hold; bytes are those of names and values. */
export interface Held {
  values: number;
  bytes: number;
}

/** Of one person or action. */
export const MOST_HELD: Held = { values: 1_000, bytes: 500_000 };
/** Of one person, by callers without credentials: so much that a form needs no more, and so little that no page or mail is too large by it. */
export const MOST_BY_STRANGERS: Held = { values: 1_000, bytes: 100_000 };
/** Characters of one value. */
export const LONGEST_VALUE = 65_535;
export const LONGEST_BY_STRANGERS = 10_000;

export function heldBy(fields: Iterable<readonly [name: string, values: readonly string[]]>): Held {
  const held = { values: 0, bytes: 0 };
  for (const [name, values] of fields) {
    held.values += values.length;
    for (const value of values) held.bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
  }
  return held;
}

/**
 * Says what there would be too much of. No more than before is always taken.
 * @param replaced what goes for what is given
 * @param others what stays
 */
export function tooMuch(given: Held, replaced: Held, others: Held, most: Held = MOST_HELD): string | null {
  const [kind] = (['values', 'bytes'] as const).filter((each) => given[each] > replaced[each] && others[each] + given[each] > most[each]);
  return kind ? `at most ${most[kind]} ${kind} of custom fields` : null;
}
