import type { shownProgress } from '../../api/mailer/progress.ts';
import { toldRate } from '../../domain/recent-rate.ts';
import { type Html, html } from '../html.ts';
import type { MailingDocument } from '../mailings/mailing-document.ts';
import { statusWord } from '../mailings/status-words.ts';
import { count, duration, leading, people, perSecond, time } from '../numbers.ts';
import { legend, percent, progressBar, type Sent, settled } from '../progress-bar.ts';
import { missedPart, schedulePausedPart } from './condition.ts';
import type { Observed } from './observed-sends.ts';

/** As the API shows it, the rate not rounded. */
export type Progress = ReturnType<typeof shownProgress>;

export const sentOf = ({ progress, failed, skipped, uncertain }: Progress): Sent => ({ accepted: progress, failed, skipped, uncertain });

/** How far a mailing is, how fast it goes, what it waits for and what it has left to be settled. */
export function progressPart({ id, status, started_at, condition }: MailingDocument, progress: Progress, observed: Observed): Html {
  const { pause, errors, expected_send_count: targeted } = progress;
  const sent = sentOf(progress);
  const problems = errors.length ? html`<div class="note bad"><p>${errors.map((error) => html`${error}<br>`)}</p></div>` : '';
  if (started_at === null)
    return html`<p class="small">${notBegun(status)}</p>${schedulePausedPart(condition)}${missedPart(condition)}${pausePart(pause)}${problems}`;
  return html`<div class="line">${leading(sent.accepted, `of ${count(targeted)} accepted`)}<p class="percent">${percent(sent, targeted)}%</p></div>
${progressBar(sent, targeted, 'Progress of the mailing')}
${legend(sent, targeted)}
<p class="small">${speed(status, progress, observed)}</p>
${pausePart(pause)}${problems}${settlePart(id, status, sent)}`;
}

function notBegun(status: MailingDocument['status']): string {
  if (status === 'recurring') return 'Each time it recurs a copy of it is made and sent; this one itself is not.';
  return status === 'draft' ? 'Nothing was sent yet.' : `${statusWord(status)}; nothing was sent yet.`;
}

const pausePart = (pause: Progress['pause']): Html | '' =>
  pause ? html`<p class="note warn">Paused until ${time(pause.until.slice(0, 19))}: ${pause.reason}</p>` : '';

/** By the last minute while it is sent: what was idle before says nothing of what is to come. */
function speed(status: MailingDocument['status'], progress: Progress, { rate }: Observed): string {
  if (status !== 'sending') return progress.rate > 0 ? `${perSecond(toldRate(progress.rate))} on average, from beginning to end` : '';
  if (rate === null) return 'How fast it goes is being measured.';
  const waiting = Math.max(0, progress.expected_send_count - settled(sentOf(progress)));
  const left = rate > 0 && waiting > 0 && !progress.pause ? `, ${waiting < rate ? '' : 'about '}${duration(waiting / rate)} left` : '';
  return `${perSecond(toldRate(rate))} over the last minute${left}`;
}

/** Who is uncertain is a task for somebody; who has failed is a thing to know. */
function settlePart(id: number, status: MailingDocument['status'], { uncertain, failed }: Sent): Html | '' {
  const at = `/console/mailings/${id}/recipients`;
  if (uncertain)
    return html`<p class="note warn">${people(uncertain)} to settle: nobody knows whether they got the mail.${
      status === 'sending' ? ' It can be decided once the mailing has ended.' : ''
    } <a href="${at}/uncertain/">Who did not get it, and why</a></p>`;
  return failed ? html`<p><a href="${at}/failed/">Who did not get it, and why</a></p>` : '';
}
