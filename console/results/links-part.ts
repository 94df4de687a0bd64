import type { LinkClicks } from '../../core/mailings/clicks-by-link.ts';
import { csvLink } from '../csv.ts';
import { type Html, html } from '../html.ts';
import { count, counted, share } from '../numbers.ts';

/** How many clicks of people are known as a number alone: single ones go after a while, and with whom they are of. @param totalClicks all there were */
export const notKept = (links: LinkClicks[], totalClicks: number): number =>
  Math.max(0, totalClicks - links.reduce((sum, { clicks }) => sum + clicks, 0));

/** Which links people followed. @param totalClicks all clicks of people there were, those no longer kept one by one among them */
export function linksPart(id: number, links: LinkClicks[], { mailed, totalClicks }: { mailed: number; totalClicks: number }): Html {
  const gone = notKept(links, totalClicks);
  const body = links.length
    ? html`<div class="scroll" tabindex="0" role="group" aria-labelledby="links-title"><table><thead><tr><th scope="col">Link</th><th scope="col" class="n">Clicks</th><th scope="col" class="n">People</th><th scope="col" class="n">Of those mailed</th></tr></thead>
<tbody>${links.map(
        ({ url, clicks, people }) =>
          html`<tr><th scope="row" class="address">${url}</th><td class="n">${count(clicks)}</td><td class="n">${count(people)}</td><td class="n">${share(mailed ? people / mailed : 0)}</td></tr>`,
      )}</tbody></table></div>${gone ? html`<p class="small">Of ${counted(totalClicks, 'click', 'clicks')} in all ${count(gone)} ${gone === 1 ? 'is' : 'are'} no longer kept one by one.</p>` : ''}`
    : html`<p class="none">No link of it is counted: it has none, it was not sent yet, or its clicks are not tracked.</p>`;
  return html`<section class="card" aria-labelledby="links-title"><h2 id="links-title">Clicks by link</h2>${body}${links.length ? csvLink(`/console/mailings/${id}/results/links.csv`, 'clicks by link') : ''}</section>`;
}
