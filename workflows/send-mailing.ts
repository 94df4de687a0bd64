import {
  ActivityCancellationType,
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { BegunSend, SendActivities, SliceResult } from '../activities/sending/activities.ts';
import { growingPause } from '../domain/backoff.ts';
import { MESSAGE, type SendMailingInput, type SendProgress, TASK_QUEUE } from './contracts.ts';
import { finalReason } from './final-reason.ts';
import { rebuildErrors, targetQueries } from './rebuild-targets.ts';

export const stop = defineSignal(MESSAGE.stop);
export const reschedule = defineSignal(MESSAGE.reschedule);
export const progress = defineQuery<SendProgress>(MESSAGE.progress);

const retry = { initialInterval: '1 second', maximumInterval: '15 seconds' } as const;

/** One or two statements each: a worker that dies with one holds nothing up for long. */
const short = proxyActivities<SendActivities>({ taskQueue: TASK_QUEUE.campaign, startToCloseTimeout: '15 seconds', retry });

/** Reads the whole ledger, which takes its time with ten million recipients. */
const beginning = proxyActivities<SendActivities>({
  taskQueue: TASK_QUEUE.campaign,
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '10 seconds',
  retry,
});

/** A worker that has been silent for so long is given up, and the slice begun anew: by another worker, or by this one when it is back. */
const slicesUnder = (silenceSeconds: number, summary: string) =>
  proxyActivities<SendActivities>({
    taskQueue: TASK_QUEUE.sending,
    startToCloseTimeout: '30 minutes',
    heartbeatTimeout: silenceSeconds * 1000,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry,
    summary,
  });

const RELAY_PAUSE = { first: 1, most: 300 };

type Ending = { outcome: 'completed' | 'stopped' | 'died'; reasons: string[] };

/**
 * Sends one mailing: waits for its time, rebuilds if asked, then one slice after another until nobody is pending, somebody says stop, or it cannot go
 * on. It knows counters and flags only; who got a mail is in the ledger, so that whatever dies, the next slice goes on from there.
 */
export async function sendMailing(input: SendMailingInput): Promise<Ending['outcome'] | 'draft'> {
  const { mailingId } = input;
  const live: SendProgress = { phase: 'waiting', accepted: input.carried?.accepted ?? 0, pause: null };
  let relay = input.carried?.relay ?? null;
  let slices = 0;
  let stopping = input.carried?.stopped ?? false;
  let rescheduled = false;
  let queuedAt: string | null = null;
  /** Why no further slice can work. */
  let broken: string | null = null;
  const work = new CancellationScope();

  setHandler(progress, () => live);
  setHandler(reschedule, () => {
    rescheduled = true;
  });
  setHandler(stop, () => {
    stopping = true;
    // Slices are told at once: they finish what is on the wire, record it, and return.
    work.cancel();
  });

  const say = (phase: SendProgress['phase'], text: string) => {
    live.phase = phase;
    setCurrentDetails(text);
  };

  try {
    for (;;) {
      const waited = await wait();
      if (waited === 'draft') return 'draft';
      const ending = waited === 'send' ? await send() : waited;
      if (ending !== 'queued again') return await finish(ending);
    }
  } catch (error) {
    const reason = finalReason(error);
    if (reason !== null && patched('final-failures')) return await finish({ outcome: 'died', reasons: [reason] });
    if (!isCancellation(error) && !CancellationScope.current().consideredCancelled) throw error;
    // Cancelled in an operator's UI: the same as stop.
    return await CancellationScope.nonCancellable(() => finish({ outcome: 'stopped', reasons: [] }));
  }

  async function wait(): Promise<'send' | 'draft' | Ending> {
    for (;;) {
      const opened = await short.openSend(mailingId);
      stopping ||= opened.stopRequested;
      queuedAt = opened.queuedAt ?? null;
      if (opened.stage === 'none') return 'draft';
      if (opened.stage === 'sending') return 'send';
      if (stopping) return { outcome: 'stopped', reasons: [] };
      if (opened.scheduledFor !== null) {
        const wait = Date.parse(opened.scheduledFor) - Date.now();
        if (wait > 0) {
          say('waiting', `Waiting until ${opened.scheduledFor.slice(0, 19)} UTC.`);
          rescheduled = false;
          await condition(() => stopping || rescheduled, wait, { summary: 'scheduled time' });
          continue;
        }
        if (-wait > opened.lateAfterMinutes * 60_000) {
          const reason = `it was scheduled for ${opened.scheduledFor}, which was missed by more than ${opened.lateAfterMinutes} minutes; nothing was sent`;
          await short.returnToDraft({ mailingId, reason, queuedAt });
          return 'draft';
        }
      }
      if (opened.undoUntil && Date.parse(opened.undoUntil) > Date.now() && patched('undo-delay')) {
        await undoDelay(opened.undoUntil);
        continue;
      }
      if (opened.rebuild) {
        const failed = await rebuild();
        if (failed) return failed;
      }
      return 'send';
    }
  }

  async function undoDelay(until: string): Promise<void> {
    live.pause = { reason: 'it can still be stopped before the first mail', until };
    say('waiting', `Waiting until ${until} UTC, so that it can be stopped before the first mail.`);
    await condition(() => stopping, Date.parse(until) - Date.now(), { summary: 'undo delay' });
    live.pause = null;
  }

  async function rebuild(): Promise<Ending | null> {
    say('rebuilding', 'Building the target set anew.');
    if (!(await short.markRebuilding(mailingId, queuedAt))) return null;
    try {
      await work.run(() => targetQueries.buildTargetsAtSend({ mailingId }));
      return null;
    } catch (error) {
      if (stopping) return { outcome: 'stopped', reasons: [] };
      if (isCancellation(error)) throw error;
      return { outcome: 'died', reasons: ['The rebuild before sending failed.', ...rebuildErrors(error)] };
    }
  }

  /** Null when it was stopped meanwhile; what was begun all the same is then ended by `finishSend`. */
  async function begin(): Promise<BegunSend | null> {
    const beginSending = () => beginning.beginSending(mailingId, queuedAt);
    if (!patched('begin-can-be-stopped')) return beginSending();
    if (stopping) return null;
    return work.run(beginSending).catch((error) => {
      if (stopping) return null;
      throw error;
    });
  }

  async function send(): Promise<Ending | 'queued again'> {
    const begun = await begin();
    if (begun === null) return { outcome: 'stopped', reasons: [] };
    if (begun.queuedAgain) return 'queued again';
    if (begun.stopRequested) return { outcome: 'stopped', reasons: [] };
    if (begun.reasons.length) return { outcome: 'died', reasons: begun.reasons };
    const speed = begun.rate === null ? '' : ` at ${begun.rate} mails per second`;
    const [before, targeted] = [live.accepted, begun.pending];
    const tell = () => say('sending', `Sending${speed}: ${live.accepted - before} of the ${targeted} who waited are accepted so far.`);
    for (;;) {
      if (stopping) return { outcome: 'stopped', reasons: [] };
      tell();
      const ends = await Promise.all(Array.from({ length: begun.lanes }, (_, n) => lane(begun, n + 1, tell)));
      const ending = judge(ends);
      if (ending) return ending;
      if (ends.some((end) => end.accepted > 0)) relay = null;
      const closed = ends.find((end) => end.next === 'closed');
      const down = ends.find((end) => end.next === 'relay-down');
      if (closed && patched('sending-hours')) {
        // Looked at again each hour: the hours of the instance may be changed meanwhile.
        await pause(Math.min(3600, closed.waitMs / 1000), closed.reason, closed.waitMs);
      } else if (down) {
        relay ??= { downSince: Date.now(), pauses: 0 };
        if (Date.now() - relay.downSince > begun.giveUpHours * 3_600_000) {
          return { outcome: 'died', reasons: [`the relay was away for ${begun.giveUpHours} hours: ${down.reason}`] };
        }
        await pause(growingPause(relay.pauses++, RELAY_PAUSE.first, RELAY_PAUSE.most), `the relay is not taking mail: ${down.reason}`);
      } else if (ends.every((end) => end.next === 'wait')) {
        // Held by a worker that may have died, or put off by the relay: no shard is free before then.
        await pause(Math.max(0.2, Math.min(...ends.map((end) => end.waitMs)) / 1000), 'no recipient is due before then');
      }
      if (tired()) {
        await continueAsNew<typeof sendMailing>({ ...input, carried: { stopped: stopping, accepted: live.accepted, relay } });
      }
    }
  }

  /** How the round of lanes ended the whole, or null when it goes on. */
  function judge(ends: SliceResult[]): Ending | null {
    if (broken !== null && !stopping) return { outcome: 'died', reasons: [broken] };
    if (stopping || ends.some((end) => end.next === 'stop')) return { outcome: 'stopped', reasons: [] };
    const refused = ends.find((end) => end.next === 'refused');
    if (refused) return { outcome: 'died', reasons: [`the relay will not have this mail: ${refused.reason}`] };
    return ends.every((end) => end.next === 'finished') ? { outcome: 'completed', reasons: [] } : null;
  }

  /** One slice after another while there is more; how the last one ended, with everything the lane's slices accepted. */
  async function lane(begun: BegunSend, number: number, tell: () => void): Promise<SliceResult> {
    // Runs that began earlier were told the lease, or nothing when it was ten seconds.
    const sending = slicesUnder(begun.silenceSeconds ?? begun.leaseSeconds ?? 10, `lane ${number} of ${begun.lanes}`);
    let accepted = 0;
    for (;;) {
      slices++;
      // Longer slices with more lanes, so that the events of a run depend on its duration alone.
      const seconds = begun.sliceSeconds * begun.lanes;
      const slice = await work.run(() => sending.sendSlice({ mailingId, seconds })).catch(unlessStopping);
      accepted += slice.accepted;
      live.accepted += slice.accepted;
      if (!stopping) tell();
      if (slice.next !== 'more' || stopping || broken !== null || tired()) return { ...slice, accepted };
    }
  }

  /**
   * A slice that was cancelled before a worker had it did nothing; one that failed or died while it was being stopped is not tried again, and has ended all the
   * same. One that fails for good ends the other lanes, too.
   */
  function unlessStopping(error: unknown): SliceResult {
    const reason = stopping || broken !== null ? null : finalReason(error);
    if (reason !== null && patched('final-failures')) {
      broken = reason;
      work.cancel();
    }
    if ((stopping || broken !== null) && (error instanceof ActivityFailure || isCancellation(error)))
      return { accepted: 0, failed: 0, skipped: 0, uncertain: 0, next: 'stop', waitMs: 0, reason: '' };
    throw error;
  }

  function tired(): boolean {
    return workflowInfo().continueAsNewSuggested || slices >= (input.slicesPerRun ?? 500);
  }

  /** @param endsInMs when it is known to last longer than this pause */
  async function pause(seconds: number, reason: string, endsInMs = seconds * 1000): Promise<void> {
    live.pause = { reason, until: new Date(Date.now() + endsInMs).toISOString() };
    say('paused', `Paused for ${Math.round(seconds)} s: ${reason}`);
    await condition(() => stopping, seconds * 1000, { summary: 'pause' });
    live.pause = null;
  }

  async function finish(ending: Ending): Promise<Ending['outcome']> {
    say('stopping', 'Recording how it ended.');
    await short.finishSend({ mailingId, ...ending, queuedAt });
    say('finished', `${ending.outcome}; ${live.accepted} accepted${ending.reasons.length ? `. ${ending.reasons.join('; ')}` : ''}`);
    return ending.outcome;
  }
}
