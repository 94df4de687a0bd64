import type { ListedMailing } from '../../core/mailings/list-mailings.ts';
import { type Html, html } from '../html.ts';
import { count, people, time } from '../numbers.ts';
import { percent, progressBar, settled } from '../progress-bar.ts';
import { templated } from '../templated.ts';
import { type Condition, conditionMark } from '../watch/condition.ts';
import { setWords } from './status-words.ts';

/** One line of the list. */
export function mailingRow(mailing: ListedMailing, condition: Condition): Html {
  const { id, subject, notes } = mailing;
  return html`<li><div class="what"><a href="/console/mailings/${id}/">${subject ? templated(subject) : 'Without a subject'}</a><small>${id}${notes ? ` · ${notes.slice(0, 120)}` : ''}</small></div>
<div>${conditionMark(condition)}</div><div class="far">${howFar(mailing)}</div><div class="when">${when(mailing)}</div></li>`;
}

function howFar(mailing: ListedMailing): Html {
  const { id, targeted, saved_count, started_at, accepted, uncertain, subject } = mailing;
  if (started_at === null) {
    const words = setWords(mailing);
    return html`<span>${saved_count === null ? '' : people(saved_count)}${words ? html` <small>${words}</small>` : ''}</span>`;
  }
  const doubt = uncertain
    ? html` <a class="doubt" href="/console/mailings/${id}/recipients/uncertain/">${count(uncertain)} uncertain</a>`
    : '';
  // Once everybody is dealt with the bar says nothing that the numbers do not.
  if (settled(mailing) >= targeted) return html`<span>${count(accepted)} accepted${doubt}</span>`;
  return html`${progressBar(mailing, targeted, `Progress of ${subject}`)}<span>${percent(mailing, targeted)}% · ${count(accepted)} of ${count(targeted)}${doubt}</span>`;
}

function when({ status, scheduled_for, started_at, finished_at, created_at }: ListedMailing): Html {
  if (status === 'scheduled') return html`<small>for</small> ${time(scheduled_for)}`;
  if (finished_at) return html`<small>ended</small> ${time(finished_at)}`;
  if (started_at) return html`<small>since</small> ${time(started_at)}`;
  return html`<small>created</small> ${time(created_at)}`;
}
