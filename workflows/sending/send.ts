import { continueAsNew, patched } from '@temporalio/workflow';
import type { BegunSend, SliceResult } from '../../activities/sending/activities.ts';
import { growingPause } from '../../domain/backoff.ts';
import type { SendMailingInput } from '../contracts.ts';
import { beginning } from './activities.ts';
import { judge, runLane } from './lane.ts';
import type { Ending, SendState } from './state.ts';

const RELAY_PAUSE = { first: 1, most: 300 };

/** Begins, and sends by rounds of lanes until nobody is pending, somebody says stop, or it cannot go on. */
export async function send(state: SendState): Promise<Ending | 'queued again'> {
  const begun = await begin(state);
  if (begun === null) return { outcome: 'stopped', reasons: [] };
  if (begun.queuedAgain) return 'queued again';
  if (begun.stopRequested) return { outcome: 'stopped', reasons: [] };
  if (begun.reasons.length) return { outcome: 'died', reasons: begun.reasons };
  const tell = teller(state, begun);
  for (;;) {
    if (state.stopping) return { outcome: 'stopped', reasons: [] };
    tell();
    const ends = await Promise.all(Array.from({ length: begun.lanes }, (_, n) => runLane(state, begun, n + 1, tell)));
    const ending = judge(state, ends) ?? (await rest(state, begun, ends));
    if (ending) return ending;
    if (state.tired) await continueAsNew<(input: SendMailingInput) => Promise<unknown>>(state.carriedOn());
  }
}

/** Null when it was stopped meanwhile; what was begun all the same is then ended by `finishSend`. */
async function begin(state: SendState): Promise<BegunSend | null> {
  const beginSending = () => beginning.beginSending(state.mailingId, state.queuedAt);
  if (!patched('begin-can-be-stopped')) return beginSending();
  if (state.stopping) return null;
  return state.work.run(beginSending).catch((error) => {
    if (state.stopping) return null;
    throw error;
  });
}

/** What tells operators how far this sending is. */
function teller(state: SendState, { rate, pending }: BegunSend): () => void {
  const speed = rate === null ? '' : ` at ${rate} mails per second`;
  const before = state.live.accepted;
  return () => state.say('sending', `Sending${speed}: ${state.live.accepted - before} of the ${pending} who waited are accepted so far.`);
}

/** Pauses where a round could not go on at once. @returns how the mailing ends where there is no more to wait for; else null */
async function rest(state: SendState, begun: BegunSend, ends: SliceResult[]): Promise<Ending | null> {
  if (ends.some((end) => end.accepted > 0)) state.relay = null;
  const closed = ends.find((end) => end.next === 'closed');
  const down = ends.find((end) => end.next === 'relay-down');
  if (closed && patched('sending-hours')) {
    // Looked at again each hour: the hours of the instance may be changed meanwhile.
    await state.pause(Math.min(3600, closed.waitMs / 1000), closed.reason, closed.waitMs);
  } else if (down) {
    state.relay ??= { downSince: Date.now(), pauses: 0 };
    if (Date.now() - state.relay.downSince > begun.giveUpHours * 3_600_000) {
      return { outcome: 'died', reasons: [`the relay was away for ${begun.giveUpHours} hours: ${down.reason}`] };
    }
    const seconds = growingPause(state.relay.pauses++, RELAY_PAUSE.first, RELAY_PAUSE.most);
    await state.pause(seconds, `the relay is not taking mail: ${down.reason}`);
  } else if (ends.every((end) => end.next === 'wait')) {
    // Held by a worker that may have died, or put off by the relay: no shard is free before then.
    await state.pause(Math.max(0.2, Math.min(...ends.map((end) => end.waitMs)) / 1000), 'no recipient is due before then');
  }
  return null;
}
