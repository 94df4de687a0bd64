import { textArray } from '../../db/array-literals.ts';
import type { Pool } from '../../db/driver.ts';
import { type Sql, sqlOn } from '../../db/sql.ts';
import { inLongTransaction } from '../../db/transaction.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { fragment, json, run, tables } from '../../entities/tables.ts';
import type { CoreDeps } from '../deps.ts';
import { forgetInReports } from '../reports/forget.ts';
import { reportFiles } from '../reports/kept-report-files.ts';
import { beginRunningAnew, runsAfterErasures } from '../reports/report-task.ts';
import type { EraseOption } from './belongings.ts';
import { eraseUser } from './erase.ts';
import { addressesOf } from './former-addresses.ts';
import { failUserJob } from './user-job-status.ts';

/** Whom to erase, by id or by email, and what beyond the person. */
export interface ErasureWish {
  userId: number | null;
  email: string | null;
  options: EraseOption[];
}

/** Writes down that a user is to be erased. @returns the id of the job @throws InputError when there is no such user */
export async function addErasure(sql: Sql, { userId, email, options }: ErasureWish): Promise<number> {
  // Held: a merge that is taking them is waited for, and one that comes after this finds that they are to be erased.
  const users = tables.selectFrom('core_user').select('id').forKeyShare();
  const [user] = await run(
    sql,
    userId === null ? users.where(fragment<boolean>`lower(email) = lower(${email})`) : users.where('id', '=', userId),
  );
  if (!user) throw new InputError(userId === null ? { email: 'No user has this email.' } : { user_id: `There is no user ${userId}.` });
  const wish = { user_id: user.id, options: json<EraseOption[]>(JSON.stringify(options)) };
  const [job] = await run(sql, tables.insertInto('core_erasure').values(wish).returning('id'));
  return job!.id;
}

/** Whom a job erases. @throws NotFoundError when it is gone */
export async function userOfErasure(sql: Sql, jobId: number): Promise<number> {
  const [job] = await run(sql, tables.selectFrom('core_erasure').where('id', '=', jobId).select('user_id'));
  if (!job) throw new NotFoundError();
  return job.user_id;
}

/** Whether an erasure was asked for within the last so many milliseconds, and waits. */
async function isYoung(pool: Pool, jobId: number, ms: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from core_erasure where id = $1 and status = 'pending' and created_at > now() - $2 * interval '1 ms'`,
    [jobId, ms],
  );
  return rowCount !== 0;
}

/** How far an erasure is; null when its row is gone. It is not over while results of reports are still to be searched: until then it keeps the addresses itself. */
export async function erasureState(pool: Pool, jobId: number): Promise<{ status: string; errors: string[] } | null> {
  const [state] = await sqlOn(pool)<{ status: string; errors: string[] }>(
    `select case when to_find is null then status else 'pending' end as status, errors from core_erasure where id = $1`,
    [jobId],
  );
  return state ?? null;
}

/** Whether a job is over, and has erased nobody. */
export async function hasFailed(sql: Sql, jobId: number): Promise<boolean> {
  const jobs = tables.selectFrom('core_erasure').select('id').where('id', '=', jobId).where('status', '=', 'failed');
  return (await run(sql, jobs)).length > 0;
}

/** A report that was begun anew for several erasures comes to its end first. */
export class ReportFirstError extends Error {
  constructor() {
    super('a report that erasures had begun anew several times is let come to its end first');
  }
}

/** After the commit, also one whose process died then: results were written meanwhile, and reports begun before it read the addresses yet. */
async function findOnceMore({ pool, env }: Pick<CoreDeps, 'pool' | 'env'>, jobId: number): Promise<void> {
  const sql = sqlOn(pool);
  const [job] = await sql<{ addresses: string[] | null }>('select to_jsonb(to_find) as addresses from core_erasure where id = $1', [jobId]);
  if (!job?.addresses) return;
  await beginRunningAnew(sql);
  await forgetInReports(pool, reportFiles({ env, pool }), job.addresses);
  await sql('update core_erasure set to_find = null, updated_at = now() where id = $1', [jobId]);
}

/**
 * Erases the user of a job and records how it ended.
 * @throws ReportFirstError, to be tried again; no erasure waits for longer than one report may run
 */
export async function runErasure(deps: Pick<CoreDeps, 'pool' | 'env' | 'log'>, jobId: number): Promise<void> {
  const { pool, env } = deps;
  try {
    if ((await isYoung(pool, jobId, env.BACKGROUND_REPORT_TIMEOUT_MS)) && (await runsAfterErasures(pool))) throw new ReportFirstError();
    // First, while the addresses are known: the transaction takes them away.
    const [job] = await run(
      sqlOn(pool),
      tables.selectFrom('core_erasure').where('id', '=', jobId).where('status', '=', 'pending').select('user_id'),
    );
    const known = job ? await addressesOf(sqlOn(pool), job.user_id) : [];
    if (known.length > 0) await forgetInReports(pool, reportFiles({ env, pool }), known);
    await inLongTransaction(pool, async (sql) => {
      const erased = await eraseUser(sql, jobId, env.SECRET_KEY);
      const toFind = textArray([...new Set([...known, ...erased])]);
      if (erased.length > 0) await sql('update core_erasure set to_find = $2::text[] where id = $1', [jobId, toFind]);
    });
    await findOnceMore(deps, jobId);
  } catch (error) {
    await failUserJob(deps, 'core_erasure', jobId, error);
  }
}
