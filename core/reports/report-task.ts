import type { Pool } from '../../db/driver.ts';
import type { Sql } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { UnavailableError } from '../../domain/errors.ts';
import type { ReportFormat } from '../../domain/reports/formats.ts';
import type { BoundStatement } from '../../domain/reports/placeholders.ts';
import { rowName } from '../row-name.ts';
import { leaseClock } from '../sending/lease-clock.ts';
import { toldSince } from './told-since.ts';

// The rows of reports that run in the background: what to run, how far it is, and where its result lies. Nothing else writes their status.

/** Reports of one account that are not over. */
const MOST_UNFINISHED = 50;

/** Name of the file a result is kept in. */
export const resultFile = (taskId: number, format: ReportFormat): string => `report-${taskId}.${format}`;

export interface NewReportTask {
  shortName: string;
  statement: BoundStatement;
  format: ReportFormat;
  /** Whether the result is given out as an archive. */
  zipped?: boolean;
  /** Who is told of the result. */
  emails: string[];
  accountId: number | null;
}

/**
 * @returns the id of the task
 * @throws UnavailableError while the account has enough of them in line
 */
export async function addReportTask(sql: Sql, task: NewReportTask): Promise<number> {
  // One of an account at a time, or many at once would each see room.
  await sql('select from auth_user where id = $1 for no key update', [task.accountId]);
  const unfinished = await sql(
    `select from core_backgroundtask where submitter_id = $1 and status in ('pending', 'running') limit ${MOST_UNFINISHED}`,
    [task.accountId],
  );
  if (unfinished.length >= MOST_UNFINISHED)
    throw new UnavailableError(`This account has ${MOST_UNFINISHED} reports in the background already; try again when some are over.`);
  const [made] = await sql<{ id: number }>(
    `insert into core_backgroundtask (short_name, statement, format, zipped, emails, submitter_id) values ($1, $2, $3, $4, $5, $6) returning id`,
    [task.shortName, JSON.stringify(task.statement), task.format, task.zipped ?? false, JSON.stringify(task.emails), task.accountId],
  );
  return made!.id;
}

export interface BegunReportTask {
  statement: BoundStatement;
  format: ReportFormat;
  emails: string[];
  /** How often it was begun, this time included, but for when it only waited. */
  runs: number;
  /** Which beginning this is, those that an erasure overtook counted: only the last one may end the task. */
  nth: number;
}

/** What a try goes by before it has a place: who asked for the report, null when nobody is known, and which beginning was the last one. */
export async function readReportLine(pool: Pool, taskId: number): Promise<{ account: number | null; nth: number }> {
  const { rows } = await pool.query<{ account: number | null; nth: number }>(
    'select submitter_id as account, runs + overtaken as nth from core_backgroundtask where id = $1',
    [taskId],
  );
  return rows[0] ?? { account: null, nth: 0 };
}

/** @returns what is to be run; null when the task is over or gone. Begun before, it is begun anew */
export async function beginReportTask(pool: Pool, taskId: number): Promise<BegunReportTask | null> {
  const { rows } = await pool.query<BegunReportTask>(
    `update core_backgroundtask set status = 'running', runs = runs + 1, started_at = coalesce(started_at, now()), updated_at = now()
      where id = $1 and status in ('pending', 'running') returning statement, format, emails, runs - waited as runs, runs + overtaken as nth`,
    [taskId],
  );
  return rows[0] ?? null;
}

/** A transaction that waits for its own next statement for twenty seconds has lost what it holds (db/idle-transactions.ts). */
const LONGEST_ASKED_MS = 10_000;

/**
 * The task has its result, unless it is another attempt's by now, was deleted, or has failed: an attempt that was given up, and wakes or ends late, may have read
 * somebody who was erased since.
 * @param keep gives the result its name, while nobody else can
 * @param now by the lease clock
 * @returns whether it has
 * @throws Error where it took so long that nobody knows whether the task is still held for it: its answer may come to a process that stood still, long after the database has given it up
 */
export function completeReportTask(
  pool: Pool,
  taskId: number,
  { nth, rows, bytes }: { nth: number; rows: number; bytes: number },
  keep: (sql: Sql) => Promise<void>,
  now: () => number = leaseClock,
): Promise<boolean> {
  return inOneTransaction(pool, async (sql) => {
    const asked = now();
    const completed = await sql(
      `update core_backgroundtask set status = 'completed', row_count = $3, byte_count = $4, finished_at = now(), updated_at = now(), errors = '[]'
        where id = $1 and status = 'running' and runs + overtaken = $2 returning id`,
      [taskId, nth, rows, bytes],
    );
    if (completed.length === 0) return false;
    if (now() - asked > LONGEST_ASKED_MS) throw new Error('the end of a report took too long to be written');
    await keep(sql);
    return true;
  });
}

