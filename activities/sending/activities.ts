import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { Clock } from '../../core/deps.ts';
import type { WrittenNotice } from '../../core/mailings/notices/tell-submitter.ts';
import { tellReviewers } from '../../core/mailings/notices/written.ts';
import { endSend, markRebuilding, markSending, returnToDraft, WAITING } from '../../core/mailings/transitions.ts';
import { signingKeyIds } from '../../core/senders/stored-keys.ts';
import { type FrozenRun, readContent } from '../../core/sending/content.ts';
import { DomainRates } from '../../core/sending/domain-rates.ts';
import { readRun, trackContent, writeRun } from '../../core/sending/freeze.ts';
import { closedSlice, hoursNow } from '../../core/sending/hours.ts';
import { drawPace } from '../../core/sending/pace.ts';
import { NO_VALUES, type ReportValues, readReportValues } from '../../core/sending/report-values.ts';
import { settleAbandoned } from '../../core/sending/shards.ts';
import { Shares } from '../../core/sending/shares.ts';
import { whyNotSigned } from '../../core/sending/signing.ts';
import { runSlice } from '../../core/sending/slice.ts';
import type { SliceResult } from '../../core/sending/slice-setup.ts';
import type { PoolClient } from '../../db/driver.ts';
import { sqlOn } from '../../db/sql.ts';
import type { MailingStatus } from '../../domain/words.ts';
import { domainOf } from '../../mail/address.ts';
import { compileMailing } from '../../mail/compile.ts';
import { type MailingContent, reportKey } from '../../mail/contracts.ts';
import type { ActivityDeps } from '../deps.ts';
import { heartbeating } from '../heartbeating.ts';
import { startNotices } from '../notices/start-notices.ts';
import { CompiledRuns, mailSettings } from './compiled-runs.ts';
import { lanesFor, Spread } from './lanes.ts';

/** Where a mailing stands when its workflow opens it. `none`: nothing to send (it was put back to draft, or has ended). */
export interface OpenedSend {
  stage: 'none' | 'waiting' | 'sending';
  /** ISO 8601, UTC; null is at once. */
  scheduledFor: string | null;
  /** Until then it waits, so that it can be stopped before the first mail (ISO 8601, UTC); null, or absent in older histories, is not at all. */
  undoUntil?: string | null;
  rebuild: boolean;
  stopRequested: boolean;
  lateAfterMinutes: number;
  /** Which queueing this is, as PostgreSQL writes its time: `finishSend` ends no later one. Absent in older histories. */
  queuedAt?: string | null;
}

export interface BegunSend {
  pending: number;
  rate: number | null;
  lanes: number;
  sliceSeconds: number;
  /** A slice that has been silent for so long is begun anew elsewhere. */
  silenceSeconds?: number;
  /** In older histories, in place of silenceSeconds. */
  leaseSeconds?: number;
  giveUpHours: number;
  /** It was taken back and queued once more since it was opened: nothing was begun. */
  queuedAgain?: boolean;
  /** It was asked to stop before it had begun: nothing was. */
  stopRequested?: boolean;
  /** Why it cannot be sent; empty when it can. */
  reasons: string[];
}

export type { SliceResult };
export type SendActivities = ReturnType<typeof createSendActivities>;
export type SendOutcome = 'completed' | 'stopped' | 'died';

/** At a rate a shard lasts about so long: what a worker that dies holds up is a part of it, and lanes have shards of their own. */
const SHARD_SECONDS = 15;
const SMALLEST_SHARD = 20;
/**
 * A slice is given up when its worker has been silent for half the lease, so that the other shards go on while the one it held waits for the lease to end. Not
 * sooner than this: heartbeats come once a second, and a worker may be busy with something else for two.
 */
const LEAST_SILENCE_SECONDS = 3;

