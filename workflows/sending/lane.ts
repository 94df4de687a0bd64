import { ActivityFailure, isCancellation, patched } from '@temporalio/workflow';
import type { BegunSend, SliceResult } from '../../activities/sending/activities.ts';
import { finalReason } from '../final-reason.ts';
import { slicesUnder } from './activities.ts';
import type { Ending, SendState } from './state.ts';

/** One slice after another while there is more; how the last one ended, with everything the lane's slices accepted. */
export async function runLane(state: SendState, begun: BegunSend, number: number, tell: () => void): Promise<SliceResult> {
  const { mailingId, live } = state;
  // Runs that began earlier were told the lease, or nothing when it was ten seconds.
  const sending = slicesUnder(begun.silenceSeconds ?? begun.leaseSeconds ?? 10, `lane ${number} of ${begun.lanes}`);
  let accepted = 0;
  for (;;) {
    state.slices++;
    // Longer slices with more lanes, so that the events of a run depend on its duration alone.
    const seconds = begun.sliceSeconds * begun.lanes;
    const slice = await state.work.run(() => sending.sendSlice({ mailingId, seconds })).catch((error) => calledOff(state, error));
    accepted += slice.accepted;
    live.accepted += slice.accepted;
    if (!state.stopping) tell();
    if (slice.next !== 'more' || state.stopping || state.broken !== null || state.tired) return { ...slice, accepted };
  }
}

/**
 * A slice that was cancelled before a worker had it did nothing; one that failed or died while it was being stopped is not tried again, and has ended all the
 * same. One that fails for good ends the other lanes, too.
 */
function calledOff(state: SendState, error: unknown): SliceResult {
  const reason = state.stopping || state.broken !== null ? null : finalReason(error);
  if (reason !== null && patched('final-failures')) state.breakOff(reason);
  if ((state.stopping || state.broken !== null) && (error instanceof ActivityFailure || isCancellation(error)))
    return { accepted: 0, failed: 0, skipped: 0, uncertain: 0, next: 'stop', waitMs: 0, reason: '' };
  throw error;
}

/** How a round of lanes ended the whole, or null when it goes on. */
export function judge({ stopping, broken }: SendState, ends: SliceResult[]): Ending | null {
  if (broken !== null && !stopping) return { outcome: 'died', reasons: [broken] };
  if (stopping || ends.some((end) => end.next === 'stop')) return { outcome: 'stopped', reasons: [] };
  const refused = ends.find((end) => end.next === 'refused');
  if (refused) return { outcome: 'died', reasons: [`the relay will not have this mail: ${refused.reason}`] };
  return ends.every((end) => end.next === 'finished') ? { outcome: 'completed', reasons: [] } : null;
}
