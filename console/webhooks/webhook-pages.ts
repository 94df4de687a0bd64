import type { FastifyInstance } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { retryDelivery } from '../../core/webhooks/deliveries.ts';
import { COUNTED, type ReadDelivery, readDeliveries, readWebhooks, type WebhookState } from '../../core/webhooks/read-deliveries.ts';
import { sqlOn } from '../../db/sql.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../domain/words.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { count, time } from '../numbers.ts';

const PAGE = 50;
const WORDS: Record<DeliveryStatus, string> = { pending: 'Waiting', delivered: 'Delivered', failed: 'Given up' };

/** `/console/webhooks/`: who is told of what happens here; `/console/webhooks/{id}/`: what became of each thing they were told. */
export function registerWebhookPages(app: FastifyInstance, context: ApiContext): void {
  app.get('/console/webhooks/', page('webhook:read'), async (request, reply) => {
    const webhooks = await readWebhooks(context.longReads.of(request));
    const content = html`<h1>Webhooks</h1><p class="reading">Addresses that are told what happens here. Of each, the last ${count(COUNTED)} deliveries are counted.</p>
${webhooks.length ? table(webhooks) : html`<p class="none">There is none yet. <a href="/docs/">Create one over the API</a>: <code>POST /rest/v1/webhook/</code>.</p>`}`;
    return sendPage(request, reply, context.env, { title: 'Webhooks', content });
  });

  app.get('/console/webhooks/:id/', page('webhook:read'), async (request, reply) => {
    const id = idOf(request);
    const { before, status } = wanted(request.query as Record<string, unknown>);
    const sql = context.longReads.of(request);
    const [[webhook], read] = await Promise.all([readWebhooks(sql, id), readDeliveries(sql, id, { before, status, limit: PAGE + 1 })]);
    if (!webhook) throw new NotFoundError();
    const deliveries = read.slice(0, PAGE);
    const mayRetry = can(request, 'webhook:write') ? csrfField(formToken(request, reply)) : null;
    const older = read.length > PAGE ? deliveries.at(-1)!.id : null;
    const content = html`<p class="back"><a href="/console/webhooks/">Webhooks</a></p><h1>${webhook.url}</h1>
<p class="reading">${webhook.description || ''} Told of ${webhook.events.join(', ')}. ${webhook.active ? '' : html`<strong>Switched off: nothing is delivered.</strong>`}</p>
${filters(webhook, status)}
${deliveries.length ? list(webhook.id, deliveries, mayRetry) : html`<p class="none">No delivery here.</p>`}
${older === null ? '' : html`<nav class="pager" aria-label="Pages"><a href="/console/webhooks/${id}/?${String(new URLSearchParams({ ...(status && { status }), before: String(older) }))}" rel="next">Older →</a></nav>`}`;
    return sendPage(request, reply, context.env, { title: `Webhook ${id}`, content });
  });

  app.post('/console/webhooks/:id/retry', page('webhook:write'), async (request, reply) => {
    const id = idOf(request);
    const { delivery } = request.body as Record<string, unknown>;
    if (typeof delivery !== 'string' || !/^[1-9]\d{0,14}$/.test(delivery))
      throw new InputError({ delivery: 'delivery must be the id of a delivery.' });
    if (!(await retryDelivery(sqlOn(context.pool), Number(delivery), id))) throw new NotFoundError();
    return reply.redirect(`/console/webhooks/${id}/`, 303);
  });
}

function wanted({ before, status }: Record<string, unknown>): { before: number | null; status: DeliveryStatus | null } {
  return {
    before: typeof before === 'string' && /^[1-9]\d{0,14}$/.test(before) ? Number(before) : null,
    status: DELIVERY_STATUSES.find((each) => each === status) ?? null,
  };
}

function table(webhooks: WebhookState[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Webhooks"><table><thead><tr><th scope="col">Address</th><th scope="col">Told of</th>${DELIVERY_STATUSES.map((each) => html`<th scope="col" class="n">${WORDS[each]}</th>`)}</tr></thead>
<tbody>${webhooks.map(
    (each) =>
      html`<tr><td><a href="/console/webhooks/${each.id}/">${each.url}</a>${each.active ? '' : html` <small>switched off</small>`}</td><td>${each.events.join(', ')}</td>${DELIVERY_STATUSES.map((name) => html`<td class="n">${count(each[name])}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

function filters(webhook: WebhookState, chosen: DeliveryStatus | null): Html {
  const link = (status: DeliveryStatus | null, word: string, many: number) =>
    html`<a href="/console/webhooks/${webhook.id}/${status ? `?status=${status}` : ''}"${status === chosen ? html` aria-current="page"` : ''}>${word} <span>${count(many)}</span></a>`;
  const all = DELIVERY_STATUSES.reduce((sum, name) => sum + webhook[name], 0);
  return html`<div class="filters"><nav aria-label="Deliveries by status">${link(null, 'All', all)}${DELIVERY_STATUSES.map((each) => link(each, WORDS[each], webhook[each]))}</nav></div>`;
}

function list(webhookId: number, deliveries: ReadDelivery[], token: Html | null): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Deliveries"><table><thead><tr><th scope="col" class="n">No.</th><th scope="col">Event</th><th scope="col">About</th><th scope="col">Status</th><th scope="col" class="n">Tries</th><th scope="col">Last try</th>${token ? html`<th scope="col"><span class="unseen">Try again</span></th>` : ''}</tr></thead>
<tbody>${deliveries.map((each) => {
    const said = each.last_error || (each.last_status === null ? '' : `answered ${each.last_status}`);
    const next = each.status === 'pending' ? html`<br><small>next ${time(each.next_at)}</small>` : '';
    return html`<tr><td class="n">${each.id}</td><td>${each.event}<br><small>${time(each.created_at)}</small></td><td class="nowrap">${each.resource} ${each.resource_id}</td><td>${WORDS[each.status]}${next}</td><td class="n">${count(each.attempts)}</td><td>${said || '–'}<br><small>${time(each.tried_at)}</small></td>${token ? html`<td><form method="post" action="/console/webhooks/${webhookId}/retry">${token}<input type="hidden" name="delivery" value="${each.id}"><button class="quiet">Try again<span class="unseen"> number ${each.id}</span></button></form></td>` : ''}</tr>`;
  })}</tbody></table></div>`;
}