export function createSendActivities(deps: ActivityDeps) {
  const { pool, env } = deps;
  const domains = env.DOMAIN_RATES ? new DomainRates(env.DOMAIN_RATES, (...rule) => drawPace(deps.sendPool, ...rule)) : null;
  const compiled = new CompiledRuns(deps, domains !== null);
  const shares = new Shares();
  const spread = new Spread(deps);

  async function begin(client: PoolClient, mailingId: number, mailing: WaitingMailing, values: ReportValues, notices: WrittenNotice[]) {
    const stored = await readContent(client, mailingId, env.DEFAULT_FROM);
    const frozen = { ...stored, content: values.put(stored.content) };
    const rate = mailing.mails_per_second ?? env.SEND_MAX_RATE ?? null;
    const reasons = [...whyNotSendable(frozen, deps), ...values.errors];
    // Changed while it was scheduled, say. It must go to those who were meant last, or to nobody.
    if (!mailing.set_is_current) reasons.push('the targeting was changed after the users were saved: rebuild, and queue again');
    if (reasons.length) return { pending: 0, targeted: 0, rate, reasons };
    const dkim = await signingKeyIds(client, domainOf(frozen.content.from));
    const unsignable = await whyNotSigned(deps, dkim);
    if (unsignable !== null) return { pending: 0, targeted: 0, rate, reasons: [unsignable] };
    const tracked = { ...frozen, dkim, content: await trackContent(client, frozen, env) };
    // Tracked links are longer than those that were checked.
    const grown = whyNotCompilable(tracked.content, deps);
    if (grown.length) return { pending: 0, targeted: 0, rate, reasons: grown };
    notices.push(...(await tellReviewers(client, mailingId)));
    const ofRate = rate === null ? env.SEND_SHARD_SIZE : Math.max(SMALLEST_SHARD, Math.ceil(rate * SHARD_SECONDS));
    return { ...(await writeRun(client, mailingId, tracked, rate, Math.min(env.SEND_SHARD_SIZE, ofRate))), rate, reasons };
  }

  /**
   * Reads the whole ledger without holding the mailing's row, so that a stop is written and heard at once; at its end it looks whether the row is still the one it read.
   * @param hold the row is held all the same, because it has changed again and again
   * @returns null when it has changed meanwhile, and nothing was begun
   */
  async function tryToBegin(mailingId: number, queuedAt: string | null, values: ReportValues, hold: boolean): Promise<Begun | null> {
    const client = await pool.connect();
    // Told of a lost connection by the query it breaks.
    const ignore = () => undefined;
    let broken: Error | undefined;
    const notices: WrittenNotice[] = [];
    client.on('error', ignore);
    try {
      await client.query('begin');
      // A worker that stands still in the middle must not hold anything for ever.
      await client.query(`set local idle_in_transaction_session_timeout = '20s'`);
      await client.query('select pg_advisory_xact_lock($1, $2)', [BEGINNING, mailingId]);
      const mailing = await readWaiting(client, mailingId, queuedAt, hold);
      if (mailing.status === 'sending') return await readRun(client, mailingId);
      if (mailing.queued_again) return { ...NOTHING_BEGUN, queuedAgain: true };
      if (mailing.stop_requested) return { ...NOTHING_BEGUN, stopRequested: true };
      const begun = await begin(client, mailingId, mailing, values, notices);
      if (begun.reasons.length) return begun;
      const { version } = await readWaiting(client, mailingId, queuedAt, true);
      if (version !== mailing.version || !(await markSending(sqlOn(client), mailingId, begun.targeted, queuedAt))) return null;
      await client.query('commit');
      startNotices(deps, notices);
      return begun;
    } catch (error) {
      broken = error as Error;
      throw error;
    } finally {
      // Of no effect behind the commit.
      const lost = await client.query('rollback').then(
        () => undefined,
        () => broken ?? new Error('the connection cannot be used'),
      );
      client.off('error', ignore);
      client.release(lost);
    }
  }

  async function beginAll(mailingId: number, queuedAt: string | null, values: ReportValues): Promise<BegunSend> {
    let begun: Begun | null = null;
    for (let tries = 0; begun === null; tries++) begun = await tryToBegin(mailingId, queuedAt, values, tries >= TRIES_UNHELD);
    const { pending, rate, reasons, queuedAgain = false, stopRequested = false } = begun;
    return {
      pending,
      rate,
      reasons,
      queuedAgain,
      stopRequested,
      lanes: await lanesFor(deps, begun),
      sliceSeconds: env.SEND_SLICE_SECONDS,
      silenceSeconds: Math.min(env.SEND_LEASE_SECONDS, Math.max(LEAST_SILENCE_SECONDS, env.SEND_LEASE_SECONDS / 2)),
      giveUpHours: env.SEND_RELAY_GIVE_UP_HOURS,
    };
  }

  return {
    /** Reads what the workflow has to know before it waits or sends. */
    async openSend(mailingId: number): Promise<OpenedSend> {
      const { rows } = await pool.query(
        'select status, scheduled_for, queued_at, queued_at::text as queueing, rebuild_query_at_send, stop_requested from core_mailing where id = $1',
        [mailingId],
      );
      const row = rows[0];
      const stage = !row ? 'none' : row.status === 'sending' ? 'sending' : WAITING.includes(row.status) ? 'waiting' : 'none';
      return {
        stage,
        scheduledFor: row?.status === 'scheduled' ? (row.scheduled_for?.toISOString() ?? null) : null,
        undoUntil: undoUntil(row, env.SEND_UNDO_SECONDS),
        rebuild: row?.rebuild_query_at_send ?? false,
        stopRequested: row?.stop_requested ?? false,
        lateAfterMinutes: env.SCHEDULE_GRACE_MINUTES,
        queuedAt: row?.queueing ?? null,
      };
    },

    /** @returns false when the mailing is not waiting to be sent any more, or was queued again */
    async markRebuilding(mailingId: number, queuedAt: string | null = null): Promise<boolean> {
      return await markRebuilding(sqlOn(pool), mailingId, queuedAt);
    },

    /**
     * Freezes content and rate, cuts the saved set into shards and marks the mailing `sending`: one transaction. A mailing that is sending already
     * (its workflow goes on in a new run) keeps what was frozen.
     * @param queuedAt of openSend
     */
    async beginSending(mailingId: number, queuedAt: string | null = null): Promise<BegunSend> {
      return heartbeating(async () => {
        // Outside the transaction, since reports take their time; a mailing that is under way has their values already.
        const { rows } = await pool.query('select status from core_mailing where id = $1', [mailingId]);
        return await beginAll(mailingId, queuedAt, rows[0]?.status === 'sending' ? NO_VALUES : await readReportValues(deps, mailingId));
      });
    },

    /** Sends for a while: shard after shard, under their fences (docs/sending-guarantees.md). Ends early, in good order, when cancelled. */
    async sendSlice(input: { mailingId: number; seconds: number }): Promise<SliceResult> {
      const context = Context.current();
      const hours = hoursNow(deps);
      if (hours && !hours.open) return await closedSlice(deps.sendPool, input.mailingId, hours);
      if (shares.has(input.mailingId)) await spread.lookElsewhere(context.info.attempt);
      const part = shares.begin(input.mailingId);
      return heartbeating(async ({ signal }) => {
        const run = await compiled.of(input.mailingId);
        return await runSlice({
          mailingId: input.mailingId,
          run: run.startedAt,
          pool: deps.sendPool,
          relay: run.relay,
          mail: run.mail,
          audience: run.audience,
          lists: run.lists,
          rate: run.rate,
          domains,
          window: shares.window(part, () => run.relay.connections),
          seconds: hours ? Math.min(input.seconds, hours.closesInMs / 1000) : input.seconds,
          leaseSeconds: env.SEND_LEASE_SECONDS,
          tries: env.SEND_TRIES,
          refusedInARow: env.SEND_REFUSED_IN_A_ROW,
          refusals: run.refusals,
          retrySeconds: env.SEND_RETRY_SECONDS,
          ...(deps.metrics && { metrics: deps.metrics }),
          stop: AbortSignal.any([signal, deps.shuttingDown]),
          clock: deps.clock && {
            now: deps.clock.now,
            sleep: (ms) => {
              context.heartbeat();
              return (deps.clock as Clock).sleep(ms);
            },
          },
        });
      }).finally(() => shares.end(part));
    },

    /**
     * Writes how the send ended. What never began goes back to draft; what was on its way is stopped, completed or died.
     * A mailing that somebody else has moved on since is left alone, and so is one that was queued again before this arrived.
     */
    async finishSend(input: { mailingId: number; outcome: SendOutcome; reasons: string[]; queuedAt?: string | null }): Promise<void> {
      const waitMs = await settleAbandoned(pool, input.mailingId);
      if (waitMs > 0) throw stillHeld(waitMs);
      startNotices(deps, await endSend(sqlOn(pool), input.mailingId, { ...input, queuedAt: input.queuedAt ?? null }));
    },

    /** Puts a mailing that must not go out (a missed schedule) back to draft, with the reason. */
    async returnToDraft(input: { mailingId: number; reason: string; queuedAt?: string | null }): Promise<void> {
      startNotices(deps, await returnToDraft(sqlOn(pool), input.mailingId, input.reason, input.queuedAt ?? null));
    },
  };
}