/** Somebody is erased: what runs may have read them before. Its result is thrown away, and the sweep has it begun anew. */
export const beginRunningAnew = (sql: Sql): Promise<unknown> =>
  sql(
    `update core_backgroundtask set status = 'pending', runs = runs - 1, overtaken = overtaken + 1, updated_at = now() where status = 'running'`,
  );

/** So often a report is begun anew for people who are erased: then those who come later wait for it. */
const MOST_OVERTAKEN = 3;

/** Whether a report is running that was overtaken so often that an erasure is to let it come to its end. */
export async function runsAfterErasures(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from core_backgroundtask where status = 'running' and overtaken >= ${MOST_OVERTAKEN} limit 1`,
  );
  return rowCount !== 0;
}

/**
 * It has no place: begun before, its run or its worker having ended since, it does not run any more. An attempt that still does, given up, leaves no result.
 * @param nth of readReportLine: one that was begun since has a place
 */
export async function noteInLine(pool: Pool, taskId: number, nth: number): Promise<void> {
  await pool.query(
    `update core_backgroundtask set status = 'pending', updated_at = now() where id = $1 and status = 'running' and runs + overtaken = $2`,
    [taskId, nth],
  );
}

/** After so long what keeps a report from its end counts as its own doing: it may be larger than the disk will ever be. */
const WAITS_LONGEST = '3 days';

/**
 * Why it does not go on just now.
 * @param counts whether it was begun once more by this: not where only what it needs was missing. Nothing, where another attempt has begun it since. The count of
 * beginnings never goes back by it: an attempt that was given up would be taken for the last one
 */
export async function noteWaiting(pool: Pool, taskId: number, { nth }: BegunReportTask, reason: string, counts: boolean): Promise<void> {
  await pool.query(
    `update core_backgroundtask set errors = $3, updated_at = now(),
       waited = waited + (not $4::boolean and created_at > now() - interval '${WAITS_LONGEST}')::int
      where id = $1 and status = 'running' and runs + overtaken = $2`,
    [taskId, nth, JSON.stringify([reason]), counts],
  );
}

/**
 * @param gone `goneSoFar` before what is told of was begun, where the database told it
 * @param nth which beginning says so: nothing, where another attempt has begun it since
 */
export async function failReportTask(
  pool: Pool,
  taskId: number,
  errors: string[],
  { gone, nth = null }: { gone?: string | null; nth?: number | null } = {},
): Promise<void> {
  await inOneTransaction(pool, async (sql) => {
    const told = gone === undefined ? errors : await toldSince(sql, gone, errors);
    await sql(
      `update core_backgroundtask set status = 'failed', errors = $2, finished_at = now(), updated_at = now()
        where id = $1 and status in ('pending', 'running') and ($3::int is null or runs + overtaken = $3)`,
      [taskId, JSON.stringify(told), nth],
    );
  });
}

export interface CompletedReportTask {
  /** By which mailboxes know its mails again. */
  name: string;
  short_name: string;
  format: ReportFormat;
  zipped: boolean;
  emails: string[];
  row_count: number | null;
  /** Which beginning it is the result of. */
  nth: number;
}

/** @returns null until there is a result */
export async function completedReportTask(pool: Pool, taskId: number): Promise<CompletedReportTask | null> {
  const { rows } = await pool.query<CompletedReportTask>(
    `select ${rowName('t')} as name, short_name, format, zipped, emails, row_count, runs + overtaken as nth
     from core_backgroundtask t where id = $1 and status = 'completed'`,
    [taskId],
  );
  return rows[0] ?? null;
}

/** Whether a result is still to be mailed to somebody. */
export const MAILS_WAIT = `status = 'completed' and mails_over < jsonb_array_length(emails)`;

/** Somebody is erased who stands in these results: those that are still to be mailed are run anew, for whoever waits for one hears of no task that is gone. Who has had it has had it. */
export const beginUnmailedAnew = (sql: Sql, taskIds: number[]): Promise<unknown> =>
  sql(
    `update core_backgroundtask set status = 'pending', row_count = null, byte_count = null, finished_at = null, runs = runs - 1, overtaken = overtaken + 1,
       updated_at = now() where id = any($1::int[]) and status = 'completed' and ${MAILS_WAIT}`,
    [taskIds],
  );

/** Files of the results there are. */
export async function keptResults(pool: Pool): Promise<Set<string>> {
  const { rows } = await pool.query<{ id: number; format: ReportFormat }>(
    `select id, format from core_backgroundtask where status = 'completed'`,
  );
  return new Set(rows.map(({ id, format }) => resultFile(id, format)));
}
