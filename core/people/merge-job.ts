import type { Sql } from '../../db/sql.ts';
import { inLongTransaction } from '../../db/transaction.ts';
import { InputError } from '../../domain/errors.ts';
import { json, run, tables } from '../../entities/tables.ts';
import type { CoreDeps } from '../deps.ts';
import { missingIds, type Referents } from '../references.ts';
import { isErased } from './erased.ts';
import { type MergeWish, mergeUsers } from './merge.ts';
import { failUserJob } from './user-job-status.ts';

/**
 * Writes down that users are to be merged.
 * @returns the id of the job
 * @throws InputError for what is not there, and for users another merge waits for
 */
export async function addMerge(sql: Sql, registry: Referents, wish: MergeWish): Promise<number> {
  // One after the other, so that two requests naming one user cannot both find no pending merge.
  await sql(`select pg_advisory_xact_lock(hashtext('core_usermerge'))`);
  const errors = await notThere(sql, registry, wish);
  if (await isErased(sql, wish.primary_user))
    errors['primary_user'] ??= `User ${wish.primary_user} was erased: name another to merge the others into.`;
  const pending = await pendingMerge(sql, wish);
  if (pending) errors[pending.field] ??= `${pending.field} names a user of merge ${pending.id}, which is pending.`;
  if (Object.keys(errors).length > 0) throw new InputError(errors);
  const { primary_user, address_user, source_user, sms_user } = wish;
  const users = json<number[]>(JSON.stringify(wish.users));
  const lists = wish.lists === null ? null : json<number[]>(JSON.stringify(wish.lists));
  const merge = tables.insertInto('core_usermerge').values({ primary_user, users, address_user, source_user, sms_user, lists });
  const [job] = await run(sql, merge.returning('id'));
  return job!.id;
}

async function notThere(sql: Sql, registry: Referents, wish: MergeWish): Promise<Record<string, string>> {
  const errors: Record<string, string> = {};
  for (const [field, to, ids] of [
    ['primary_user', 'user', [wish.primary_user]],
    ['users', 'user', wish.users],
    ['lists', 'list', wish.lists ?? []],
  ] as const) {
    const missing = await missingIds(sql, registry, to, [...ids]);
    if (missing.length > 0) errors[field] = `${field} refers to nothing: there is no ${to} ${missing.slice(0, 5).join(', ')}.`;
  }
  return errors;
}

async function pendingMerge(sql: Sql, wish: MergeWish): Promise<{ id: number; field: 'primary_user' | 'users' } | null> {
  const [pending] = await sql<{ id: number; primary_user: number }>(
    `select id, primary_user from core_usermerge where status = 'pending' and (primary_user = any($1::int[])
       or exists (select from jsonb_array_elements(users) u where u::int = any($1::int[])))`,
    [[wish.primary_user, ...wish.users]],
  );
  return pending ? { id: pending.id, field: wish.primary_user === pending.primary_user ? 'primary_user' : 'users' } : null;
}

/** Merges the users of a job and records how it ended. */
export async function runMerge(deps: Pick<CoreDeps, 'pool' | 'log'>, jobId: number): Promise<void> {
  try {
    await inLongTransaction(deps.pool, (sql) => mergeUsers(sql, jobId));
  } catch (error) {
    await failUserJob(deps, 'core_usermerge', jobId, error);
  }
}
