// The sending of a mailing as an earlier release had it, for runs that began under it and end under the present one. Never edited: a release that changes
// workflows puts its predecessor's here.

import {
  ActivityCancellationType,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { BegunSend, SendActivities } from '../../../activities/sending/activities.ts';
import { growingPause } from '../../../domain/backoff.ts';
import type { SliceResult } from '../../../domain/slice-result.ts';
import { MESSAGE, type SendMailingInput, type SendProgress, TASK_QUEUE } from '../../../workflows/contracts.ts';
import { rebuildErrors, targetQueries } from '../../../workflows/rebuild-targets.ts';

export const stop = defineSignal(MESSAGE.stop);
export const reschedule = defineSignal(MESSAGE.reschedule);
export const progress = defineQuery<SendProgress>(MESSAGE.progress);

const short = proxyActivities<SendActivities>({
  taskQueue: TASK_QUEUE.campaign,
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

const sending = proxyActivities<SendActivities>({
  taskQueue: TASK_QUEUE.sending,
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', maximumInterval: '15 seconds' },
});

const RELAY_PAUSE = { first: 5, most: 300 };

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
    const waited = await wait();
    if (waited === 'draft') return 'draft';
    return await finish(waited === 'send' ? await send() : waited);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    // Cancelled in an operator's UI: the same as stop.
    return await CancellationScope.nonCancellable(() => finish({ outcome: 'stopped', reasons: [] }));
  }

  async function wait(): Promise<'send' | 'draft' | Ending> {
    for (;;) {
      const opened = await short.openSend(mailingId);
      stopping ||= opened.stopRequested;
      if (opened.stage === 'none') return 'draft';
      if (opened.stage === 'sending') return 'send';
      if (stopping) return { outcome: 'stopped', reasons: [] };
      if (opened.scheduledFor !== null) {
        const wait = Date.parse(opened.scheduledFor) - Date.now();
        if (wait > 0) {
          say('waiting', `Waiting until ${opened.scheduledFor} UTC.`);
          rescheduled = false;
          await condition(() => stopping || rescheduled, wait, { summary: 'scheduled time' });
          continue;
        }
        if (-wait > opened.lateAfterMinutes * 60_000) {
          const reason = `it was scheduled for ${opened.scheduledFor}, which was missed by more than ${opened.lateAfterMinutes} minutes; nothing was sent`;
          await short.returnToDraft({ mailingId, reason });
          return 'draft';
        }
      }
      if (opened.rebuild) {
        const failed = await rebuild();
        if (failed) return failed;
      }
      return 'send';
    }
  }

  async function rebuild(): Promise<Ending | null> {
    say('rebuilding', 'Building the target set anew.');
    if (!(await short.markRebuilding(mailingId))) return null;
    try {
      await work.run(() => targetQueries.buildTargetsAtSend({ mailingId }));
      return null;
    } catch (error) {
      if (stopping) return { outcome: 'stopped', reasons: [] };
      if (isCancellation(error)) throw error;
      return { outcome: 'died', reasons: ['The rebuild before sending failed.', ...rebuildErrors(error)] };
    }
  }

  async function send(): Promise<Ending> {
    const begun = await short.beginSending(mailingId);
    if (begun.reasons.length) return { outcome: 'died', reasons: begun.reasons };
    for (;;) {
      if (stopping) return { outcome: 'stopped', reasons: [] };
      say('sending', `Sending${begun.rate === null ? '' : ` at ${begun.rate} mails per second`}; ${live.accepted} accepted so far.`);
      const ends = await Promise.all(Array.from({ length: begun.lanes }, () => lane(begun)));
      const ending = judge(ends);
      if (ending) return ending;
      if (ends.some((end) => end.accepted > 0)) relay = null;
      const down = ends.find((end) => end.next === 'relay-down');
      if (down) {
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
    if (stopping || ends.some((end) => end.next === 'stop')) return { outcome: 'stopped', reasons: [] };
    const refused = ends.find((end) => end.next === 'refused');
    if (refused) return { outcome: 'died', reasons: [`the relay will not have this mail: ${refused.reason}`] };
    return ends.every((end) => end.next === 'finished') ? { outcome: 'completed', reasons: [] } : null;
  }

  /** One slice after another while there is more; how the last one ended, with everything the lane's slices accepted. */
  async function lane(begun: BegunSend): Promise<SliceResult> {
    let accepted = 0;
    for (;;) {
      slices++;
      // Longer slices with more lanes, so that the events of a run depend on its duration alone.
      const seconds = begun.sliceSeconds * begun.lanes;
      const slice = await work.run(() => sending.sendSlice({ mailingId, seconds })).catch(unlessStopping);
      accepted += slice.accepted;
      live.accepted += slice.accepted;
      setCurrentDetails(`Sending; ${live.accepted} accepted so far.`);
      if (slice.next !== 'more' || stopping || tired()) return { ...slice, accepted };
    }
  }

  /** A slice that was cancelled before a worker had it did nothing. */
  function unlessStopping(error: unknown): SliceResult {
    if (stopping && isCancellation(error)) return { accepted: 0, failed: 0, skipped: 0, uncertain: 0, next: 'stop', waitMs: 0, reason: '' };
    throw error;
  }

  function tired(): boolean {
    return workflowInfo().continueAsNewSuggested || slices >= (input.slicesPerRun ?? 500);
  }

  async function pause(seconds: number, reason: string): Promise<void> {
    live.pause = { reason, until: new Date(Date.now() + seconds * 1000).toISOString() };
    say('paused', `Paused for ${Math.round(seconds)} s: ${reason}`);
    await condition(() => stopping, seconds * 1000, { summary: 'pause' });
    live.pause = null;
  }

  async function finish(ending: Ending): Promise<Ending['outcome']> {
    say('stopping', 'Recording how it ended.');
    await short.finishSend({ mailingId, ...ending });
    say('finished', `${ending.outcome}; ${live.accepted} accepted${ending.reasons.length ? `. ${ending.reasons.join('; ')}` : ''}`);
    return ending.outcome;
  }
}
