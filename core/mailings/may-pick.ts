import { PermissionError } from '../../domain/errors.ts';

/** What says that only people of a file are meant. */
interface Picking {
  target_mergefile: boolean;
  mergefile: unknown;
}

/**
 * How many are left tells of the people in a file who is known here, and with a second clause what of them: picking them out takes what naming them takes. What
 * stands there already may stay.
 * @throws PermissionError
 */
export function checkMayPick(before: Picking, after: Picking, can: (permission: string) => boolean): void {
  if (!after.target_mergefile || can('user:read')) return;
  if (!before.target_mergefile || before.mergefile !== after.mergefile) throw new PermissionError('user:read');
}

/**
 * The rows of a file are shown by a mailing that has it, to whoever looks at previews and proofs: giving it one takes what reading files does. What stands there already
 * may stay.
 * @throws PermissionError
 */
export function checkMayShowRows(before: unknown, after: unknown, can: (permission: string) => boolean): void {
  if ((after ?? null) !== null && after !== before && !can('mergefile:read')) throw new PermissionError('mergefile:read');
}
