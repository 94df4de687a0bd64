import type { Sql } from '../../db/sql.ts';
import { againAfterDeadlock, inLongTransaction } from '../../db/transaction.ts';
import { NotFoundError } from '../../domain/errors.ts';
import type { CoreDeps } from '../deps.ts';
import { noteGoing } from '../targeting/gone-excludes.ts';
import { emptyList } from './subscribing.ts';
import { completeListDeletion, failUserJob } from './user-job-status.ts';

// A list goes with who is on it and its history, but for the lines of those who left: results of mailings and charts count them. At once where that is little, else in
// batches, so that nobody waits long for the rows of people, and a request is answered at once.

/** Rows a request deletes by itself. */
const AT_ONCE = 5000;
/** People one transaction of the job holds. */
const PEOPLE = 1000;
/** Lines of the history it deletes. */
const LINES = 5000;

/**
 * Deletes a list, or writes down that it is to be deleted. Run inside a transaction.
 * @returns the id of the job; null when the list is gone
 * @throws NotFoundError
 */
export async function deleteList(sql: Sql, listId: number): Promise<number | null> {
  const [size] = await sql<{ much: boolean }>(
    `select (select count(*) from (select from core_subscription where list_id = $1 limit $2) s) = $2
       or (select count(*) from (select from core_subscriptionhistory where list_id = $1 limit $2) h) = $2 as much`,
    [listId, AT_ONCE],
  );
  if (size!.much) {
    await holdList(sql, listId);
    return addJob(sql, listId);
  }
  await holdPages(sql, listId);
  // People before their list, as whoever joins or leaves it takes them; then those who came meanwhile.
  await emptyList(sql, listId);
  await clearHistory(sql, listId, AT_ONCE);
  await holdList(sql, listId);
  await emptyList(sql, listId);
  await clearHistory(sql, listId, AT_ONCE);
  await sql('delete from core_list where id = $1', [listId]);
  return null;
}

/** What names the list, and does not any more without it; before people, as whoever deletes a page comes to those who left by it. */
const holdPages = (sql: Sql, listId: number) => sql('select from core_page where list_id = $1 order by id for no key update', [listId]);

/** @throws NotFoundError */
async function holdList(sql: Sql, listId: number): Promise<void> {
  const held = await sql('select id from core_list where id = $1 for update', [listId]);
  if (held.length === 0) throw new NotFoundError();
}

/** So many lines of a list's history: of who left they are of no list any more, the others go. @returns how many there were */
async function clearHistory(sql: Sql, listId: number, most: number): Promise<number> {
  const lines = await sql<{ id: string; stays: boolean; counted: number | null }>(
    `select id, change like 'unsubscribe%' as stays, case when mailing_id is not null then user_id end as counted
     from core_subscriptionhistory where list_id = $1 order by id limit $2`,
    [listId, most],
  );
  // Whom the results of a mailing count are held by its tallies, and by whoever deletes them before they come to their lines.
  await sql('select from core_user where id = any($1) order by id for no key update', [lines.map(({ counted }) => counted)]);
  const ids = (stay: boolean) => lines.filter(({ stays }) => stays === stay).map(({ id }) => id);
  await sql('update core_subscriptionhistory set list_id = null where id = any($1)', [ids(true)]);
  await sql('delete from core_subscriptionhistory where id = any($1)', [ids(false)]);
  return lines.length;
}

/** Of two who delete the same list the second finds the job of the first. */
async function addJob(sql: Sql, listId: number): Promise<number> {
  await noteGoing(sql, 'core_list', listId);
  await sql(
    `insert into core_listdeletion (list_id, people)
     select $1::int, coalesce(sum(delta), 0) from core_tally where counted = 'core_subscription' and facet = 'list_id' and value = $1::int::text
     on conflict (list_id) where status = 'pending' do nothing`,
    [listId],
  );
  const [job] = await sql<{ id: number }>(`select id from core_listdeletion where list_id = $1 and status = 'pending'`, [listId]);
  return job!.id;
}

/**
 * Goes on with a job for as long as `goesOn` says; a batch that was committed stays. What no further try can mend ends the job, with the reason.
 * @returns whether there is more to do
 */
export async function runListDeletion(deps: Pick<CoreDeps, 'pool' | 'log'>, jobId: number, goesOn: () => boolean): Promise<boolean> {
  try {
    while (goesOn()) {
      const more = await againAfterDeadlock(() => inLongTransaction(deps.pool, (sql) => deleteSome(sql, jobId)));
      if (!more) return false;
    }
    return true;
  } catch (error) {
    await failUserJob(deps, 'core_listdeletion', jobId, error);
    return false;
  }
}

async function deleteSome(sql: Sql, jobId: number): Promise<boolean> {
  const [job] = await sql<{ list_id: number }>(`select list_id from core_listdeletion where id = $1 and status = 'pending' for update`, [
    jobId,
  ]);
  if (!job) return false;
  await holdPages(sql, job.list_id);
  const { found, gone } = await emptyList(sql, job.list_id, PEOPLE);
  await countRemoved(sql, jobId, gone);
  if (found === PEOPLE) return true;
  if ((await clearHistory(sql, job.list_id, LINES)) === LINES) return true;
  // Whoever came onto the list meanwhile goes now; nobody comes after it.
  await sql('select id from core_list where id = $1 for update', [job.list_id]);
  const late = await emptyList(sql, job.list_id);
  await countRemoved(sql, jobId, late.gone);
  await clearHistory(sql, job.list_id, LINES);
  await sql('delete from core_list where id = $1', [job.list_id]);
  await completeListDeletion(sql, jobId);
  return false;
}

const countRemoved = (sql: Sql, jobId: number, many: number) =>
  sql('update core_listdeletion set removed = removed + $2, updated_at = now() where id = $1', [jobId, many]);
