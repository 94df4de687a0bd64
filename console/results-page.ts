import type { FastifyInstance } from 'fastify';
import { page } from '../api/accounts/session.ts';
import type { ApiContext } from '../api/deps.ts';
import { idOf } from '../api/resource/routes.ts';
import { readResults, type Statistics } from '../core/mailings/results.ts';
import { readCharts } from './chart-data.ts';
import { type Html, html } from './html.ts';
import { sendPage } from './layout.ts';
import { mailingHead, readMailing } from './mailing-document.ts';
import { count, share, templated } from './numbers.ts';

/** `/console/mailings/{id}/results/`: what came of a mailing, in all, over time and by subject. */
export function registerResultsPage(app: FastifyInstance, context: ApiContext): void {
  app.get('/console/mailings/:id/results/', page('mailer:read'), async (request, reply) => {
    const id = idOf(request);
    const [mailing, { totals, subjects }] = await Promise.all([
      readMailing(context, id),
      readResults(context.pool, id, context.longReads.of(request)),
    ]);
    const content = html`${mailingHead(mailing, 'results/')}
<section aria-labelledby="totals-title"><h2 id="totals-title" class="unseen">Totals</h2>${totalsPart(totals)}</section>
<div class="charts" data-charts="/console/mailings/${id}/charts">
${figure('sends', 'Mails over time', 'How many mails the relay accepted, from beginning to end.', totals.recipients ? null : 'No mail was accepted yet.')}
${figure('opens', 'Opens and clicks over time', 'By people; programs that open mails are left out.', totals.total_opens + totals.total_clicks ? null : 'Nothing was opened or clicked yet.')}
</div>
<section class="card" aria-labelledby="subjects-title"><h2 id="subjects-title">By subject</h2>${subjectTable(subjects, totals)}</section>`;
    return sendPage(request, reply, context.env, { title: `Results – mailing ${id}`, content, charts: true });
  });

  app.get('/console/mailings/:id/charts', page('mailer:read'), (request) => readCharts(context.longReads.of(request), idOf(request)));
}

function totalsPart(totals: Statistics): Html {
  const card = (word: string, value: string, more: string) => html`<div><dt>${word}</dt><dd>${value}<small>${more}</small></dd></div>`;
  return html`<dl class="totals">
${card('Accepted', count(totals.recipients), totals.uncertain ? `${count(totals.uncertain)} uncertain` : 'by the relay')}
${card('Opened', share(totals.open_rate), `${count(totals.opens)} people`)}
${card('Clicked', share(totals.click_rate), `${count(totals.clicks)} people`)}
${card('Actions', count(totals.actions), share(totals.action_rate))}
${card('Raised', `$${grouped(totals.amount_converted)}`, `${count(totals.orders)} orders`)}
${card('Unsubscribed', count(totals.unsubscribes), share(totals.unsubscribe_rate))}
${card('Bounced', count(totals.bounces), share(totals.bounce_rate))}
${card('Complained', count(totals.complaints), share(totals.complaint_rate))}
${card('Not accepted', count(totals.failed + totals.skipped), `${count(totals.failed)} failed, ${count(totals.skipped)} skipped`)}
</dl>`;
}

/** 12345.60 as 12,345.60: a decimal, so text all the way. */
const grouped = (amount: string): string => amount.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');

/** @param nothing what stands there as long as there is nothing to draw; null where there is something */
function figure(name: string, title: string, text: string, nothing: string | null): Html {
  const head = html`<figcaption><h2>${title}</h2><p class="small">${text}</p></figcaption>`;
  if (nothing !== null) return html`<figure class="card">${head}<p class="nothing">${nothing}</p></figure>`;
  return html`<figure class="card" data-chart="${name}">${head}<noscript><p class="nothing">It takes JavaScript to draw this.</p></noscript>
<div class="plot" role="img" aria-label="${title}: a chart; the same as a table stands below"></div></figure>`;
}

/** A rate as a number with a bar behind it, drawn against the best of its column. */
function rateCell(rate: number, best: number): Html {
  return html`<td class="n rate"><span>${share(rate)}</span><svg aria-hidden="true"><rect width="${best > 0 ? ((rate * 100) / best).toFixed(2) : 0}%" height="100%"/></svg></td>`;
}

function subjectTable(subjects: (Statistics & { subject_id: number; subject: string })[], totals: Statistics): Html {
  const best = (name: 'open_rate' | 'click_rate' | 'action_rate') => Math.max(...subjects.map((subject) => subject[name]), 0);
  const row = (title: Html, each: Statistics) =>
    html`<tr>${title}<td class="n">${count(each.recipients)}</td>${rateCell(each.open_rate, best('open_rate'))}${rateCell(each.click_rate, best('click_rate'))}${rateCell(each.action_rate, best('action_rate'))}<td class="n">$${grouped(each.amount_converted)}</td><td class="n">${count(each.unsubscribes)}</td><td class="n">${count(each.bounces)}</td><td class="n">${count(each.complaints)}</td></tr>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-labelledby="subjects-title"><table><thead><tr><th scope="col">Subject</th><th scope="col" class="n">Accepted</th><th scope="col" class="n">Opened</th><th scope="col" class="n">Clicked</th><th scope="col" class="n">Acted</th><th scope="col" class="n">Raised</th><th scope="col" class="n">Left</th><th scope="col" class="n">Bounced</th><th scope="col" class="n">Complained</th></tr></thead>
<tbody>${subjects.map((each) => row(html`<th scope="row">${templated(each.subject)}</th>`, each))}</tbody>
${subjects.length > 1 ? html`<tfoot>${row(html`<th scope="row">All</th>`, totals)}</tfoot>` : ''}</table></div>`;
}
