import type { Sql } from '../../db/sql.ts';
import { QUEUEABLE, STOPPABLE } from '../../domain/mailing-status.ts';
import type { MailingStatus } from '../../domain/words.ts';
import { notYoung } from '../not-young.ts';
import { TELL_SUBMITTER, type WrittenNotice } from './notices/tell-submitter.ts';

// The one place that writes a mailing's status. Every statement names what the status has to be, and what is written for a run names the queuing the run was begun for
// (`queued_at`, as PostgreSQL writes it): whatever arrives late finds another one there and changes nothing.

/** Null, in runs that began with an earlier version, is any. */
export type QueuedAt = string | null;

export const WAITING: readonly MailingStatus[] = ['queued', 'scheduled', 'rebuilding_at_send'];
const OF_QUEUEING = (parameter: string) => `(${parameter}::timestamptz is null or queued_at = ${parameter})`;

/** Of a mailing's row: its time, and whether its users are built when it comes. Both may be changed while it is scheduled. */
export const TIMING = `concat_ws(' ', extract(epoch from scheduled_for), rebuild_query_at_send)`;

/** What queueing overwrites. Times as PostgreSQL writes them. */
export interface BeforeQueueing {
  status: MailingStatus;
  queued_at: string | null;
  queued_by_id: number | null;
  scheduled_by_id: number | null;
  hidden: boolean;
  finished_at: string | null;
  errors: string[] | null;
}

/** Queues a mailing whose row the caller's transaction holds, and takes it out of the archive: nothing is under way that no list shows. @throws Error when it is in no state to be queued */
export async function queue(sql: Sql, id: number, next: 'queued' | 'scheduled', queuedAt: Date, accountId: number): Promise<void> {
  const done = await sql(
    `update core_mailing set status = $2, queued_at = $3, queued_by_id = $4, finished_at = null, errors = null, stop_requested = false, hidden = false,
       scheduled_by_id = case when $2 = 'scheduled' then coalesce(scheduled_by_id, $4) else scheduled_by_id end, updated_at = now()
     where id = $1 and status = any($5::text[]) returning id`,
    [id, next, queuedAt, accountId, QUEUEABLE],
  );
  if (!done.length) throw new Error('a mailing was queued in a state in which it cannot be');
}

/** As it was before it was queued: nothing could be started. Queueing names who schedules it where nobody is named; whom somebody has named since stays. */
export async function takeBack(sql: Sql, id: number, next: 'queued' | 'scheduled', queuedAt: Date, before: BeforeQueueing): Promise<void> {
  await sql(
    `update core_mailing set status = $4, queued_at = $5, queued_by_id = $6, finished_at = $8, errors = $9, hidden = $10,
       scheduled_by_id = case when $7::int is null and scheduled_by_id = queued_by_id then null else scheduled_by_id end, stop_requested = false, updated_at = now()
     where id = $1 and status = $2 and queued_at = $3`,
    [
      id,
      next,
      queuedAt,
      before.status,
      before.queued_at,
      before.queued_by_id,
      before.scheduled_by_id,
      before.finished_at,
      before.errors && JSON.stringify(before.errors),
      before.hidden,
    ],
  );
}

/** Queues the copy of a recurring mailing, to be rebuilt when it is sent. */
export async function queueCopy(sql: Sql, sourceId: number, copyId: number): Promise<void> {
  await sql(
    `update core_mailing c set recurring_source_mailing_id = s.id, rebuild_query_at_send = true, status = 'queued', queued_at = now(),
       queued_by_id = s.scheduled_by_id, updated_at = now() from core_mailing s where s.id = $1 and c.id = $2 and c.status = 'draft'`,
    [sourceId, copyId],
  );
}

/** A mailing that was asked to stop, and in which of its queueings. */
export interface Stopping {
  status: MailingStatus;
  queuedAt: QueuedAt;
}

/** Writes a stop down: every turn of a send looks for it. @returns null when there is nothing to stop */
export async function askToStop(sql: Sql, id: number): Promise<Stopping | null> {
  const [marked] = await sql<Stopping>(
    `update core_mailing set stop_requested = true, updated_at = now() where id = $1 and status = any($2::text[])
     returning status, queued_at::text as "queuedAt"`,
    [id, STOPPABLE],
  );
  return marked ?? null;
}

/**
 * Ends what was asked to stop and has no run. One that is being sent is left to the sweep, which knows what became of its run; so is the start of the notice, since whoever stops a
 * mailing may be no worker.
 */
export async function endUnstarted(sql: Sql, id: number, { queuedAt }: Stopping): Promise<void> {
  await sql(
    `with ended as (update core_mailing set status = case when started_at is null then 'draft' else 'stopped' end,
       finished_at = case when started_at is null then finished_at else now() end, stop_requested = false, updated_at = now()
     where id = $1 and status = any($2::text[]) and stop_requested and queued_at is not distinct from $3::timestamptz returning *) ${TELL_SUBMITTER}`,
    [id, [...WAITING, 'recurring'], queuedAt],
  );
}

/** @param timing of openSend @returns false when the mailing is not waiting to be sent any more, was queued again, or its timing was changed */
export async function markRebuilding(sql: Sql, id: number, queuedAt: QueuedAt, timing: string | null): Promise<boolean> {
  const done = await sql(
    `update core_mailing set status = 'rebuilding_at_send', updated_at = now()
     where id = $1 and status = any($2::text[]) and ${OF_QUEUEING('$3')} and ${TIMING} = coalesce($4, ${TIMING}) returning id`,
    [id, WAITING, queuedAt, timing],
  );
  return done.length === 1;
}

