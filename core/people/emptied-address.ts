import { randomUUID } from 'node:crypto';
import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';

/** What the row of somebody erased is left with for an address. Triggers know it by its form, too. */
export const emptiedAddress = (): string => `erased-${randomUUID()}@erased.invalid`;

/**
 * SQL over `u`, a row of core_user: whether it was emptied. A statement that locks the row and waited for the erasure sees that, and not yet that the job is
 * complete.
 */
export const EMPTIED = `u.email like 'erased-%@erased.invalid'`;

/** Whether an address is one of those: nobody has it, and whoever came by it would be counted as a record that an erasure has left. */
export const isEmptiedAddress = (email: string): boolean => /^erased-.*@erased\.invalid$/i.test(email);

/**
 * Before a row of core_user is written. What is there may be sent back.
 * @param id of the user; 0 before there is one
 * @throws InputError
 */
export async function refuseEmptiedAddress(sql: Sql, id: number, email: unknown): Promise<void> {
  if (typeof email !== 'string' || !isEmptiedAddress(email)) return;
  const [stored] = id ? await sql<{ email: string }>('select email from core_user where id = $1', [id]) : [];
  if (stored?.email !== email) throw new InputError({ email: 'This address stands for somebody who was erased.' });
}
