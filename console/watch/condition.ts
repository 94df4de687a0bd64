import type { Watched } from '../../api/mailer/progress.ts';
import { STOPPABLE } from '../../domain/mailing-status.ts';
import type { MailingStatus } from '../../domain/words.ts';
import { type Html, html } from '../html.ts';
import { statusWord } from '../mailings/status-words.ts';
import { clock, duration } from '../numbers.ts';
import type { Observed } from './observed-sends.ts';

/** A worker that is being exchanged says nothing for some seconds; whoever says nothing for longer hangs, or is gone. */
const SILENCE_MS = 5_000;

/** What keeps a mailing from being simply what its status says. */
export interface Condition {
  status: MailingStatus;
  stopping?: boolean;
  pause?: Watched['pause'];
  silentForMs?: number | null;
  uncertain?: number;
}

export const conditionOf = ({ state, pause }: Watched, { silentForMs }: Observed): Condition => ({
  status: state.status,
  stopping: state.stop_requested,
  pause,
  silentForMs,
  uncertain: state.uncertain,
});

/** Where a mailing stands, in words; the kind is its colour. */
export function conditionWords({ status, stopping, pause, silentForMs, uncertain }: Condition): { kind: string; words: string } {
  if (stopping && STOPPABLE.includes(status)) return { kind: 'stopping', words: 'Stopping' };
  if (silentForMs && silentForMs >= SILENCE_MS) return { kind: 'silent', words: `No worker answers for ${duration(silentForMs / 1000)}` };
  if (pause) return { kind: 'paused', words: `Paused: ${cause(pause.reason)}, next try ${clock(pause.until)}` };
  if (status === 'completed' && uncertain) return { kind: 'unsettled', words: 'Sent, not settled' };
  return { kind: status, words: statusWord(status) };
}

/** The status as a mark of its own: the word says it, the colour only repeats it. */
export function conditionMark(condition: Condition): Html {
  const { kind, words } = conditionWords(condition);
  return html`<span class="mark ${kind}">${words}</span>`;
}

/** The first clause of a reason, without what the relay said. */
const cause = (reason: string): string => reason.split(':')[0]!;
