import { createHmac } from 'node:crypto';
import { textArray } from '../../db/array-literals.ts';
import type { Sql } from '../../db/sql.ts';
import { lowerCase } from '../../domain/people/lower-case.ts';
import { disconnectErased } from '../crm/mapping-status.ts';
import { dropCached } from '../reports/report-cache.ts';
import { beginRunningAnew } from '../reports/report-task.ts';
import { eraseRecipient } from '../sending/recipients-who-go.ts';
import { forgetLeftAttempts, gatherAttempts } from './attempts-of-erased.ts';
import { BELONGINGS, type Belonging, type EraseOption, PERSON_COLUMNS } from './belongings.ts';
import { emptiedAddress } from './emptied-address.ts';
import { forgetInShownRows } from './forget-shown-rows.ts';
import { addressesOf } from './former-addresses.ts';
import { forgetInTexts, NOT_KEPT } from './free-texts.ts';
import { unsubscribe } from './subscribing.ts';
import { completeErasure, UserJobError } from './user-job-status.ts';
import { tellGoing } from './who-went.ts';

/** The keyed hash of an address that an erasure is remembered by, whoever made its letters small: we, or the database. */
export const erasedEmailHash = (secret: string, email: string): string =>
  createHmac('sha256', secret)
    .update(`erased:${lowerCase(email)}`)
    .digest('base64url');

/**
 * Empties a user: the row stays with its id, its day and a placeholder address; what hangs on it goes as `belongings.ts` says. All in the
 * transaction `sql` runs in. Done already, it does nothing.
 * @returns the addresses they are known by no more, those they had before among them
 * @throws UserJobError when the user is gone
 */
export async function eraseUser(sql: Sql, jobId: number, secret: string): Promise<string[]> {
  const [job] = await sql<{ user_id: number; options: EraseOption[] }>(
    `select user_id, options from core_erasure where id = $1 and status = 'pending' for update`,
    [jobId],
  );
  if (!job) return [];
  const { user_id: userId, options } = job;
  const [user] = await sql<{ email: string }>('select email from core_user where id = $1 for update', [userId]);
  if (!user) throw new UserJobError(`There is no user ${userId} any more.`);

  const emails = await addressesOf(sql, userId);
  await tellGoing(sql);
  // First, since it reads much, and from the next steps on others may wait.
  await forgetInTexts(sql, emails);
  await forgetInShownRows(sql, emails);
  await unsubscribe(sql, { userIds: [userId], change: 'unsubscribe_erase' });
  // Addresses proofs went to: the person may have been a reviewer. Where some are still to go out their place stays, by which it is known who has had theirs.
  await sql(
    `update core_mailingproof set reviewers = (
       select coalesce(jsonb_agg(case when lower(x) = any($1::text[]) then '' else x end order by n) filter (where not finished or lower(x) <> all($1::text[])), '[]')
       from jsonb_array_elements_text(reviewers) with ordinality e (x, n))
     where reviewers::text ilike '%@%' and exists (select from jsonb_array_elements_text(reviewers) x where lower(x) = any($1::text[]))`,
    [textArray(emails)],
  );
  await dropCached(sql);
  for (const { table, column, through, by, erase } of BELONGINGS) {
    if (typeof erase === 'string' || (erase.only && !options.includes(erase.only))) continue;
    const owner = through ? `${column} in (select id from ${through.table} where ${through.column} = $1)` : `${column} = $1`;
    const where = by === 'email' ? `lower(${column}) = any($1::text[])` : owner;
    const whose = [by === 'email' ? textArray(emails) : userId];
    if (through && 'delete' in erase) await touchOwners(sql, through, `select from ${table} where ${column} = x.id`, userId);
    await sql('set' in erase ? updateSets(table, erase.set, where) : `delete from ${table} where ${where}`, whose);
  }
  if (options.includes('order_user_details')) await forgetLeftAttempts(sql, userId, (email) => erasedEmailHash(secret, email));
  else await gatherAttempts(sql, emails, user.email);
  await disconnectErased(sql, userId);
  await sql(
    `update partner_intent set error = '${NOT_KEPT}' where (kind = 'user' and local_id = $1)
       or (kind = 'order' and local_id in (select id from core_order where user_id = $1))
       or (kind = 'transaction' and local_id in (select t.id from core_transaction t join core_order o on o.id = t.order_id where o.user_id = $1))`,
    [userId],
  );
  // Late, since until the end of the transaction the mailings they wait in can record nothing for the people beside them, and a lease ends in seconds.
  await eraseRecipient(sql, userId);
  const blank = PERSON_COLUMNS.filter((column) => column !== 'email').map((column) => `${column} = ''`);
  await sql(
    `update core_user set ${blank.join(', ')}, lang_id = null, email = $2, updated_at = now(),
       subscription_status = case when subscription_status = 'never' then 'never' else 'unsubscribed' end where id = $1`,
    [userId, emptiedAddress()],
  );
  await beginRunningAnew(sql);
  await completeErasure(sql, jobId, erasedEmailHash(secret, user.email));
  return emails;
}

/** Rows that are as they are to be stay untouched. */
function updateSets(table: string, set: Record<string, string>, where: string): string {
  const sets = Object.entries(set);
  const others = sets.filter(([name]) => name !== 'updated_at').map(([name, value]) => `x.${name} is distinct from (${value})`);
  return `update ${table} x set ${sets.map(([name, value]) => `${name} = ${value}`).join(', ')} where ${where} and (${others.join(' or ')})`;
}

/** What is shown with a row and goes is a change of that; one that this erasure has changed already is not written a second time. @param some a query over the row `x` */
const touchOwners = (sql: Sql, { table, column }: NonNullable<Belonging['through']>, some: string, userId: number): Promise<unknown> =>
  sql(`update ${table} x set updated_at = now() where ${column} = $1 and updated_at <> now() and exists (${some})`, [userId]);
