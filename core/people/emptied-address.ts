import { randomUUID } from 'node:crypto';

/** What the row of somebody erased is left with for an address. Triggers know it by its form, too. */
export const emptiedAddress = (): string => `erased-${randomUUID()}@erased.invalid`;

/**
 * SQL over `u`, a row of core_user: whether it was emptied. A statement that locks the row and waited for the erasure sees that, and not yet that the job is
 * complete.
 */
export const EMPTIED = `u.email like 'erased-%@erased.invalid'`;
