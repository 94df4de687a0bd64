import { p, raw } from '@mikro-orm/core';

/** Columns nearly every table has: a serial id and the two timestamps the API shows on each resource. */
export const id = () => p.integer().primary().autoincrement();
export const createdAt = () => p.datetime(6).defaultRaw('now()');
export const updatedAt = () =>
  p
    .datetime(6)
    .defaultRaw('now()')
    // By the clock of the database, as all else: whoever keeps in step by it would miss a row.
    .onUpdate(() => raw('now()'));

/** Text that is never null: absent and empty are the same thing to a client of this API. */
export const text = () => p.text().default('');
export const flag = (value = false) => p.boolean().default(value);

/** A status column: the words of the list, constrained in the database by the same list. */
export const status = <const Words extends readonly [string, ...string[]]>(words: Words, initial: Words[number]) =>
  p.enum(words).default(initial as string);
