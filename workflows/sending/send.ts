import { patched } from '@temporalio/workflow';
import type { BegunSend } from '../../activities/sending/activities.ts';
import { counted } from '../../domain/counted.ts';
import { answered } from '../answered.ts';
import { continueAs } from '../continue-as.ts';
import { beginning } from './activities.ts';
import { runLane } from './lane.ts';
import { shownTime } from './shown-time.ts';
import type { Ending, SendState } from './state.ts';

/** Begins, and sends in lanes until nobody is pending, somebody says stop, or it cannot go on. */
export async function send(state: SendState): Promise<Ending | 'queued again'> {
  state.say(state.live.phase, 'Beginning: its content is frozen, and those it goes to are dealt out.');
  const begun = await begin(state);
  if (begun === null) return { outcome: 'stopped', reasons: [] };
  if (begun.queuedAgain) return 'queued again';
  if (begun.stopRequested) return { outcome: 'stopped', reasons: [] };
  if (begun.reasons.length) return { outcome: 'died', reasons: begun.reasons };
  state.tellQueueing();
  const tell = teller(state, begun);
  tell();
  await Promise.all(Array.from({ length: begun.lanes }, (_, n) => runLane(state, begun, n + 1, tell)));
  if (state.stopping) return { outcome: 'stopped', reasons: [] };
  return state.ending ?? continueAs(state.carriedOn());
}

const BEGUN = { pending: 'number', reasons: 'object', lanes: 'number', sliceSeconds: 'number', giveUpHours: 'number' } as const;
/** More than there ever are workers. */
const MOST_LANES = 1000;

const canBegin = ({ rate, reasons, lanes, silenceSeconds, leaseSeconds }: BegunSend): boolean =>
  (rate === null || typeof rate === 'number') &&
  Array.isArray(reasons) &&
  lanes >= 1 &&
  lanes <= MOST_LANES &&
  [silenceSeconds, leaseSeconds].every((seconds = 1) => typeof seconds === 'number' && seconds > 0);

/** Null when it was stopped meanwhile; what was begun all the same is then ended by `finishSend`. */
async function begin(state: SendState): Promise<BegunSend | null> {
  const beginSending = () => answered(() => beginning.beginSending(state.mailingId, state.queuedAt, state.timing), BEGUN, canBegin);
  if (!patched('begin-can-be-stopped')) return beginSending();
  if (state.stopping) return null;
  return state.work.run(beginSending).catch((error) => {
    if (state.stopping) return null;
    throw error;
  });
}

/** What tells operators how far this sending is, as of the slice that ended last: with many lanes each takes minutes, so that it says when that was. */
function teller(state: SendState, { rate, pending, accepted = 0, targeted = accepted + pending }: BegunSend): () => void {
  const speed = rate === null ? '' : ` at ${counted(rate, 'mail', 'mails')} per second`;
  const { live } = state;
  live.accepted = Math.max(live.accepted, accepted);
  return () => state.tell(`Sending${speed}: ${live.accepted} of ${targeted} accepted as of ${shownTime(new Date().toISOString())}.`);
}
