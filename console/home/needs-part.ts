import { MOST_SHOWN, type Waiting } from '../../core/mailings/needs-somebody.ts';
import { type Html, html } from '../html.ts';
import { icon } from '../icons.ts';
import { people } from '../numbers.ts';
import { settled } from '../progress-bar.ts';
import { templated } from '../templated.ts';

/** What somebody has to decide, each with the page on which it is decided. */
export function needsPart(waiting: Waiting[]): Html {
  const rows = waiting.slice(0, MOST_SHOWN).flatMap((mailing) => {
    const named = html`<a href="/console/mailings/${mailing.id}/">${mailing.subject ? templated(mailing.subject) : 'Without a subject'}</a> <small>${mailing.id}</small>`;
    return tasks(mailing).map(
      ([path, words]) =>
        html`<li><div class="what">${named}</div><div><a href="/console/mailings/${mailing.id}/${path}">${words}</a></div></li>`,
    );
  });
  return html`<section aria-labelledby="needs-title"><div class="head"><h2 id="needs-title">${icon('alert')}Needs somebody</h2></div>${
    rows.length
      ? html`<ul class="rows tasks">${rows}</ul>${waiting.length > MOST_SHOWN ? html`<p>These changed last; <a href="/console/mailings/">there are more</a>.</p>` : ''}`
      : html`<p class="none">Nothing waits for a decision.</p>`
  }</section>`;
}

/** Pages below a mailing's, and what is to be done there. */
function tasks(mailing: Waiting): [path: string, words: string][] {
  const { status, uncertain, errors, targeted } = mailing;
  const left = Math.max(0, targeted - settled(mailing));
  const why = errors?.length ? `: ${errors.join('; ')}` : '';
  const found: [string, string][] = [];
  if (uncertain) found.push(['recipients/uncertain/', `Settle ${people(uncertain)}: nobody knows whether they got it`]);
  if (status === 'died') found.push(['', `It died with ${people(left)} left${why}`]);
  if (status === 'stopped' && left) found.push(['', `Stopped: ${people(left)} left to resume, or to leave at that`]);
  if (status === 'draft') found.push(['', `It could not be sent${why}`]);
  if (status === 'scheduled') found.push(['choose/', 'Scheduled, but its audience is not built']);
  return found;
}
