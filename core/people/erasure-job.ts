import type { Pool } from '../../db/driver.ts';
import type { Sql } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { InputError } from '../../domain/errors.ts';
import type { CoreDeps } from '../deps.ts';
import { forgetInReports } from '../reports/forget.ts';
import { diskReportFiles } from '../reports/report-files.ts';
import type { EraseOption } from './belongings.ts';
import { eraseUser } from './erase.ts';
import { failUserJob } from './user-job-status.ts';

/** Whom to erase, by id or by email, and what beyond the person. */
export interface ErasureWish {
  userId: number | null;
  email: string | null;
  options: EraseOption[];
}

/** Writes down that a user is to be erased. @throws InputError when there is no such user */
export async function addErasure(sql: Sql, { userId, email, options }: ErasureWish): Promise<{ userId: number; jobId: number }> {
  const [user] =
    userId === null
      ? await sql<{ id: number }>('select id from core_user where lower(email) = lower($1)', [email])
      : await sql<{ id: number }>('select id from core_user where id = $1', [userId]);
  if (!user) throw new InputError(userId === null ? { email: 'No user has this email.' } : { user_id: `There is no user ${userId}.` });
  const [job] = await sql<{ id: number }>('insert into core_erasure (user_id, options) values ($1, $2::jsonb) returning id', [
    user.id,
    JSON.stringify(options),
  ]);
  return { userId: user.id, jobId: job!.id };
}

/** How far an erasure is; null when its row is gone. */
export async function erasureState(pool: Pool, jobId: number): Promise<{ status: string; errors: string[] } | null> {
  const { rows } = await pool.query<{ status: string; errors: string[] }>('select status, errors from core_erasure where id = $1', [jobId]);
  return rows[0] ?? null;
}

/** Erases the user of a job and records how it ended. */
export async function runErasure(deps: Pick<CoreDeps, 'pool' | 'env' | 'log'>, jobId: number): Promise<void> {
  const { pool, env } = deps;
  try {
    // First, while the address is known: the transaction takes it away.
    const { rows } = await pool.query<{ email: string }>(
      `select u.email from core_erasure e join core_user u on u.id = e.user_id where e.id = $1 and e.status = 'pending'`,
      [jobId],
    );
    if (rows[0]) await forgetInReports(pool, diskReportFiles(env.DATA_DIR), rows[0].email);
    await inOneTransaction(pool, (sql) => eraseUser(sql, jobId, env.SECRET_KEY));
  } catch (error) {
    await failUserJob(deps, 'core_erasure', jobId, error);
  }
}
