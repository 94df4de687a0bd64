import type { Pool } from '../../db/driver.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import type { MailingStatus, QueryStatus } from '../../domain/words.ts';

/** What became of the recipients of mailing `m` so far, as `sent`. The counters of the shards are written in the same statement as the outcomes they count: true
 * at any moment, and few rows however large the mailing. */
export const SENT_SO_FAR = `lateral (
    select coalesce(sum(accepted), 0)::int as accepted, coalesce(sum(failed), 0)::int as failed, coalesce(sum(skipped), 0)::int as skipped,
      coalesce(sum(uncertain), 0)::int as uncertain, max(held_until) filter (where not finished) as held_until
    from send_shard s where s.mailing_id = m.id) sent`;

/** A mailing as its status and progress documents need it. Times as shown, `*_ms` in milliseconds since the epoch. */
export interface SendState {
  status: MailingStatus;
  query_status: QueryStatus;
  query_queued_at: string | null;
  query_started_at: string | null;
  query_previous_runtime: number | null;
  saved_count: number | null;
  errors: string[] | null;
  /** Why the last build of its set failed; null where none did. */
  query_errors: string[] | null;
  queued_at: string | null;
  queued_by: string | null;
  scheduled_by: string | null;
  scheduled_for: string | null;
  started_at: string | null;
  finished_at: string | null;
  expected_send_count: number | null;
  recurring_source_mailing: string | null;
  recurring_schedule: string | null;
  begun_ms: number | null;
  ended_ms: number | null;
  run_begun_ms: number | null;
  /** Somebody has asked it to stop, and it has not stopped yet. */
  stop_requested: boolean;
  /** For how long, in ms, somebody who is at work on it still need not be heard of: less than nothing for who should have been. Null while nobody is at work. */
  held_for_ms: number | null;
  accepted_before: number | null;
  /** When this was read, by the clock that its times are of. */
  read_ms: number;
  accepted: number;
  failed: number;
  skipped: number;
  uncertain: number;
}

const at = (column: string) => `${timestampSql(`m.${column}`)} as ${column}`;
const uri = (resource: string, column: string) => `'/rest/v1/${resource}/' || m.${column}_id || '/' as ${column}`;
const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

const STATE = `
  select m.status, m.stop_requested, m.query_status, m.query_previous_runtime, m.saved_count, m.errors, m.expected_send_count,
    case when m.query_status = 'failed' then (select r.errors from core_mailingrebuild r where r.mailing_id = m.id and r.finished and not r.success
      order by r.id desc limit 1) end as query_errors,
    ${['query_queued_at', 'query_started_at', 'queued_at', 'scheduled_for', 'started_at', 'finished_at'].map(at).join(', ')},
    ${uri('authuser', 'queued_by')}, ${uri('authuser', 'scheduled_by')}, ${uri('mailer', 'recurring_source_mailing')},
    (select '/rest/v1/recurringschedule/' || r.id || '/' from core_recurringschedule r where r.mailing_id = m.id) as recurring_schedule,
    ${ms('m.started_at')} as begun_ms, ${ms('m.finished_at')} as ended_ms,
    ${ms('run.started_at')} as run_begun_ms, run.accepted_before,
    ${ms('sent.held_until - clock_timestamp()')} as held_for_ms, ${ms('clock_timestamp()')} as read_ms,
    sent.accepted, sent.failed, sent.skipped, sent.uncertain
  from core_mailing m left join send_run run on run.mailing_id = m.id, ${SENT_SO_FAR}
  where m.id = $1`;

/** Where a mailing stands, or null when there is none. */
export async function readState(pool: Pool, mailingId: number): Promise<SendState | null> {
  const { rows } = await pool.query<SendState>({ name: 'mailing-state', text: STATE, values: [mailingId] });
  return rows[0] ?? null;
}

/**
 * Mails accepted per second: while it is being sent over the present run, else over the time from the beginning to the end. From the ledger's counters, so
 * it is true whether a worker answers or not. 0 before anything was sent.
 */
export function rateOf(state: SendState): number {
  const now = state.read_ms;
  if (state.status === 'sending' && state.run_begun_ms !== null)
    return perSecond(state.accepted - (state.accepted_before ?? 0), now - state.run_begun_ms);
  if (state.begun_ms === null) return 0;
  return perSecond(state.accepted, (state.status === 'sending' ? now : (state.ended_ms ?? now)) - state.begun_ms);
}

const perSecond = (count: number, milliseconds: number): number => (count * 1000) / Math.max(milliseconds, 1000);
