import type { Pool } from '../../db/driver.ts';
import { outlast } from '../../db/outlast.ts';
import { isCommitUncertain } from '../../db/uncertain-commit.ts';

// How far the mails of a result are: as many as `mails_over` are over, and one more may be with the relay while `mails_begun` is ahead of that.

/**
 * Takes the mail to one of the addresses, before the relay can possibly have it. Where the answer to that is lost the mail has gone nowhere: it is put back,
 * unless it is another attempt's by then, which is known by the moment of its taking.
 * @param nth of the result that it brings
 * @returns the moment of its taking; null when it is not to be sent: it is over, or of a result that is made anew, or was, or a worker ended while it was on its way, which is written down
 */
export async function beginReportMail(pool: Pool, taskId: number, index: number, nth: number): Promise<string | null> {
  const { rows } = await pool.query<{ at: string }>('select clock_timestamp()::text as at');
  const { at } = rows[0]!;
  try {
    const { rowCount } = await pool.query(
      `update core_backgroundtask set mails_begun = $2::int + 1, updated_at = $3 where id = $1 and status = 'completed' and mails_begun = $2
         and runs + overtaken = $4`,
      [taskId, index, at, nth],
    );
    if (rowCount) return at;
  } catch (error) {
    // Of one that cannot be put back it is said that nobody knows.
    if (isCommitUncertain(error)) await outlast(() => putBack(pool, taskId, index, at)).catch(() => {});
    throw error;
  }
  // One whose task was begun anew since it was read, somebody having been erased, was never on its way: it goes out with the next result.
  const begun = await pool.query('select from core_backgroundtask where id = $1 and mails_begun > $2', [taskId, index]);
  if (begun.rowCount) await endReportMail(pool, taskId, index, LOST);
  return null;
}

/**
 * Also where this comes late, when the mail is another attempt's: a result that was taken again has another moment. One that is made anew, or was and has not been
 * taken since, has another one, too.
 * @param at of its taking
 */
const putBack = (pool: Pool, taskId: number, index: number, at: string): Promise<unknown> =>
  pool.query(
    `update core_backgroundtask set mails_begun = $2::int, updated_at = now()
      where id = $1 and mails_begun = $2::int + 1 and mails_over = $2 and (updated_at = $3 or status <> 'completed' or updated_at = finished_at)`,
    [taskId, index, at],
  );

/** The relay certainly does not have it: to be begun again. @param at of its taking */
export async function reportMailNotSent(pool: Pool, taskId: number, index: number, at: string): Promise<void> {
  await outlast(() => putBack(pool, taskId, index, at));
}

/** Of one whose attempt was taken for dead. */
const LOST = 'uncertain: the worker ended while this mail was on its way to the relay';
const saidOf = (index: number, message: string | undefined) => (message ? [`Mail ${index + 1}: ${message}`] : []);

/** The relay has said what became of it; also where another attempt took it for lost. @param message of endReportMail */
export async function endTakenMail(pool: Pool, taskId: number, index: number, message?: string): Promise<void> {
  await endReportMail(pool, taskId, index, message);
  const [lost] = saidOf(index, LOST);
  // Its moment stays: by that the attempt that has taken the next mail knows its own.
  await outlast(() =>
    pool.query('update core_backgroundtask set errors = (errors - $2::text) || $3::jsonb where id = $1 and errors ? $2::text', [
      taskId,
      lost,
      JSON.stringify(saidOf(index, message)),
    ]),
  );
}

/** The mail to one of the addresses is over; once. @param message what its task shall say of it: it was not mailed for sure */
export const endReportMail = (pool: Pool, taskId: number, index: number, message?: string): Promise<void> =>
  outlast(async () => {
    await pool.query(
      `update core_backgroundtask set mails_begun = greatest(mails_begun, $2::int + 1), mails_over = $2::int + 1, errors = errors || $3::jsonb, updated_at = now()
        where id = $1 and mails_over = $2`,
      [taskId, index, JSON.stringify(saidOf(index, message))],
    );
  });
