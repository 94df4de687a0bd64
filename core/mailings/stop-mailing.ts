import { setTimeout as sleep } from 'node:timers/promises';
import { escapeLiteral, type Pool } from '../../db/driver.ts';
import { sqlOn } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { InputError, NotFoundError, UnavailableError } from '../../domain/errors.ts';
import { checkStop, STOPPABLE } from '../../domain/mailing-status.ts';
import { notYoung } from '../not-young.ts';
import { statusOf } from './existing.ts';
import { switchOffSchedule } from './recurring.ts';
import { askToStop, endUnstarted, type QueuedAt, type Stopping, WAITING } from './transitions.ts';

export interface StopDeps {
  pool: Pool;
  /**
   * @param queuedAt which queueing is to be stopped, so that a word that arrives late stops no later one; null where that is not known
   * @throws NotFoundError when nobody runs the mailing; UnavailableError
   */
  tellRun: (mailingId: number, queuedAt: QueuedAt) => Promise<void>;
  /** @throws UnavailableError */
  removeSchedule: (mailingId: number) => Promise<void>;
}

/** So long a stop may take to be written down. */
const PATIENCE_MS = 1_000;
/** So long a stop waits for a mailing that has not begun to be a draft again, which its run makes it within moments; a silent run does so when it is back. */
export const MOMENTS_MS = 3_000;
const LOOK_MS = 20;

/**
 * Stops what is being sent, and takes what waits off the schedule; it ends within seconds.
 * @throws NotFoundError; InputError when there is nothing to stop
 */
export async function stopMailing(deps: StopDeps, id: number): Promise<void> {
  const stopping = await markOrTell(deps, id);
  if (stopping === null) return;
  // Recurring mailings have no run of their own that waits.
  if (stopping.status === 'recurring') await endRecurrence(deps, id);
  else await tellRun(deps, id, stopping);
}

/** Writes the stop down: every group commit of a send looks for it, so that it holds even if the workflow service is away. */
async function markStopped(pool: Pool, id: number): Promise<Stopping> {
  const marked = await askToStop(sqlOn(pool), id);
  if (marked) return marked;
  const status = await statusOf(pool, id);
  if (status === null) throw new NotFoundError();
  // Between the two statements it may have begun; then it is asked again.
  if (STOPPABLE.includes(status)) return markStopped(pool, id);
  checkStop(status);
  return { status, queuedAt: null };
}

/**
 * A row that somebody holds keeps the mark waiting, while the send goes on beside it: its run is told meanwhile. Where the row cannot be written, its run ends the
 * mailing as soon as it can be had, or has ended it.
 * @returns null where the run alone was told
 * @throws why it could not be written, where nobody runs it or can be told
 */
async function markOrTell({ pool, tellRun }: StopDeps, id: number): Promise<Stopping | null> {
  let telling: Promise<boolean> | undefined;
  const late = setTimeout(() => {
    telling = tellRun(id, null).then(
      () => true,
      () => false,
    );
  }, PATIENCE_MS);
  try {
    return await markStopped(pool, id);
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof InputError) throw error;
    if (await telling) return null;
    await tellRun(id, null).catch(() => {
      throw error;
    });
    return null;
  } finally {
    clearTimeout(late);
  }
}

/** The stop is written down and the sweep sees to the rest: where the database is lost right after it, an answer that nothing was changed would not be true. */
const leftToSweep = () => {};

/** Where nobody runs it there is nothing to wait for. */
async function tellRun(deps: StopDeps, id: number, stopping: Stopping): Promise<void> {
  try {
    await deps.tellRun(id, stopping.queuedAt);
    await untilDraft(deps.pool, id, stopping);
  } catch (error) {
    if (error instanceof NotFoundError) await endUnstarted(sqlOn(deps.pool), id, stopping).catch(leftToSweep);
    // Away: whoever runs the mailing, or takes it up again, finds the mark.
    else if (!(error instanceof UnavailableError)) throw error;
  }
}

/** Whoever changes or queues it right after its stop was answered finds it as it is then. What is being sent takes its seconds, and is not waited for. */
async function untilDraft(pool: Pool, id: number, { status, queuedAt }: Stopping): Promise<void> {
  if (!WAITING.includes(status)) return;
  const stillStopping = 'select from core_mailing where id = $1 and stop_requested and queued_at is not distinct from $2::timestamptz';
  for (const until = performance.now() + MOMENTS_MS; performance.now() < until; ) {
    await sleep(LOOK_MS);
    // The stop is written down and told: that it cannot be watched is no failure of it.
    const left = await pool.query(stillStopping, [id, queuedAt]).catch(() => null);
    if (!left?.rows.length) return;
  }
}

/** A schedule that cannot be taken away now is taken away by its own next run, which finds that nothing is to recur. */
async function endRecurrence({ pool, removeSchedule }: StopDeps, id: number): Promise<void> {
  if ((await endIfStopped(pool, id, 'true').catch(leftToSweep)) === false) return;
  try {
    await removeSchedule(id);
  } catch (error) {
    if (!(error instanceof UnavailableError || error instanceof NotFoundError)) throw error;
  }
}

const STOPPED = `status = 'recurring' and stop_requested`;

/**
 * A recurring mailing that is to stop is a draft again, with its schedule.
 * @param more SQL of what else has to be so
 * @returns false where it is not to stop any more
 */
function endIfStopped(pool: Pool, id: number, more: string): Promise<boolean> {
  return inOneTransaction(pool, async (sql) => {
    // In the order of those who change a schedule; who makes it active again takes the mark away.
    await sql('select from core_recurringschedule where mailing_id = $1 for update', [id]);
    const [stopping] = await sql<Stopping>(
      `select status, queued_at::text as "queuedAt" from core_mailing where id = $1 and ${STOPPED} and ${more} for update`,
      [id],
    );
    if (!stopping) return false;
    await switchOffSchedule(sql, id);
    await endUnstarted(sql, id, stopping);
    return true;
  });
}

/**
 * Ends recurring mailings whose stop was killed before they were drafts again: no run is theirs that would find the mark. Their schedules are taken away by their own next run.
 * @param unchangedFor an interval: whoever asked more recently is about to end it
 */
export async function endStoppedRecurrences(pool: Pool, unchangedFor: string): Promise<void> {
  const left = notYoung('updated_at', `interval ${escapeLiteral(unchangedFor)}`);
  const { rows } = await pool.query<{ id: number }>(`select id from core_mailing where ${STOPPED} and ${left}`);
  for (const { id } of rows) await endIfStopped(pool, id, left);
}