/** A slice is given up before the lease of its worker ends; who was on the wire then can only be told after it. A retry costs no workflow event. */
const stillHeld = (waitMs: number) =>
  ApplicationFailure.create({
    message: 'the lease of a worker that was given up still runs',
    type: 'StillHeld',
    nextRetryDelay: waitMs + 50,
    category: ApplicationFailureCategory.BENIGN,
  });

interface WaitingMailing {
  status: MailingStatus;
  mails_per_second: number | null;
  set_is_current: boolean;
  queued_again: boolean;
  stop_requested: boolean;
  /** Another one whenever the row has been written. */
  version: string;
}

type Begun = Pick<BegunSend, 'pending' | 'rate' | 'reasons' | 'queuedAgain' | 'stopRequested'>;
const NOTHING_BEGUN = { pending: 0, rate: null, reasons: [] };

/** Beside the mailing's id: who begins a mailing holds this lock, so that two never do at once. */
const BEGINNING = 7_236_902;
/** So often a send is begun without its row being held. */
const TRIES_UNHELD = 3;

/** @throws ApplicationFailure when it neither waits nor is being sent */
async function readWaiting(client: PoolClient, mailingId: number, queuedAt: string | null, hold: boolean): Promise<WaitingMailing> {
  const { rows } = await client.query<WaitingMailing>(
    `select status, mails_per_second, targeting_version_saved is not distinct from targeting_version as set_is_current, stop_requested,
       xmin::text as version, coalesce(queued_at <> $2::timestamptz, false) as queued_again
       from core_mailing where id = $1 ${hold ? 'for update' : ''}`,
    [mailingId, queuedAt],
  );
  if (rows[0] && [...WAITING, 'sending'].includes(rows[0].status)) return rows[0];
  throw ApplicationFailure.nonRetryable('this mailing is no longer waiting to be sent', 'NotWaiting');
}

