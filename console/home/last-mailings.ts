import type { ListedMailing } from '../../core/mailings/list-mailings.ts';
import { type Html, html } from '../html.ts';
import { icon } from '../icons.ts';
import { count, share, time } from '../numbers.ts';
import { ofMailed } from '../results/subject-table.ts';
import { templated } from '../templated.ts';

type Opened = ReadonlyMap<number, { opens: number; clicks: number }>;

/** How the mailings that ended last did. @param mayWrite whoever looks may begin one */
export function lastPart(mailings: ListedMailing[], opened: Opened, mayWrite: boolean): Html {
  const row = ({ id, subject, accepted, uncertain, finished_at }: ListedMailing) => {
    const part = (many: number) => share(ofMailed(many, { recipients: accepted, uncertain }));
    const { opens = 0, clicks = 0 } = opened.get(id) ?? {};
    return html`<tr><th scope="row"><a href="/console/mailings/${id}/results/">${subject ? templated(subject) : 'Without a subject'}</a></th><td class="nowrap">${time(finished_at)}</td><td class="n">${count(accepted)}</td><td class="n">${part(opens)}</td><td class="n">${part(clicks)}</td></tr>`;
  };
  return html`<section class="card" aria-labelledby="last-title"><h2 id="last-title">${icon('chart')}Last mailings</h2>${
    mailings.length
      ? html`<div class="scroll" tabindex="0" role="group" aria-labelledby="last-title"><table><thead><tr><th scope="col">Subject</th><th scope="col">Ended</th><th scope="col" class="n">Accepted</th><th scope="col" class="n">Opened</th><th scope="col" class="n">Clicked</th></tr></thead><tbody>${mailings.map(row)}</tbody></table></div>`
      : html`<p class="none">None was sent yet.${mayWrite ? html` <a href="/console/mailings/new">Write the first one</a>, or create it over the <a href="/docs/">API</a>.` : ''}</p>`
  }</section>`;
}
