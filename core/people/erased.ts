import { textArray } from '../../db/array-literals.ts';
import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { lowerCase } from '../../domain/people/lower-case.ts';
import type { EraseOption } from './belongings.ts';
import { isEmptiedAddress } from './emptied-address.ts';

/** SQL over `u`, a row of core_user: whether this user was erased. Such a row stays, and is to be sent nowhere. */
export const ERASED = `exists (select from core_erasure e where e.user_id = u.id and e.status = 'complete')`;

/** Whether there is this user, and they were erased. */
export async function isErased(sql: Sql, id: number): Promise<boolean> {
  return (await sql(`select from core_user u where id = $1 and ${ERASED}`, [id])).length > 0;
}

/** One of these users whom an erasure waits for; null where there is none. */
export async function eraseWaitsFor(sql: Sql, ids: number[]): Promise<number | null> {
  const [waiting] = await sql<{ user_id: number }>(
    `select user_id from core_erasure where user_id = any($1::int[]) and status = 'pending' order by user_id limit 1`,
    [ids],
  );
  return waiting?.user_id ?? null;
}

/**
 * Run inside a transaction that holds the user's row: who waited for the erasure to get it sees it.
 * @param field under which something of them came
 * @throws InputError for who was erased
 */
export async function refuseErased(sql: Sql, id: number, field: string): Promise<void> {
  if (await isErased(sql, id)) throw new InputError({ [field]: `User ${id} was erased.` });
}

/**
 * The same of what hangs on somebody and is taken away with one option of the eraser alone; who is being erased is waited for.
 * @throws InputError for whose erasure had that option
 */
export async function refuseErasedBy(sql: Sql, option: EraseOption, id: number, field: string): Promise<void> {
  await holdOwner(sql, id);
  const erased = await sql(`select from core_erasure where user_id = $1 and status = 'complete' and options ? $2`, [id, option]);
  if (erased.length > 0) throw new InputError({ [field]: `User ${id} was erased.` });
}

/** Whether somebody was erased; who is being erased is waited for. For what is written anew beside a user whose row nothing of it holds. Run inside a transaction. */
export async function erasedByNow(sql: Sql, id: number): Promise<boolean> {
  await holdOwner(sql, id);
  return isErased(sql, id);
}

/** An erasure that is under way is waited for, and one that comes later waits, and takes what is written now. */
const holdOwner = (sql: Sql, id: number): Promise<unknown> => sql('select from core_user where id = $1 for key share', [id]);

/** What is said of a line of an import that is about one of them. */
export const ERASED_LINE = 'This person was erased.';

/** Those of some addresses, in lower case, that stand in the records of people who were erased, here or where the file was made. */
export async function erasedAmong(sql: Sql, emails: string[]): Promise<Set<string>> {
  const rows = await sql<{ email: string }>(
    `select lower(u.email) as email from core_user u where lower(u.email) = any($1::text[]) and ${ERASED}`,
    [textArray(emails.map(lowerCase))],
  );
  return new Set([...rows.map(({ email }) => email), ...emails.map(lowerCase).filter(isEmptiedAddress)]);
}
