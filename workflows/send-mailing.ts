import type { RawValue } from '@temporalio/common';
import { CancellationScope, defineQuery, defineSignal, isCancellation, patched, setHandler } from '@temporalio/workflow';
import type { RecordedEnd } from '../activities/sending/activities.ts';
import { MESSAGE, type SendMailingInput, type SendProgress } from './contracts.ts';
import { finalReason } from './final-reason.ts';
import { short } from './sending/activities.ts';
import { send } from './sending/send.ts';
import { type Ending, SendState } from './sending/state.ts';
import { waitForTime } from './sending/wait.ts';
import { textOf, UNREAD } from './unread.ts';

/** With the queueing that is to be stopped, or none: the present one. */
export const stop = defineSignal<[queuedAt?: RawValue]>(MESSAGE.stop, UNREAD);
export const reschedule = defineSignal(MESSAGE.reschedule, UNREAD);
export const progress = defineQuery<SendProgress>(MESSAGE.progress);

/**
 * Sends one mailing: waits for its time, rebuilds if asked, then one slice after another until nobody is pending, somebody says stop, or it cannot go
 * on. It knows counters and flags only; who got a mail is in the ledger, so that whatever dies, the next slice goes on from there.
 */
export async function sendMailing(input: SendMailingInput): Promise<Ending['outcome'] | 'draft'> {
  const state = new SendState(input);
  setHandler(progress, () => state.live);
  setHandler(reschedule, () => {
    state.rescheduled = true;
  });
  setHandler(stop, (queuedAt) => state.stop(textOf(queuedAt)));

  try {
    for (;;) {
      const waited = await waitForTime(state);
      if (waited === 'draft') {
        state.say('finished', 'Nothing to send: the mailing does not wait to be sent any more.');
        return 'draft';
      }
      const ending = waited === 'send' ? await send(state) : waited;
      if (ending === 'queued again') continue;
      state.ending ??= ending;
      return await finish(state, ending);
    }
  } catch (error) {
    const reason = finalReason(error);
    // Cancelled while that is recorded, it has ended all the same.
    if (reason !== null && patched('final-failures'))
      return await CancellationScope.nonCancellable(() => finish(state, { outcome: 'died', reasons: [reason] }));
    if (!isCancellation(error) && !CancellationScope.current().consideredCancelled) throw error;
    // Cancelled in an operator's UI: the same as stop, but for one that had come to its end.
    return await CancellationScope.nonCancellable(() => finish(state, state.ending ?? { outcome: 'stopped', reasons: [] }));
  }
}

const isRecorded = (answer: unknown): answer is RecordedEnd => typeof (answer as RecordedEnd | null)?.accepted === 'number';

async function finish(state: SendState, ending: Ending): Promise<Ending['outcome']> {
  const { mailingId, queuedAt, live } = state;
  live.pause = null;
  state.say(ending.outcome === 'stopped' ? 'stopping' : 'sending', 'Recording how it ended.');
  const record = () => short.finishSend({ mailingId, ...ending, queuedAt });
  let answer: unknown = await record();
  // Completed by hand it has recorded nothing. In older histories it answers with the number, or nothing, and does not say of which queueing.
  while (!isRecorded(answer) ? patched('ends-when-recorded') : (answer.queuedAt ?? null) !== queuedAt && patched('ends-in-its-queueing'))
    answer = await record();
  if (isRecorded(answer)) live.accepted = answer.accepted;
  else if (typeof answer === 'number') live.accepted = answer;
  // Not before it is recorded: of a run that is terminated in between nothing was lost.
  state.tellQueueing();
  state.say('finished', `${ending.outcome}; ${live.accepted} accepted${ending.reasons.length ? `. ${ending.reasons.join('; ')}` : ''}`);
  return ending.outcome;
}
