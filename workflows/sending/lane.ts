import { ActivityFailure, isCancellation, patched } from '@temporalio/workflow';
import type { BegunSend } from '../../activities/sending/activities.ts';
import { growingPause } from '../../domain/backoff.ts';
import { counted } from '../../domain/counted.ts';
import { NOTHING_SENT, type SliceResult } from '../../domain/slice-result.ts';
import { canWait } from '../answered.ts';
import { finalReason } from '../final-reason.ts';
import { slicesUnder } from './activities.ts';
import type { SendState } from './state.ts';

const RELAY_PAUSE = { first: 1, most: 300 };
/** Seconds after which a lane that every worker had one beside looks whether a worker has come. */
const REST = { first: 15, most: 60 };
/** A slice that only finds out whether the relay is back: how it went is told soon. */
const PROBE_SECONDS = 2;
/** Well below the time limit of a slice (activities.ts), however many lanes there are. */
const LONGEST_SLICE_SECONDS = 600;

/**
 * One slice after another until the send has ended, or its history has become long. A lane that has to wait waits by itself and takes up again, while the others go on.
 * @param tell says how far the sending is
 */
export async function runLane(state: SendState, begun: BegunSend, number: number, tell: () => void): Promise<void> {
  // Runs that began earlier were told the lease, or nothing when it was ten seconds.
  const sending = slicesUnder(begun.silenceSeconds ?? begun.leaseSeconds ?? 10, `lane ${number} of ${begun.lanes}`);
  const { mailingId } = state;
  let fruitless = state.relay?.pauses ?? 0;
  let rests = 0;
  while (!state.over && !state.tired) {
    state.slices++;
    const probe = state.relay !== null;
    // Longer slices with more lanes, so that the events of a run depend on its duration alone.
    const seconds = probe ? PROBE_SECONDS : Math.min(LONGEST_SLICE_SECONDS, begun.sliceSeconds * begun.lanes);
    const slice = await state
      .atWork(() => sending.sendSlice({ mailingId, seconds }), probe)
      .then(ofSlice)
      .catch((error) => calledOff(state, error));
    state.took(slice);
    if (slice.accepted > 0) fruitless = 0;
    if (!state.stopping) tell();
    rests = slice.next === 'elsewhere' ? rests + 1 : 0;
    if (rests > 0) await state.rest(growingPause(rests - 1, REST.first, REST.most), rests);
    else if (slice.next === 'relay-down') await relayAway(state, begun, slice.reason, fruitless++);
    else await goOn(state, slice);
  }
}

/** What a slice's end means for its lane, and for the send. */
async function goOn(state: SendState, { next, reason, waitMs, dueMs = null }: SliceResult): Promise<void> {
  switch (next) {
    case 'finished':
      return state.end({ outcome: 'completed', reasons: [] });
    case 'stop':
      return state.end({ outcome: 'stopped', reasons: [] });
    case 'refused':
      return state.end({ outcome: 'died', reasons: [`the relay will not have this mail: ${reason}`] });
    case 'closed':
      // Looked at again each hour: the hours of the instance may be changed meanwhile.
      if (patched('sending-hours')) await state.pause(Math.min(3600, waitMs / 1000), reason, { endsInMs: waitMs });
      return;
    case 'wait':
      return state.idle(waitMs, dueMs, reason);
  }
}

async function relayAway(state: SendState, begun: BegunSend, reason: string, fruitless: number): Promise<void> {
  const relay = state.relayAway(reason);
  if (Date.now() - relay.downSince > begun.giveUpHours * 3_600_000) {
    state.end({ outcome: 'died', reasons: [`the relay was away for ${counted(begun.giveUpHours, 'hour', 'hours')}: ${reason}`] });
    return;
  }
  relay.pauses = Math.max(relay.pauses, fruitless + 1);
  const { delivered } = state;
  const seconds = growingPause(fruitless, RELAY_PAUSE.first, RELAY_PAUSE.most);
  // As soon as another lane gets mail through, this one tries, too.
  await state.pause(seconds, `the relay is not taking mail: ${reason}`, { unless: () => state.delivered > delivered });
}

/**
 * A slice that was cancelled before a worker had it did nothing; one that failed or died while it was being stopped is not tried again, and has ended all the
 * same. One that fails for good ends the send.
 */
function calledOff(state: SendState, error: unknown): SliceResult {
  const reason = state.over ? null : finalReason(error);
  if (reason !== null && patched('final-failures')) state.end({ outcome: 'died', reasons: [reason] });
  if (state.over && (error instanceof ActivityFailure || isCancellation(error))) return NOTHING_TOLD;
  throw error;
}

const NOTHING_TOLD: SliceResult = { ...NOTHING_SENT, next: 'more' };

/** Of whom every slice says how many there were. */
const NUMBERS = ['accepted', 'failed', 'skipped', 'uncertain'] as const;

/**
 * Whoever completes a slice by hand, in the Temporal CLI, may give it any result: read as one of ours it would keep the run from ever going on, or end a mailing for which
 * people wait.
 */
function ofSlice(result: SliceResult | null): SliceResult {
  const isOne =
    typeof result?.next === 'string' &&
    typeof result.reason === 'string' &&
    NUMBERS.every((name) => Number.isFinite(result[name])) &&
    canWait(result.waitMs) &&
    canWait(result.dueMs ?? 0);
  return isOne ? result : NOTHING_TOLD;
}
