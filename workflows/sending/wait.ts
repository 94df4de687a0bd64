import { CancellationScope, condition, isCancellation, patched, workflowInfo } from '@temporalio/workflow';
import type { OpenedSend } from '../../activities/sending/activities.ts';
import { counted } from '../../domain/counted.ts';
import { answered, answeredAs, isTime } from '../answered.ts';
import { continueAs } from '../continue-as.ts';
import { rebuildErrors, targetQueries } from '../rebuild-targets.ts';
import { short } from './activities.ts';
import { shownTime } from './shown-time.ts';
import type { Ending, SendState } from './state.ts';

/** Waits for the mailing's time and rebuilds if asked. What comes then: it is sent, it is a draft and nothing is to do, or it ends. */
export async function waitForTime(state: SendState): Promise<'send' | 'draft' | Ending> {
  for (;;) {
    // Before it is read: what is told while it is being read may be missing in what was.
    state.rescheduled = false;
    const opened = await answered(
      () => short.openSend(state.mailingId),
      { stage: 'string', lateAfterMinutes: 'number' },
      ({ at = 0, scheduledFor }) => Number.isFinite(at) && isTime(scheduledFor),
    );
    state.opened(opened);
    if (opened.stage === 'none') return 'draft';
    if (opened.stage === 'sending') return 'send';
    if (state.stopping) return { outcome: 'stopped', reasons: [] };
    const now = opened.at !== undefined && patched('by-the-clock-of-the-database') ? opened.at : Date.now();
    const scheduled = await schedule(state, opened, now);
    if (scheduled === 'again') {
      // Given another time thousands of times: what it was told is in the row.
      if (workflowInfo().continueAsNewSuggested && !state.stopping && patched('continues-while-waiting'))
        await continueAs(state.carriedOn());
      continue;
    }
    if (scheduled === 'missed') return 'draft';
    if (opened.undoUntil && Date.parse(opened.undoUntil) > now && patched('undo-delay')) {
      await undoDelay(state, opened.undoUntil, now);
      continue;
    }
    const rebuilt = opened.rebuild ? await rebuild(state) : null;
    if (rebuilt !== 'again') return rebuilt ?? 'send';
  }
}

/**
 * `again`: it has waited, or is a draft again since its time is long past, and is to be opened anew. `missed`: the latter, in older histories.
 * @param now as the database has it: a clock of Temporal's that runs ahead would have it go out before its time
 */
async function schedule(
  state: SendState,
  { scheduledFor, lateAfterMinutes }: OpenedSend,
  now: number,
): Promise<'due' | 'again' | 'missed'> {
  if (scheduledFor === null) return 'due';
  const { mailingId, queuedAt, timing } = state;
  const wait = Date.parse(scheduledFor) - now;
  if (wait > 0) {
    state.say('waiting', `Waiting until ${shownTime(scheduledFor)}.`);
    if (!patched('told-while-opening')) state.rescheduled = false;
    await condition(() => state.stopping || state.rescheduled, wait, { summary: 'scheduled time' });
    return 'again';
  }
  if (-wait <= lateAfterMinutes * 60_000) return 'due';
  const reason = `it was scheduled for ${scheduledFor}, which was missed by more than ${counted(lateAfterMinutes, 'minute', 'minutes')}; nothing was sent at that time`;
  await short.returnToDraft({ mailingId, reason, queuedAt, timing });
  // It may have been given another time in that moment, and wait still.
  return patched('missed-is-read-again') ? 'again' : 'missed';
}

async function undoDelay(state: SendState, until: string, now: number): Promise<void> {
  state.live.pause = { reason: 'it can still be stopped before the first mail', until };
  state.say('waiting', `Waiting until ${shownTime(until)}, so that it can be stopped before the first mail.`);
  await condition(() => state.stopping, Date.parse(until) - now, { summary: 'undo delay' });
  state.live.pause = null;
}

/** @returns how the mailing ends where it cannot be rebuilt; `again` where it is not as it was opened; else null */
async function rebuild(state: SendState): Promise<Ending | 'again' | null> {
  const { mailingId, queuedAt, timing } = state;
  state.say('rebuilding', 'Building the target set anew.');
  if (!(await answeredAs(() => short.markRebuilding(mailingId, queuedAt, timing), 'boolean')))
    return patched('opened-again') ? 'again' : null;
  try {
    await state.work.run(() => answered(() => targetQueries.buildTargetsAtSend({ mailingId }), { count: 'number' }));
    return null;
  } catch (error) {
    // However a build fails that was called off: its worker may have died, or the database gone away.
    if (state.stopping || CancellationScope.current().consideredCancelled) return { outcome: 'stopped', reasons: [] };
    if (isCancellation(error)) throw error;
    return { outcome: 'died', reasons: ['The rebuild before sending failed.', ...rebuildErrors(error)] };
  }
}
