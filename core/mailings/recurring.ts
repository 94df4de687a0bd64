import type { Env } from '../../config/env.ts';
import type { Pool } from '../../db/driver.ts';
import type { Sql } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { InputError } from '../../domain/errors.ts';
import type { Recurrence } from '../../domain/recurrence.ts';
import { checkContent } from './check-content.ts';
import { copyMailing } from './copy-mailing.ts';
import { beginRecurring, queueCopy } from './transitions.ts';

/**
 * Makes the copy of a recurring mailing that a run sends: queued, its users to be built when it is sent. A run has one copy, however often this is tried.
 * @param run id of the run
 * @returns the id of the copy; null while nothing is sent here at all; false when the mailing is not to recur
 */
export function copyRecurring(
  pool: Pool,
  mailingId: number,
  run: string,
  env: Pick<Env, 'SENDING_ENABLED'>,
): Promise<number | null | false> {
  return inOneTransaction(pool, async (sql) => {
    if (!(await isRecurring(sql, mailingId))) return false;
    const [made] = await sql<{ mailing_id: number }>('select mailing_id from core_recurringcopy where run = $1', [run]);
    if (made) return made.mailing_id;
    if (!env.SENDING_ENABLED) return null;
    const copy = await copyMailing(sql, mailingId, { targeting: true, testGroup: false });
    await queueCopy(sql, mailingId, copy);
    await sql('insert into core_recurringcopy (run, mailing_id) values ($1, $2)', [run, copy]);
    return copy;
  });
}

/** Locks the mailing: a stop comes before the copy or after it. */
async function isRecurring(sql: Sql, mailingId: number): Promise<boolean> {
  const [row] = await sql(
    `select m.id from core_mailing m join core_recurringschedule r on r.mailing_id = m.id
     where m.id = $1 and m.status = 'recurring' and r.active for update of m`,
    [mailingId],
  );
  return row !== undefined;
}

/** The mailings that recur, and when. */
export async function readRecurring(pool: Pool): Promise<(Recurrence & { mailingId: number })[]> {
  const { rows } = await pool.query<Recurrence & { mailingId: number }>(
    `select r.mailing_id as "mailingId", r.period, r.minute, r.hour, r.weekday, r.day, r.timezone
     from core_recurringschedule r join core_mailing m on m.id = r.mailing_id where r.active and m.status = 'recurring'`,
  );
  return rows;
}

/** The schedule of a mailing that was stopped: it is kept, and starts nothing any more. */
export async function switchOffSchedule(sql: Sql, mailingId: number): Promise<void> {
  await sql('update core_recurringschedule set active = false, updated_at = now() where mailing_id = $1', [mailingId]);
}

/** When a mailing recurs, as its schedule has it. */
export interface MailingSchedule extends Recurrence {
  mailingId: number;
  active: boolean;
}

export async function readSchedule(sql: Sql, id: number): Promise<MailingSchedule> {
  const [row] = await sql<MailingSchedule>(
    `select mailing_id as "mailingId", active, period, minute, hour, weekday, day, timezone from core_recurringschedule where id = $1`,
    [id],
  );
  return row!;
}

/** A draft that has all it needs begins to recur. @throws InputError */
export async function makeRecurring(sql: Sql, mailingId: number, accountId: number): Promise<void> {
  const [mailing] = await sql<{ status: string; subjects: boolean; html: boolean; fromline: boolean }>(
    `select status, exists (select from core_mailingsubject where mailing_id = m.id) as subjects, btrim(html) <> '' as html,
       fromline_id is not null or custom_fromline <> '' as fromline from core_mailing m where id = $1 for update`,
    [mailingId],
  );
  if (!mailing || !['draft', 'recurring'].includes(mailing.status)) {
    throw new InputError({ mailing: `The mailing is ${mailing?.status}; only a draft can recur.` });
  }
  const missing = (['subjects', 'html', 'fromline'] as const).filter((part) => !mailing[part]);
  if (missing.length) throw new InputError({ mailing: `The mailing lacks ${missing.join(', ')}.` });
  await checkContent(sql, mailingId);
  await beginRecurring(sql, mailingId, accountId);
}