/** A mailing queued to go at once can be called back for a while; one that was scheduled, or that is being rebuilt, has had its time. */
const undoUntil = (row: { status: string; queued_at: Date | null } | undefined, seconds: number): string | null =>
  seconds > 0 && row?.status === 'queued' && row.queued_at ? new Date(row.queued_at.getTime() + seconds * 1000).toISOString() : null;

function whyNotSendable(frozen: FrozenRun, deps: ActivityDeps): string[] {
  const { content } = frozen;
  const reasons: string[] = [];
  if (!deps.env.SENDING_ENABLED) reasons.push('sending is switched off on this instance');
  if (!content.subjects.length) reasons.push('the mailing has no subject');
  if (!content.html && !content.text) reasons.push('the mailing has no content');
  return reasons.length ? reasons : whyNotCompilable(content, deps);
}

function whyNotCompilable(content: MailingContent, deps: ActivityDeps): string[] {
  try {
    const { reports = [] } = compileMailing(content, mailSettings(deps));
    // A report that came into a snippet a moment ago, after the reports were read.
    const unread = reports.filter(({ name, parameters }) => !content.reports?.[name]?.runs[reportKey(parameters)]);
    return unread.length ? [`the report ${unread[0]!.name} has not been read`] : [];
  } catch (error) {
    return [`the templates cannot be compiled: ${(error as Error).message}`];
  }
}
