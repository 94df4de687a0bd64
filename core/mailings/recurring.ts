import type { Env } from '../../config/env.ts';
import type { Pool } from '../../db/driver.ts';
import { type Sql, sqlOn } from '../../db/sql.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { InputError } from '../../domain/errors.ts';
import { contentRefusals } from '../../domain/mailing-status.ts';
import { areTimesOf, occasionOf, type Recurrence } from '../../domain/recurrence.ts';
import { modifierErrors } from '../../domain/targeting/change.ts';
import type { TargetingSettings } from '../../domain/targeting/fields.ts';
import type { MailingStatus } from '../../domain/words.ts';
import { fragment, NOW, run as runQuery, statement, tables } from '../../entities/tables.ts';
import { holdAccount } from '../accounts/hold-account.ts';
import type { TrackingSettings } from '../sending/tracked.ts';
import { checkToGoOut, keepParts } from './check-content.ts';
import { copyMailing } from './copy-mailing.ts';
import { holdMailing } from './existing.ts';
import { beginRecurring, queueCopy } from './transitions.ts';

/** A run of a recurring mailing, and the time it is for: null where no schedule started it, which stands for now. */
export interface RecurringRun {
  id: string;
  time: number | null;
  /** The times its schedule was for (`timesOf`), where that is known. */
  times?: string | undefined;
}

/**
 * Makes the copy of a recurring mailing that a run sends: queued, its users to be built when it is sent. A run has one copy, however often this is
 * tried, and a day's time by the clocks has one run with a copy: when the clocks are put back it comes twice.
 * @returns the id of the copy; null while nothing is sent here at all, where another run has made the copy, and where the time was none any more when it came; `late` where it is long past; false when the mailing is not to recur
 */
export function copyRecurring(
  pool: Pool,
  mailingId: number,
  run: RecurringRun,
  env: Pick<Env, 'SENDING_ENABLED' | 'SCHEDULE_GRACE_MINUTES'>,
): Promise<number | null | 'late' | false> {
  return inOneTransaction(pool, async (sql) => {
    const recurrence = await lockRecurring(sql, mailingId);
    // Tried again on another day, or when the mailing has other times, it has its copy all the same.
    const own = await copyOfRun(sql, run.id);
    if (own !== undefined) return own;
    if (!recurrence) return false;
    if (isOfBefore(recurrence, run)) return null;
    const occasion = occasionOfMailing(mailingId, recurrence, occasionOf(recurrence, run.time ?? (await now(sql)))) ?? run.id;
    const copies = tables.selectFrom('core_recurringcopy').where('occasion', '=', occasion);
    const [made] = await runQuery(sql, copies.select('run'));
    if (made) return null;
    if (!env.SENDING_ENABLED) return null;
    // Its run waited for a worker or the database: news of days ago is not sent, as with a mailing that was scheduled.
    if (run.time !== null && (await now(sql)) - run.time > env.SCHEDULE_GRACE_MINUTES * 60_000) return 'late';
    const copy = await copyMailing(sql, mailingId, { targeting: true, testGroup: false });
    await queueCopy(sql, mailingId, copy);
    await runQuery(sql, tables.insertInto('core_recurringcopy').values({ occasion, run: run.id, mailing_id: copy }));
    return copy;
  });
}

/** Which time of a mailing a copy is for, as its row has it; null for what is due every hour. */
export const occasionOfMailing = (mailingId: number, { timezone }: Recurrence, at: string | null): string | null =>
  at === null ? null : `${mailingId} ${at} ${timezone}`;

/** Moved to another time in the moment in which it is due: whoever moved it has been told so, or will be. What was due before they did goes out. */
const isOfBefore = (recurrence: Locked, { time, times }: RecurringRun): boolean =>
  time !== null && times !== undefined && !areTimesOf(times, recurrence) && time > recurrence.changedAt;

/** The copy a run has made already, its worker having died before it could say so: it is queued, and goes out though the mailing was stopped since. */
async function copyOfRun(sql: Sql, run: string): Promise<number | undefined> {
  const [made] = await runQuery(sql, tables.selectFrom('core_recurringcopy').where('run', '=', run).select('mailing_id'));
  return made?.mailing_id;
}

/** In milliseconds, by the clock of the database: a worker whose own is wrong would leave times out, or send what is days old. */
async function now(sql: Sql): Promise<number> {
  const [found] = await sql<{ now: number }>('select extract(epoch from clock_timestamp())::float8 * 1000 as now');
  return found!.now;
}

export const RECURRENCE = ['r.period', 'r.minute', 'r.hour', 'r.weekday', 'r.day', 'r.timezone'] as const;

/** The mailings that recur, `m`, each with its schedule, `r`. */
export const active = tables
  .selectFrom('core_mailing as m')
  .innerJoin('core_recurringschedule as r', 'r.mailing_id', 'm.id')
  .where('m.status', '=', 'recurring')
  // Who asked it to stop may have been killed before it was a draft again.
  .where('m.stop_requested', '=', false)
  .where('r.active', '=', true);

interface Locked extends Recurrence {
  /** When the schedule was changed last, in milliseconds, by the clock of the database. */
  changedAt: number;
}

