import type { FastifyInstance } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { clicksByLink } from '../../core/mailings/clicks-by-link.ts';
import { readResultsWithLeavings } from '../../core/mailings/results.ts';
import { MOST_SUBJECTS, readCharts, readSubjectCharts } from '../chart-data.ts';
import { csvLink } from '../csv.ts';
import { type Html, html } from '../html.ts';
import { sendPage } from '../layout.ts';
import { mailingHead, readMailing } from '../mailings/mailing-document.ts';
import { count, counted, grouped, people, share } from '../numbers.ts';
import { linksPart } from './links-part.ts';
import {
  actRate,
  acts,
  actWords,
  type Counting,
  clickRate,
  countingOf,
  mailed,
  ofMailed,
  openRate,
  type Results,
  subjectTable,
} from './subject-table.ts';

/** `/console/mailings/{id}/results/`: what came of a mailing, in all, over time and by subject. */
export function registerResultsPage(app: FastifyInstance, context: ApiContext): void {
  app.get('/console/mailings/:id/results/', page('mailer:read'), async (request, reply) => {
    const id = idOf(request);
    const sql = context.longReads.of(request);
    const [mailing, { totals, subjects }, links] = await Promise.all([
      readMailing(context, id),
      readResultsWithLeavings(context.pool, id, sql),
      clicksByLink(sql, id),
    ]);
    const at = `/console/mailings/${id}/results`;
    const counting = countingOf(mailing, totals, context.env);
    const none = counting.opens || counting.clicks ? 'Nothing was opened or clicked yet.' : 'Opens and clicks of it are not counted.';
    const quiet = totals.opens + totals.clicks ? null : none;
    const few = subjects.length > MOST_SUBJECTS ? ` The first ${MOST_SUBJECTS} of ${count(subjects.length)} subjects.` : '';
    const content = html`${mailingHead(mailing, 'results/')}
<section aria-labelledby="totals-title"><h2 id="totals-title" class="unseen">Totals</h2>${totalsPart(totals, counting, can(request, 'transaction:read'))}</section>
<div class="charts" data-charts="/console/mailings/${id}/charts">
${figure('sends', 'Mails over time', 'How many mails the relay accepted, from beginning to end.', totals.recipients ? null : 'No mail was accepted yet.', `${at}/sends.csv`)}
${figure('opens', 'Opens and clicks over time', 'By people; programs that open mails are left out.', totals.total_opens + totals.total_clicks ? null : none, `${at}/opens.csv`)}
</div>
<section class="card" aria-labelledby="subjects-title"><h2 id="subjects-title">By subject</h2>${subjectTable(subjects, totals, counting)}${csvLink(`${at}/subjects.csv`, 'the results by subject')}</section>
${
  subjects.length > 1
    ? html`<div class="charts" data-charts="/console/mailings/${id}/subject-charts">
${figure('opens', 'Opened, by subject', `How much of each subject’s recipients had opened it by then.${few}`, quiet)}
${figure('clicks', 'Clicked, by subject', `How much of each subject’s recipients had clicked by then.${few}`, quiet)}
</div>`
    : ''
}${linksPart(id, links, { mailed: mailed(totals), totalClicks: totals.total_clicks })}`;
    return sendPage(request, reply, context.env, { title: `Results – mailing ${id}`, content, charts: true });
  });

  app.get('/console/mailings/:id/subject-charts', page('mailer:read'), async (request) => {
    const id = idOf(request);
    const sql = context.longReads.of(request);
    const { subjects } = await readResultsWithLeavings(context.pool, id, sql);
    return readSubjectCharts(sql, id, subjects);
  });

  app.get('/console/mailings/:id/charts', page('mailer:read'), (request) => readCharts(context.longReads.of(request), idOf(request)));
}

/** @param donations whoever looks may see them */
function totalsPart(totals: Results, counting: Counting, donations: boolean): Html {
  const card = (word: string, value: string, more: string) => html`<div><dt>${word}</dt><dd>${value}<small>${more}</small></dd></div>`;
  return html`<dl class="totals">
${card('Accepted', count(totals.recipients), totals.uncertain ? `${count(totals.uncertain)} uncertain` : 'by the relay')}
${counting.opens ? card('Opened', share(openRate(totals)), people(totals.opens)) : card('Opened', '–', 'not counted')}
${counting.clicks ? card('Clicked', share(clickRate(totals)), people(totals.clicks)) : card('Clicked', '–', 'not counted')}
${card('Actions', count(acts(totals)), actWords(actRate(totals)))}
${card('Given', `$${grouped(totals.amount_converted)}`, counted(totals.orders, 'order', 'orders'))}
${card('Unsubscribed', count(totals.unsubscribes), share(ofMailed(totals.unsubscribes, totals)))}
${card('Bounced', count(totals.bounces), share(ofMailed(totals.bounces, totals)))}
${card('Complained', count(totals.complaints), share(ofMailed(totals.complaints, totals)))}
${card('Not accepted', count(totals.failed + totals.skipped), `${count(totals.failed)} failed, ${count(totals.skipped)} skipped`)}
</dl>${mailed(totals) > totals.recipients ? html`<p class="small">Shares are of ${people(mailed(totals))}: those whose mail was accepted, and those who may have it all the same.</p>` : ''}${totals.orders ? html`<p class="small">Given: orders that were not given back, in US dollars; of a recurring gift what was agreed on, once. What was paid of it since is among the ${donations ? html`<a href="/console/donations/">donations</a>` : 'donations'}.</p>` : ''}`;
}

/** @param nothing what stands there as long as there is nothing to draw; null where there is something */
function figure(name: string, title: string, text: string, nothing: string | null, file?: string): Html {
  const head = html`<figcaption><h2>${title}</h2><p class="small">${text}</p></figcaption>`;
  if (nothing !== null) return html`<figure class="card">${head}<p class="nothing">${nothing}</p></figure>`;
  return html`<figure class="card" data-chart="${name}">${head}<noscript><p class="nothing">It takes JavaScript to draw this.</p></noscript>
<div class="plot" role="img" aria-label="${title}: a chart; the same as a table stands below"></div>${file ? csvLink(file, title) : ''}</figure>`;
}
