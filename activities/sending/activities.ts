import { Context } from '@temporalio/activity';
import { markRebuilding, returnToDraft } from '../../core/mailings/transitions.ts';
import { type Begun, beginSending } from '../../core/sending/begin-sending.ts';
import { finishSend, type SendOutcome } from '../../core/sending/finish-send.ts';
import { LostCommitsError } from '../../core/sending/lost-commits.ts';
import { type OpenedSend, openSend } from '../../core/sending/open-send.ts';
import { Slices } from '../../core/sending/slices.ts';
import { DatabaseProbe } from '../../db/probe.ts';
import { sqlOn } from '../../db/sql.ts';
import { NOTHING_SENT, type SliceResult } from '../../domain/slice-result.ts';
import { sliceSilence } from '../../workflows/silence.ts';
import type { ActivityDeps } from '../deps.ts';
import { heartbeating } from '../heartbeating.ts';
import { startNotices } from '../notices/start-notices.ts';
import { failing } from './failures.ts';
import { allHaveOne, lanesFor, sendingWorkers } from './lanes.ts';

export interface BegunSend extends Omit<Begun, 'notices'> {
  lanes: number;
  sliceSeconds: number;
  /** A slice that has been silent for so long is begun anew elsewhere. */
  silenceSeconds?: number;
  /** In older histories, in place of silenceSeconds. */
  leaseSeconds?: number;
  giveUpHours: number;
}

/** That the end of a send was recorded. */
export interface RecordedEnd {
  /** Mails accepted over all its runs. */
  accepted: number;
  /** Of which queueing, as it was told; absent in older histories. */
  queuedAt?: string | null;
}

export type { OpenedSend, SendOutcome };
export type SendActivities = ReturnType<typeof createSendActivities>;

export function createSendActivities(deps: ActivityDeps) {
  const { pool, env } = deps;
  const database = new DatabaseProbe(pool);
  const slices = new Slices({ ...deps, database });

  return {
    /** Reads what the workflow has to know before it waits or sends. */
    openSend: (mailingId: number): Promise<OpenedSend> => heartbeating(() => openSend(deps, mailingId)),

    /** @returns false when the mailing is not waiting to be sent any more, was queued again, or its timing was changed */
    markRebuilding: (mailingId: number, queuedAt: string | null = null, timing: string | null = null): Promise<boolean> =>
      heartbeating(() => markRebuilding(sqlOn(pool), mailingId, queuedAt, timing)),

    /** Freezes the mailing and marks it `sending`. @param queuedAt of openSend @param timing of openSend */
    beginSending: (mailingId: number, queuedAt: string | null = null, timing: string | null = null): Promise<BegunSend> =>
      heartbeating(async () => {
        const { notices, ...begun } = await beginSending(deps, mailingId, { queuedAt, timing }).catch(failing);
        startNotices(deps, notices);
        return {
          queuedAgain: false,
          stopRequested: false,
          ...begun,
          lanes: await lanesFor(deps, begun),
          sliceSeconds: env.SEND_SLICE_SECONDS,
          silenceSeconds: sliceSilence(env.SEND_LEASE_SECONDS),
          giveUpHours: env.SEND_RELAY_GIVE_UP_HOURS,
        };
      }),

    /** Sends for a while. Ends early, in good order, when cancelled. */
    async sendSlice({ mailingId, seconds }: { mailingId: number; seconds: number }): Promise<SliceResult> {
      const closed = await heartbeating(() => slices.closed(mailingId));
      if (closed) return closed;
      if (slices.ofMailing(mailingId) > 0 && allHaveOne(Context.current().info.attempt, await sendingWorkers(deps)))
        return { ...NOTHING_SENT, next: 'elsewhere' };
      return heartbeating(async ({ signal, beat }) => {
        if (database.doubted) await database.confirming(env.SEND_LEASE_SECONDS * 1000);
        return slices.send({ mailingId, seconds, signal, beat });
      }).catch(failing);
    },

    /** Writes how the send ended; tried again while a given-up worker may still have mail on the wire. */
    async finishSend({
      mailingId,
      queuedAt = null,
      ...ending
    }: {
      mailingId: number;
      outcome: SendOutcome;
      reasons: string[];
      queuedAt?: string | null;
    }): Promise<RecordedEnd> {
      const { notices, accepted, lostCommits } = await heartbeating(() => finishSend(pool, mailingId, { ...ending, queuedAt })).catch(
        failing,
      );
      startNotices(deps, notices);
      // It is recorded; the run is to say the same.
      if (lostCommits) failing(new LostCommitsError());
      return { accepted, queuedAt };
    },

    /** Puts a mailing that must not go out (a missed schedule) back to draft, with the reason, unless it is not as it was opened. */
    async returnToDraft(input: { mailingId: number; reason: string; queuedAt?: string | null; timing?: string | null }): Promise<void> {
      const { mailingId, reason, queuedAt = null, timing = null } = input;
      startNotices(deps, await heartbeating(() => returnToDraft(sqlOn(pool), mailingId, { reason, queuedAt, timing })));
    },
  };
}