/** Locks schedule and mailing, in the order of those who change a schedule: a stop or another time comes before the copy or after it. @returns when it recurs; undefined when it does not */
async function lockRecurring(sql: Sql, mailingId: number): Promise<Locked | undefined> {
  await sql('select from core_recurringschedule where mailing_id = $1 for share', [mailingId]);
  const changedAt = fragment<number>`(1000 * extract(epoch from r.updated_at))::float8`.as('changedAt');
  const mailing = active
    .where('m.id', '=', mailingId)
    .select([...RECURRENCE, changedAt])
    .forUpdate('m');
  const [recurrence] = await runQuery(sql, mailing);
  return recurrence;
}

/** Before an account gives a mailing a schedule: by the reference alone that would be held a little, and wait for whoever waits to change it. */
export async function holdForSchedule(sql: Sql, mailingId: number, accountId: number): Promise<void> {
  await holdAccount(sql, accountId);
  await sql('select from core_recurringschedule where mailing_id = $1 for share', [mailingId]);
  await holdMailing(sql, mailingId);
}

/** The mailings that recur, and when. */
export async function readRecurring(pool: Pool): Promise<(Recurrence & { mailingId: number })[]> {
  const schedules = active.select([...RECURRENCE, 'm.id as mailingId']);
  return runQuery(sqlOn(pool), schedules);
}

/**
 * Does something while nobody changes the schedule of a mailing: who does holds its row until the workflow service has taken the change.
 * @param work is told when the mailing recurs; undefined where it does not
 * @returns null where somebody changes it just now, and nothing was done
 */
export const whileUnchanged = <Result>(
  pool: Pool,
  mailingId: number,
  work: (recurrence: Recurrence | undefined) => Promise<Result>,
): Promise<Result | null> =>
  inOneTransaction(pool, async (sql) => {
    const held = await sql('select from core_recurringschedule where mailing_id = $1 for share skip locked', [mailingId]);
    if (!held.length) return null;
    const [recurrence] = await runQuery(sql, active.where('m.id', '=', mailingId).select(RECURRENCE));
    return work(recurrence);
  });

/** The schedule of a mailing that was stopped: it is kept, and starts nothing any more. */
export async function switchOffSchedule(sql: Sql, mailingId: number): Promise<void> {
  const off = tables.updateTable('core_recurringschedule').set({ active: false, updated_at: NOW });
  await runQuery(sql, off.where('mailing_id', '=', mailingId));
}

/** When a mailing recurs, as its schedule has it. */
export interface MailingSchedule extends Recurrence {
  mailingId: number;
  active: boolean;
}

export async function readSchedule(sql: Sql, id: number): Promise<MailingSchedule> {
  const schedule = tables
    .selectFrom('core_recurringschedule as r')
    .where('r.id', '=', id)
    .select([...RECURRENCE, 'r.mailing_id as mailingId', 'r.active']);
  const [row] = await runQuery(sql, schedule);
  return row!;
}

const ofMailing = statement(({ mailingId }: { mailingId: number }) =>
  tables
    .selectFrom('core_recurringschedule as r')
    .where('r.mailing_id', '=', mailingId)
    .select([...RECURRENCE, 'r.id', 'r.active']),
);

/** The schedule of a mailing; null where it has none. */
export async function scheduleOf(sql: Sql, mailingId: number): Promise<(Recurrence & { id: number; active: boolean }) | null> {
  const [row] = await ofMailing(sql, { mailingId });
  return row ?? null;
}

/** A copy that a recurring mailing was sent as. */
export interface RecurringCopy {
  id: number;
  status: MailingStatus;
  created_at: string;
}

/** What was sent of a recurring mailing, the newest first. */
export const recurringCopies = (sql: Sql, mailingId: number, most: number): Promise<RecurringCopy[]> =>
  sql<RecurringCopy>(
    `select id, status, ${timestampSql('created_at')} as created_at from core_mailing where recurring_source_mailing_id = $1 order by id desc limit $2`,
    [mailingId, most],
  );

/** What keeps a mailing from recurring, by field; nothing of a draft that has all it needs. */
export async function keptFromRecurring(sql: Sql, mailingId: number, settings: TrackingSettings): Promise<Record<string, string[]>> {
  const [mailing] = await sql<
    Pick<TargetingSettings, 'includes' | 'excludes'> & { status: string; subjects: number; html: string; hasFromLine: boolean }
  >(
    `select status, includes, excludes, (select count(*)::int from core_mailingsubject where mailing_id = m.id) as subjects, html,
       fromline_id is not null or custom_fromline <> '' as "hasFromLine" from core_mailing m where id = $1`,
    [mailingId],
  );
  if (!mailing || !['draft', 'recurring'].includes(mailing.status))
    return { mailing: [`The mailing is ${mailing?.status}; only a draft can recur.`] };
  const missing = Object.values(contentRefusals(mailing));
  const wrong = { ...(missing.length && { mailing: missing }), ...modifierErrors(mailing) };
  if (Object.keys(wrong).length) return wrong;
  try {
    await checkToGoOut(sql, mailingId, settings);
    return {};
  } catch (error) {
    if (error instanceof InputError) return error.fields;
    throw error;
  }
}

/** A draft that has all it needs begins to recur. @throws InputError */
export async function makeRecurring(sql: Sql, mailingId: number, accountId: number, settings: TrackingSettings): Promise<void> {
  await holdAccount(sql, accountId);
  await holdMailing(sql, mailingId);
  await keepParts(sql);
  const wrong = await keptFromRecurring(sql, mailingId, settings);
  if (Object.keys(wrong).length) throw new InputError(wrong);
  await beginRecurring(sql, mailingId, accountId);
}
