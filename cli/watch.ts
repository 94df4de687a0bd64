import { setTimeout as sleep } from 'node:timers/promises';
import { counted } from '../domain/counted.ts';
import { UNDER_WAY } from '../domain/mailing-status.ts';
import { type Moment, recentRate, toldRate, withMoment } from '../domain/recent-rate.ts';
import type { Command } from './command.ts';
import { heldUpBy, type Mailing, type Progress, progressOf, waitingIn } from './mailing.ts';
import { AwayError, plain, RefusedError, ShutOutError, UsageError } from './terminal.ts';
import { idIn, oneWord } from './words.ts';

const EVERY_MS = 2_000;
const BAR = 30;

/** `3 h 5 min`, `4 min`, `20 s`. */
export function spoken(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** One line: how far, how fast, how long, and what it waits for. */
export function lineOf(status: string, progress: Progress, rate: number | null): string {
  const { expected_send_count: of, progress: accepted, failed, skipped, uncertain } = progress;
  const left = waitingIn(progress);
  // Who is uncertain has still to be settled: it is not all of them.
  const done = of - left - uncertain;
  // Rounded down: it is all of them only when it is. Multiplied first: 100 times 29 / 100 is less than 29.
  const outOf = (many: number) => (of > 0 ? Math.floor((done * many) / of) : 0);
  const bar = '█'.repeat(outOf(BAR)).padEnd(BAR, '·');
  const parts = [`${bar} ${String(outOf(100)).padStart(3)} %`, `${accepted} of ${of} accepted`];
  for (const [what, count] of Object.entries({ failed, skipped, uncertain })) if (count) parts.push(`${count} ${what}`);
  const held = heldUpBy(progress);
  if (held) parts.push(held);
  else if (status === 'sending' && rate !== null) {
    parts.push(counted(toldRate(rate), 'mail/s', 'mails/s'));
    if (rate > 0 && left > 0) parts.push(`${spoken(left / rate)} left`);
  }
  return plain(`${status}  ${parts.join(', ')}`);
}

/** Shows a send until it has ended. An API that is away for a while is asked again, which is said once. @throws RefusedError when it did not end as completed */
export const watch: Command = async ({ rest, words, options, terminal }) => {
  const id = idIn(oneWord(words, 'mailing watch needs the id of one mailing'));
  const read = () => Promise.all([rest.get<Mailing>(`/rest/v1/mailer/${id}/`), rest.get<Progress>(progressOf(id))]);
  const show = options.json ? null : terminal.redraw;
  let moments: Moment[] = [];
  let last = '';
  let trouble = '';
  for (let first = true; ; first = false, await sleep(EVERY_MS)) {
    let status: Mailing['status'];
    let progress: Progress;
    try {
      [{ status }, progress] = await read();
    } catch (error) {
      if (first || !(error instanceof AwayError) || error instanceof ShutOutError) {
        if (show && !first) terminal.out('');
        throw error;
      }
      const words = `${error.message} Asking again.`;
      if (show) show(words);
      else if (words !== trouble) terminal.problem(words);
      trouble = words;
      continue;
    }
    if (trouble && !show) terminal.problem('The API answers again.');
    trouble = '';
    const now = performance.now();
    moments = withMoment(moments, { at: now, done: progress.progress });
    const line = options.json ? JSON.stringify({ id, status, ...progress }) : lineOf(status, progress, recentRate(moments));
    if (show) show(line);
    else if (line !== last) terminal.out(line);
    last = line;
    if (UNDER_WAY.includes(status)) continue;
    if (show) terminal.out('');
    if (status === 'completed') return;
    if (status === 'draft' && first) throw new UsageError(`Mailing ${id} is a draft: there is nothing to watch until it is queued.`);
    throw new RefusedError([`Mailing ${id} is ${status}.`, ...progress.errors].join(' '));
  }
};
