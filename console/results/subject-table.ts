import type { Env } from '../../config/env.ts';
import type { Statistics, WithLeavings } from '../../core/mailings/results.ts';
import { type Html, html } from '../html.ts';
import type { MailingDocument } from '../mailings/mailing-document.ts';
import { count, grouped, share } from '../numbers.ts';
import { templated } from '../templated.ts';

/** What came of a mailing, or of one of its subjects, as the console counts it: leaving is no action. */
export type Results = WithLeavings<Statistics>;

/** What of a mailing is counted at all: of what is not nobody knows whether there was any. */
export type Counting = Record<'opens' | 'clicks', boolean>;

/** It is tracked, or was when some of it went out. @param on whether mails from here are tracked where the mailing does not say otherwise */
export const countingOf = (
  { track_opens, track_clicks }: Pick<MailingDocument, 'track_opens' | 'track_clicks'>,
  { raw_opens, raw_clicks }: Pick<Results, 'raw_opens' | 'raw_clicks'>,
  on: Pick<Env, 'TRACK_OPENS' | 'TRACK_CLICKS'>,
): Counting => ({ opens: raw_opens > 0 || (track_opens && on.TRACK_OPENS), clicks: raw_clicks > 0 || (track_clicks && on.TRACK_CLICKS) });

export const acts = ({ actions, leavings }: Results): number => actions - leavings;

/** By what people did or what came back it is known that so many have it, too: also of those of whom nobody knew, and who are mailed again, or were refused then. */
const HAVE_IT = ['opens', 'clicks', 'unsubscribes', 'bounces', 'complaints'] as const;
type Mailed = { recipients: number; uncertain?: number } & Partial<Record<(typeof HAVE_IT)[number], number>>;

/** Who has it, or may have it: of whom nobody knows, some open theirs, and would be more than everybody among those alone whose mail was accepted. */
export const mailed = ({ recipients, uncertain = 0, ...counts }: Mailed): number =>
  Math.max(recipients + uncertain, ...HAVE_IT.map((name) => counts[name] ?? 0));
/** Of so many, out of all who were mailed. */
export const ofMailed = (many: number, results: Parameters<typeof mailed>[0]): number => (mailed(results) ? many / mailed(results) : 0);

export const actRate = (results: Results): number => ofMailed(acts(results), results);
export const openRate = (results: Results): number => ofMailed(results.opens, results);
export const clickRate = (results: Results): number => ofMailed(results.clicks, results);
/** One person may act several times: more than one action for each is no part of anybody. */
export const actWords = (rate: number): string => (rate > 1 ? `${count(rate)} each` : share(rate));

/** In the order of their columns. */
const RATES = [
  { rate: openRate, written: share, of: 'opens' },
  { rate: clickRate, written: share, of: 'clicks' },
  { rate: actRate, written: actWords, of: null },
] as const;

/** A rate as a number with a bar behind it, drawn against the best of its column. */
function rateCell(rate: number, best: number, written: (rate: number) => string): Html {
  return html`<td class="n rate"><span>${written(rate)}</span><svg aria-hidden="true"><rect width="${best > 0 ? ((rate * 100) / best).toFixed(2) : 0}%" height="100%"/></svg></td>`;
}

/** The subjects of a mailing side by side. */
export function subjectTable(subjects: (Results & { subject: string })[], totals: Results, counting: Counting): Html {
  // The best of each looked for once: there may be a thousand subjects.
  const cells = RATES.map((each) => ({ ...each, best: Math.max(...subjects.map(each.rate), 0) }));
  const row = (title: Html, each: Results) =>
    html`<tr>${title}<td class="n">${count(each.recipients)}</td>${cells.map(({ rate, best, written, of }) => (of === null || counting[of] ? rateCell(rate(each), best, written) : html`<td class="n">–</td>`))}<td class="n">$${grouped(each.amount_converted)}</td><td class="n">${count(each.unsubscribes)}</td><td class="n">${count(each.bounces)}</td><td class="n">${count(each.complaints)}</td></tr>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-labelledby="subjects-title"><table><thead><tr><th scope="col">Subject</th><th scope="col" class="n">Accepted</th><th scope="col" class="n">Opened</th><th scope="col" class="n">Clicked</th><th scope="col" class="n">Actions</th><th scope="col" class="n">Given</th><th scope="col" class="n">Left</th><th scope="col" class="n">Bounced</th><th scope="col" class="n">Complained</th></tr></thead>
<tbody>${subjects.map((each) => row(html`<th scope="row">${templated(each.subject)}</th>`, each))}</tbody>
${subjects.length > 1 ? html`<tfoot>${row(html`<th scope="row">All</th>`, totals)}</tfoot>` : ''}</table></div>`;
}
