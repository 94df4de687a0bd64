import type { ListedMailing } from '../../core/mailings/list-mailings.ts';
import type { Opened } from '../../core/mailings/needs-somebody.ts';
import { type Html, html } from '../html.ts';
import { icon } from '../icons.ts';
import { count, share, time } from '../numbers.ts';
import { countingOf, ofMailed } from '../results/subject-table.ts';
import { templated } from '../templated.ts';

type Tracking = Parameters<typeof countingOf>[2];

/** How the mailings that ended last did. @param mayWrite whoever looks may begin one */
export function lastPart(mailings: ListedMailing[], opened: ReadonlyMap<number, Opened>, mayWrite: boolean, on: Tracking): Html {
  const row = ({ id, subject, accepted, uncertain, finished_at }: ListedMailing) => {
    const of = opened.get(id);
    const part = (many: number) =>
      share(ofMailed(many, { recipients: accepted, uncertain, opens: of?.opens ?? 0, clicks: of?.clicks ?? 0 }));
    const [opens, clicks] = (['opens', 'clicks'] as const).map((kind) => (of && countingOf(of, of, on)[kind] ? part(of[kind]) : '–'));
    return html`<tr><th scope="row"><a href="/console/mailings/${id}/results/">${subject ? templated(subject) : 'Without a subject'}</a></th><td class="nowrap">${time(finished_at)}</td><td class="n">${count(accepted)}</td><td class="n">${opens}</td><td class="n">${clicks}</td></tr>`;
  };
  return html`<section class="card" aria-labelledby="last-title"><h2 id="last-title">${icon('chart')}Last mailings</h2>${
    mailings.length
      ? html`<div class="scroll" tabindex="0" role="group" aria-labelledby="last-title"><table><thead><tr><th scope="col">Subject</th><th scope="col">Ended</th><th scope="col" class="n">Accepted</th><th scope="col" class="n">Opened</th><th scope="col" class="n">Clicked</th></tr></thead><tbody>${mailings.map(row)}</tbody></table></div>`
      : html`<p class="none">None has gone out to its end yet.${mayWrite ? html` <a href="/console/mailings/new">Write one</a>, or create it over the <a href="/docs/">API</a>.` : ''}</p>`
  }</section>`;
}
