import type { FastifyInstance } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import { transactionOf } from '../../api/asking.ts';
import type { ApiContext } from '../../api/deps.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { once } from '../../core/once.ts';
import { retryDelivery } from '../../core/webhooks/deliveries.ts';
import {
  COUNTED,
  countWebhooks,
  type ReadDelivery,
  readDeliveries,
  readWebhook,
  readWebhooks,
  type WebhookState,
} from '../../core/webhooks/read-deliveries.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../domain/words.ts';
import type { Sent } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { count, counted, leading, time } from '../numbers.ts';
import { pageOf, readBefore, readLargeId } from '../older.ts';
import { onceField, pressed } from '../pressed-once.ts';
import { numbers, table } from '../table.ts';

const WORDS: Record<DeliveryStatus, string> = { pending: 'Waiting', delivered: 'Delivered', failed: 'Given up' };

/** `/console/webhooks/`: who is told of what happens here; `/console/webhooks/{id}/`: what became of each thing they were told. */
export function registerWebhookPages(app: FastifyInstance, context: ApiContext): void {
  app.get('/console/webhooks/', page('webhook:read'), async (request, reply) => {
    const sql = context.longReads.of(request);
    const which = readBefore(request);
    const [{ all, active }, read] = await Promise.all([countWebhooks(sql), readWebhooks(sql, which)]);
    const { rows, link } = pageOf(read, '/console/webhooks/', ({ id }) => id);
    const content = html`<h1>Webhooks</h1><p class="reading">Addresses that are told what happens here. Of each, the last ${count(COUNTED)} deliveries are counted.</p>
${
  all
    ? html`${leading(active, `of ${counted(all, 'address', 'addresses')} told`)}${rows.length ? overview(rows) : html`<p class="none">There are no older ones.</p>`}${link}`
    : html`<p class="none">There is none yet. <a href="/docs/">Create one over the API</a>: <code>POST /rest/v1/webhook/</code>.</p>`
}`;
    return sendPage(request, reply, context.env, { title: 'Webhooks', content });
  });

  app.get('/console/webhooks/:id/', page('webhook:read'), async (request, reply) => {
    const id = idOf(request);
    const status = statusIn(request.query as Sent);
    const sql = context.longReads.of(request);
    const which = readBefore(request);
    const [webhook, read] = await Promise.all([readWebhook(sql, id), readDeliveries(sql, id, status, which)]);
    if (!webhook) throw new NotFoundError();
    const { rows, link } = pageOf(read, `/console/webhooks/${id}/`, (each) => each.id, status ? { status } : {});
    const mayRetry = can(request, 'webhook:write')
      ? html`${csrfField(formToken(request, reply))}${onceField()}${Object.entries(shownOf(status, which.before)).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`
      : null;
    const content = html`<p><a href="/console/webhooks/">Webhooks</a></p><h1>${webhook.url}</h1>
<p class="reading">${webhook.description || ''} Told of ${webhook.events.join(', ')}. ${webhook.active ? '' : html`<strong>Switched off: nothing is delivered.</strong>`}</p>
${filters(webhook, status)}
${rows.length ? deliveries(webhook.id, rows, mayRetry) : html`<p class="none">No delivery here.</p>`}${link}`;
    return sendPage(request, reply, context.env, { title: `Webhook ${id}`, content });
  });

  app.post('/console/webhooks/:id/retry', page('webhook:write'), async (request, reply) => {
    const id = idOf(request);
    const sent = request.body as Sent;
    const delivery = readLargeId(sent['delivery']);
    if (delivery === null) throw new InputError({ delivery: 'delivery must be the id of a delivery.' });
    const press = pressed(request, `/console/webhooks/${id}/retry ${delivery}`);
    await transactionOf(context)((sql) =>
      once(sql, press, async () => {
        if (!(await retryDelivery(sql, delivery, id))) throw new NotFoundError();
        return id;
      }),
    );
    const shown = String(new URLSearchParams(shownOf(statusIn(sent), readLargeId(sent['before']))));
    return reply.redirect(`/console/webhooks/${id}/${shown && `?${shown}`}`, 303);
  });
}

const statusIn = ({ status }: Sent): DeliveryStatus | null => DELIVERY_STATUSES.find((each) => each === status) ?? null;

/** Which of its deliveries a page shows, as its address says it. */
const shownOf = (status: DeliveryStatus | null, before: number | null): Record<string, string> => ({
  ...(status && { status }),
  ...(before !== null && { before: String(before) }),
});

function overview(webhooks: WebhookState[]): Html {
  const row = (each: WebhookState) =>
    html`<tr><td><a href="/console/webhooks/${each.id}/">${each.url}</a>${each.active ? '' : html` <small>switched off</small>`}</td><td>${each.events.join(', ')}</td>${DELIVERY_STATUSES.map((name) => html`<td class="n">${count(each[name])}</td>`)}</tr>`;
  return table('Webhooks', ['Address', 'Told of', ...DELIVERY_STATUSES.map((each) => numbers(WORDS[each]))], webhooks.map(row));
}

function filters(webhook: WebhookState, chosen: DeliveryStatus | null): Html {
  const link = (status: DeliveryStatus | null, word: string, many: number) =>
    html`<a href="/console/webhooks/${webhook.id}/${status ? `?status=${status}` : ''}"${status === chosen ? html` aria-current="page"` : ''}>${word} <span>${count(many)}</span></a>`;
  const all = DELIVERY_STATUSES.reduce((sum, name) => sum + webhook[name], 0);
  // The lists go on behind what is counted.
  const last = all < COUNTED ? '' : html`<p class="small">The numbers are those of the last ${count(COUNTED)} deliveries.</p>`;
  return html`<div class="filters"><nav aria-label="Deliveries by status">${link(null, 'All', all)}${DELIVERY_STATUSES.map((each) => link(each, WORDS[each], webhook[each]))}</nav></div>${last}`;
}

/** @param token of the form that has one tried again; null where that is not allowed */
function deliveries(webhookId: number, shown: ReadDelivery[], token: Html | null): Html {
  const retry = (id: number) =>
    token
      ? html`<td><form method="post" action="/console/webhooks/${webhookId}/retry">${token}<input type="hidden" name="delivery" value="${id}"><button class="quiet">Try again<span class="unseen"> number ${id}</span></button></form></td>`
      : '';
  const row = (each: ReadDelivery) => {
    const said = each.last_error || (each.last_status === null ? '–' : `answered ${each.last_status}`);
    const next = each.status === 'pending' ? html`<br><small>next ${time(each.next_at)}</small>` : '';
    return html`<tr><td class="n">${each.id}</td><td>${each.event}<br><small>${time(each.created_at)}</small></td><td class="nowrap">${each.resource} ${each.resource_id}</td><td>${WORDS[each.status]}${next}</td><td class="n">${count(each.attempts)}</td><td>${said}<br><small>${time(each.tried_at)}</small></td>${retry(each.id)}</tr>`;
  };
  const heads = [numbers('No.'), 'Event', 'About', 'Status', numbers('Tries'), 'Last try', ...(token ? ['Try again'] : [])];
  return table('Deliveries', heads, shown.map(row));
}
