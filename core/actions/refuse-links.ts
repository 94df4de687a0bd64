import { InputError } from '../../domain/errors.ts';
import type { Submission } from './submission.ts';

/** Names alone: an address of a street may well hold a number with dots. */
const NAMES = ['prefix', 'first_name', 'middle_name', 'last_name', 'suffix'] as const;
const LINK = /:\/\/|\bwww\./i;

/**
 * Confirmations greet people by the names that were sent, and anybody may send anybody's address: a name that is a link would have us mail it to them.
 * @throws InputError under each such name
 */
export function refuseLinks(person: Submission['person']): void {
  const wrong = NAMES.filter((name) => LINK.test(person[name] ?? ''));
  if (wrong.length === 0) return;
  throw new InputError(Object.fromEntries(wrong.map((name) => [name, 'A name must not hold the address of a web page.'])));
}
