import type { Watched } from '../../api/mailer/progress.ts';
import type { MissedTime } from '../../core/mailings/missed-times.ts';
import { STOPPABLE } from '../../domain/mailing-status.ts';
import type { MailingStatus } from '../../domain/words.ts';
import { type Html, html } from '../html.ts';
import { statusWord } from '../mailings/status-words.ts';
import { duration, time } from '../numbers.ts';

/** A worker that is being exchanged says nothing for some seconds; whoever says nothing for longer hangs, or is gone. */
const SILENCE_MS = 5_000;
const AWAY = 'The workflow service does not answer';

/** What keeps a mailing from being simply what its status says. */
export interface Condition {
  status: MailingStatus;
  stopping?: boolean;
  pause?: Watched['pause'];
  silentForMs?: number | null;
  /** Nobody could be asked. */
  serviceAway?: boolean;
  uncertain?: number;
  /** Of one that recurs: nothing goes out before somebody lets its schedule go on in Temporal. */
  schedulePaused?: boolean;
  /** Of one that recurs: a time at which it was to go out and did not. */
  missed?: MissedTime | undefined;
}

export const conditionOf = ({ state, pause }: Omit<Watched, 'live'>, silentForMs: number | null, serviceAway: boolean): Condition => ({
  status: state.status,
  stopping: state.stop_requested,
  pause,
  silentForMs,
  serviceAway,
  uncertain: state.uncertain,
});

interface Worded {
  /** Its colour. */
  kind: string;
  words: string;
  /** Since or until when: it changes all the time. */
  times?: Html;
}

function worded({ status, stopping, pause, silentForMs, serviceAway, uncertain, schedulePaused }: Condition): Worded {
  if (stopping && STOPPABLE.includes(status)) return { kind: 'stopping', words: 'Stopping' };
  if (silentForMs && silentForMs >= SILENCE_MS)
    return { kind: 'silent', words: serviceAway ? AWAY : 'No worker answers', times: html` for ${duration(silentForMs / 1000)}` };
  if (pause) return { kind: 'paused', words: `Paused: ${cause(pause.reason)}`, times: html`, next try ${time(pause.until.slice(0, 19))}` };
  if (status === 'completed' && uncertain) return { kind: 'unsettled', words: 'Sent, not settled' };
  if (schedulePaused) return { kind: 'paused', words: 'Recurring, paused in Temporal' };
  return { kind: status, words: statusWord(status) };
}

/** Of one that recurs, where it does not. */
export const schedulePausedPart = ({ schedulePaused }: Condition): Html | '' =>
  schedulePaused
    ? html`<p class="note warn">Its schedule is paused in Temporal: nothing goes out before somebody unpauses it there.</p>`
    : '';

/** Of one that recurs, until it goes out again. */
export const missedPart = ({ missed }: Condition): Html | '' =>
  missed
    ? html`<p class="note warn">It did not go out on ${missed.day} at ${missed.time}, by the clocks of ${missed.timezone}, and will not any more: if it still should, make a copy of it and send that.</p>`
    : '';

/** Where a mailing stands, to be said aloud when it changes: so without the times. */
export const conditionWords = (condition: Condition): string => worded(condition).words;

/** The status as a mark of its own: the word says it, the colour only repeats it. */
export function conditionMark(condition: Condition): Html {
  const { kind, words, times } = worded(condition);
  return html`<span class="mark ${kind}"><span>${words}${times}</span></span>`;
}

/** The first clause of a reason, without what the relay said; a time of the day has a colon, too. */
const cause = (reason: string): string => reason.split(': ')[0]!;
