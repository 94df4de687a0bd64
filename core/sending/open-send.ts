import type { Env } from '../../config/env.ts';
import type { Pool } from '../../db/driver.ts';
import type { MailingStatus } from '../../domain/words.ts';
import type { Clock } from '../deps.ts';
import { TIMING, WAITING } from '../mailings/transitions.ts';

/** Where a mailing stands when its workflow opens it. `none`: nothing to send (it was put back to draft, or has ended). */
export interface OpenedSend {
  stage: 'none' | 'waiting' | 'sending';
  /** When it was read, by the database's clock, in milliseconds since the epoch; absent in older histories. */
  at?: number;
  /** ISO 8601, UTC; null is at once. */
  scheduledFor: string | null;
  /** Until then it waits, so that it can be stopped before the first mail (ISO 8601, UTC); null, or absent in older histories, is not at all. */
  undoUntil?: string | null;
  rebuild: boolean;
  stopRequested: boolean;
  lateAfterMinutes: number;
  /** Which queueing this is, as PostgreSQL writes its time: `finishSend` ends no later one. Absent in older histories. */
  queuedAt?: string | null;
  /** Its time and whether to rebuild, as one text: where that is another by then, nothing is begun. Absent in older histories. */
  timing?: string | null;
}

interface Row {
  at: number;
  status: MailingStatus;
  scheduled_for: Date | null;
  queued_at: Date | null;
  queueing: string | null;
  timing: string;
  rebuild_query_at_send: boolean;
  stop_requested: boolean;
}

type Settings = Pick<Env, 'SEND_UNDO_SECONDS' | 'SCHEDULE_GRACE_MINUTES'>;

/** Reads what a send has to know before it waits or begins. */
export async function openSend({ pool, env, clock }: { pool: Pool; env: Settings; clock?: Clock }, mailingId: number): Promise<OpenedSend> {
  const { rows } = await pool.query<Row>(
    `select (1000 * extract(epoch from clock_timestamp()))::float8 as at, status, scheduled_for, queued_at, queued_at::text as queueing, ${TIMING} as timing, rebuild_query_at_send, stop_requested
     from core_mailing where id = $1`,
    [mailingId],
  );
  const row = rows[0];
  const stage = !row ? 'none' : row.status === 'sending' ? 'sending' : WAITING.includes(row.status) ? 'waiting' : 'none';
  const at = clock?.now() ?? row?.at;
  return {
    stage,
    ...(at !== undefined && { at }),
    scheduledFor: row?.status === 'scheduled' ? (row.scheduled_for?.toISOString() ?? null) : null,
    undoUntil: undoUntil(row, env.SEND_UNDO_SECONDS),
    rebuild: row?.rebuild_query_at_send ?? false,
    stopRequested: row?.stop_requested ?? false,
    lateAfterMinutes: env.SCHEDULE_GRACE_MINUTES,
    queuedAt: row?.queueing ?? null,
    timing: row?.timing ?? null,
  };
}

/** A mailing queued to go at once can be called back for a while; one that was scheduled, or that is being rebuilt, has had its time. */
const undoUntil = (row: Row | undefined, seconds: number): string | null =>
  seconds > 0 && row?.status === 'queued' && row.queued_at ? new Date(row.queued_at.getTime() + seconds * 1000).toISOString() : null;
