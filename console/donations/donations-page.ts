import { Big } from 'big.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { donationsByMonth, type MonthOfPage } from '../../core/donations/by-month.ts';
import { asCents, sum } from '../../domain/money.ts';
import { csvLink, sendCsv } from '../csv.ts';
import { type Html, html } from '../html.ts';
import { sendPage } from '../layout.ts';
import { count, counted, grouped } from '../numbers.ts';
import { toldApart } from '../told-apart.ts';

const SPANS = [3, 12, 24];
/** Pages of one month that are named, those with most first; all of them are in the file. */
const NAMED = 10;

/** `/console/donations/`: what came in, by page and month. */
export function registerDonationsPage(app: FastifyInstance, context: ApiContext): void {
  app.get('/console/donations/', page('transaction:read'), async (request, reply) => {
    const months = monthsOf(request);
    const rows = await donationsByMonth(context.longReads.of(request), months);
    const content = html`<h1>Donations</h1><nav class="subtabs" aria-label="How far back">${SPANS.map((each) => html`<a href="?months=${each}"${each === months ? html` aria-current="page"` : ''}>${each} months</a>`)}</nav>
${rows.length ? tables(rows, months) : html`<p class="none">${noneWithin(months)} Donations are pushed over the <a href="/docs/">API</a>: <code>POST /rest/v1/donationpush/</code>.</p>`}
${csvLink(`/console/donations.csv?months=${months}`, 'donations by page and month')}`;
    return sendPage(request, reply, context.env, { title: 'Donations', content });
  });

  app.get('/console/donations.csv', page('transaction:read'), async (request, reply) => {
    const rows = await donationsByMonth(context.longReads.of(request), monthsOf(request));
    const lines = rows.map(({ month, page_id, title, name, payments, recurring, amount }) => [
      month,
      page_id,
      title || name,
      payments,
      recurring,
      asCents(new Big(amount)),
    ]);
    return sendCsv(reply, 'donations', ['month', 'page_id', 'page', 'payments', 'recurring', 'amount_usd'], lines);
  });
}

function monthsOf({ query }: FastifyRequest): number {
  const wanted = Number((query as Record<string, unknown>)['months']);
  return SPANS.includes(wanted) ? wanted : SPANS[0]!;
}

const recurringIn = (rows: MonthOfPage[]): number => rows.reduce((all, { recurring }) => all + recurring, 0);
const inAll = (rows: MonthOfPage[]): string => asCents(sum(rows.map(({ amount }) => new Big(amount))));
const paymentsIn = (rows: MonthOfPage[]): number => rows.reduce((all, { payments }) => all + payments, 0);

const noneWithin = (months: number): string => `No payment came in within these ${months} months.`;

/** A number that leads, and a table of each month. What is dated ahead has not come in: it is no part of the number, and stands last. */
function tables(rows: MonthOfPage[], months: number): Html {
  const [come, ahead] = [rows.filter((row) => !row.ahead), rows.filter((row) => row.ahead)];
  const called = toldApart(rows);
  const beside = ahead.length
    ? html`<p class="small">Dated ahead: $${grouped(inAll(ahead))} in ${counted(paymentsIn(ahead), 'payment', 'payments')}, counted once the month has begun.</p>`
    : '';
  return html`${come.length ? html`<p class="big">$${grouped(inAll(come))} <span>in ${counted(paymentsIn(come), 'payment', 'payments')}</span></p>` : html`<p class="none">${noneWithin(months)}</p>`}
<p class="small">Payments that were made and not given back, converted to US dollars; months are by UTC.</p>${beside}
${[...Map.groupBy([...come, ...ahead], ({ month }) => month)].map(([month, of]) => monthPart(month, of, called))}`;
}

function monthPart(month: string, rows: MonthOfPage[], called: (page: MonthOfPage) => Html): Html {
  const id = `month-${month}`;
  const line = (title: Html | string, of: MonthOfPage[]) =>
    html`<tr><th scope="row">${title}</th><td class="n">${count(paymentsIn(of))}</td><td class="n">${count(recurringIn(of))}</td><td class="n">$${grouped(inAll(of))}</td></tr>`;
  const others = rows.slice(NAMED);
  return html`<section class="card below" aria-labelledby="${id}"><h2 id="${id}">${month}${rows[0]?.ahead ? ', dated ahead' : ''}</h2><div class="scroll" tabindex="0" role="group" aria-labelledby="${id}"><table><thead><tr><th scope="col">Page</th><th scope="col" class="n">Payments</th><th scope="col" class="n">Of them recurring</th><th scope="col" class="n">Amount</th></tr></thead>
<tbody>${rows.slice(0, NAMED).map((row) => line(called(row), [row]))}${others.length ? line(html`<small>${counted(others.length, 'other page', 'other pages')}</small>`, others) : ''}</tbody>
${rows.length > 1 ? html`<tfoot>${line('All', rows)}</tfoot>` : ''}</table></div></section>`;
}
