import type { FastifyInstance } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { explainInTurn } from '../../api/mailer/audience.ts';
import { idOf } from '../../api/resource/routes.ts';
import { csvLink } from '../csv.ts';
import { html } from '../html.ts';
import { sendPage } from '../layout.ts';
import { mailingHead, readMailing } from '../mailings/mailing-document.ts';
import { audienceTable } from './audience.ts';

/**
 * `/console/mailings/{id}/audience/`: how many each clause of the targeting means. Counting among very many takes a second: the page is there before it, and its script puts
 * the counts in; with `?counted=1` the page waits for them, for whoever has no script.
 */
export function registerAudiencePage(app: FastifyInstance, context: ApiContext): void {
  app.get('/console/mailings/:id/audience/', page('mailer:read'), async (request, reply) => {
    const id = idOf(request);
    const counted = '?counted=1';
    const waits = (request.query as Record<string, unknown>)['counted'] === '1';
    const [mailing, audience] = await Promise.all([readMailing(context, id), waits ? explainInTurn(context, id, request) : null]);
    const counts = audience
      ? audienceTable(audience)
      : html`<div data-part="/console/mailings/${id}/audience/counts" data-whole="${counted}" role="status" aria-busy="true"><p class="nothing">Counting …</p></div>
<noscript><p><a class="button" href="${counted}">Count</a></p></noscript>`;
    const content = html`${mailingHead(mailing, null)}<section class="card narrow" aria-labelledby="audience-title"><h2 id="audience-title">Audience, counted now</h2>${counts}
<p class="small">Each line alone, among everybody who can be mailed. Nothing is saved by this: the mailing goes to the audience that was built.</p>${csvLink(`/console/mailings/${id}/audience/counts.csv`, 'these counts')}</section>`;
    return sendPage(request, reply, context.env, { title: `Audience, counted now – mailing ${id}`, content });
  });

  app.get('/console/mailings/:id/audience/counts', page('mailer:read'), async (request, reply) => {
    const table = audienceTable(await explainInTurn(context, idOf(request), request));
    return reply.type('text/html; charset=utf-8').send(String(table));
  });
}