/** @param targeted recipients in all, those of earlier sendings too */
export async function markSending(sql: Sql, id: number, targeted: number, queuedAt: QueuedAt): Promise<boolean> {
  const done = await sql(
    `update core_mailing set status = 'sending', started_at = coalesce(started_at, now()), finished_at = null, errors = null, expected_send_count = $2,
       updated_at = now()
     where id = $1 and status = any($3::text[]) and ${OF_QUEUEING('$4')} returning id`,
    [id, targeted, WAITING, queuedAt],
  );
  return done.length === 1;
}

/** Why a send cannot begin, in full, before its run is told: it ends the mailing with them. */
export async function noteReasons(sql: Sql, id: number, reasons: string[], queuedAt: QueuedAt): Promise<void> {
  await sql(`update core_mailing set errors = $2, updated_at = now() where id = $1 and status = any($3::text[]) and ${OF_QUEUEING('$4')}`, [
    id,
    JSON.stringify(reasons),
    WAITING,
    queuedAt,
  ]);
}

/** Ends a send: what never began goes back to draft; what was on its way is stopped, completed or died. @returns the notices to start */
export function endSend(
  sql: Sql,
  id: number,
  { outcome, reasons, queuedAt }: { outcome: 'completed' | 'stopped' | 'died'; reasons: string[]; queuedAt: QueuedAt },
): Promise<WrittenNotice[]> {
  return sql<WrittenNotice>(
    `with ended as (update core_mailing set
        status = case when $2 = 'stopped' and status <> 'sending' and started_at is null then 'draft' else $2 end,
        finished_at = case when status = 'sending' or $2 <> 'stopped' or started_at is not null then now() else finished_at end,
        errors = case when $3::jsonb = '[]' then null else $3::jsonb end, stop_requested = false, updated_at = now()
      where id = $1 and status = any($4::text[]) and ${OF_QUEUEING('$5')} returning *) ${TELL_SUBMITTER}`,
    [id, outcome, JSON.stringify(reasons), [...WAITING, 'sending'], queuedAt],
  );
}

/**
 * Puts a mailing that must not go out back to what it was, a draft, or stopped where part of it was sent; with the reason. Does nothing when it is not waiting to be
 * sent any more, was queued again, or its timing was changed.
 * @param timing of openSend
 * @returns the notices to start
 */
export function returnToDraft(
  sql: Sql,
  id: number,
  { reason, queuedAt, timing }: { reason: string; queuedAt: QueuedAt; timing: string | null },
): Promise<WrittenNotice[]> {
  return sql<WrittenNotice>(
    `with ended as (update core_mailing set status = case when started_at is null then 'draft' else 'stopped' end, finished_at = case when started_at is null then finished_at else now() end,
        errors = $2, stop_requested = false, updated_at = now()
      where id = $1 and status = any($3::text[]) and ${OF_QUEUEING('$4')} and ${TIMING} = coalesce($5, ${TIMING}) returning *) ${TELL_SUBMITTER}`,
    [id, JSON.stringify([reason]), WAITING, queuedAt, timing],
  );
}

/**
 * The end of a mailing whose run was ended from outside: it must not claim that mail is going out. It can be queued again; where somebody had asked for a stop it is stopped, or a
 * draft where it never began.
 * @param unchangedFor an interval: whoever has changed it since is at work on it
 * @returns the notices to start
 */
export function markDied(
  sql: Sql,
  id: number,
  { status, queuedAt, reason, unchangedFor }: { status: MailingStatus; queuedAt: QueuedAt; reason: string; unchangedFor: string },
): Promise<WrittenNotice[]> {
  return sql<WrittenNotice>(
    `with ended as (update core_mailing set
        status = case when not stop_requested then 'died' when status <> 'sending' and started_at is null then 'draft' else 'stopped' end,
        finished_at = case when stop_requested and status <> 'sending' and started_at is null then finished_at else now() end,
        updated_at = now(), errors = case when stop_requested then null else $3::jsonb end, stop_requested = false
      where id = $1 and status = $2 and queued_at is not distinct from $4::timestamptz and ${notYoung('updated_at', '$5::interval')}
      returning *) ${TELL_SUBMITTER}`,
    [id, status, JSON.stringify([reason]), queuedAt, unchangedFor],
  );
}

/** A completed mailing has somebody left to be mailed again. */
export async function reopen(sql: Sql, id: number): Promise<void> {
  await sql(`update core_mailing set status = 'stopped', updated_at = now() where id = $1 and status = 'completed'`, [id]);
}

/** A draft begins to recur, or one that recurs is changed. */
export async function beginRecurring(sql: Sql, id: number, accountId: number): Promise<void> {
  await sql(
    `update core_mailing set status = 'recurring', scheduled_by_id = $2, stop_requested = false, errors = null, hidden = false, updated_at = now()
     where id = $1 and status in ('draft', 'recurring')`,
    [id, accountId],
  );
}

export async function endRecurring(sql: Sql, id: number): Promise<void> {
  await sql(`update core_mailing set status = 'draft', updated_at = now() where id = $1 and status = 'recurring'`, [id]);
}

/** A draft becomes a model, or the other way round. */
export async function setModel(sql: Sql, id: number, wanted: boolean): Promise<void> {
  const [from, to] = wanted ? ['draft', 'model'] : ['model', 'draft'];
  await sql('update core_mailing set status = $2, updated_at = now() where id = $1 and status = $3', [id, to, from]);
}
