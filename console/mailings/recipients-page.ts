import type { FastifyInstance, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { mustExist } from '../../core/mailings/existing.ts';
import { emailsOf } from '../../core/people/emails-of.ts';
import { type Recipient, readRecipients } from '../../core/sending/recipients-by-state.ts';
import { UNDER_WAY } from '../../domain/mailing-status.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import { csvLine, csvLink, sendLines } from '../csv.ts';
import { type Html, html } from '../html.ts';
import { sendPage } from '../layout.ts';
import { count, people, time } from '../numbers.ts';
import { mailingHead, readMailing } from './mailing-document.ts';

const PAGE = 50;

const LISTS = {
  uncertain: {
    title: 'Uncertain',
    text: 'The connection or the worker was lost while the mail was on its way: nobody can know whether they got it. The relay’s own log may: search it for the Message-ID, which has the mailing’s and the user’s number.',
  },
  failed: { title: 'Failed', text: 'The relay refused the mail for good; what it said stands beside.' },
  skipped: { title: 'Skipped', text: 'Not sent: they had left, or the mail could not be made for them.' },
} as const;

const CHOICES = {
  uncertain: [
    ['uncertain-resend', 'Mail them again …'],
    ['uncertain-accept', 'Count them as accepted …'],
  ],
  failed: [['failed-resend', 'Try them again …']],
  skipped: [],
} as const;

/** `/console/mailings/{id}/recipients/{uncertain|failed|skipped}/`: who did not simply get their mail, why, and what can be done. */
export function registerRecipientPages(app: FastifyInstance, context: ApiContext): void {
  for (const [name, { title, text }] of Object.entries(LISTS) as [keyof typeof LISTS, (typeof LISTS)[keyof typeof LISTS]][]) {
    app.get(`/console/mailings/:id/recipients/${name}/`, page('mailer:read'), async (request, reply) => {
      const id = idOf(request);
      const { page: given } = request.query as Record<string, unknown>;
      const number = typeof given === 'string' && /^[1-9]\d{0,5}$/.test(given) ? Number(given) : 1;
      const [mailing, { rows, total }] = await Promise.all([
        readMailing(context, id),
        context.longReads.inTurn(request, (pool) =>
          readRecipients(pool, id, LEDGER_STATE[name], { limit: PAGE, offset: (number - 1) * PAGE }),
        ),
      ]);
      const choices = total > 0 && can(request, 'mailer:send') && !UNDER_WAY.includes(mailing.status) ? CHOICES[name] : [];
      const emails = can(request, 'user:read') ? await emailsOf(context.pool, userIds(rows)) : new Map<number, string>();
      const content = html`${mailingHead(mailing, 'recipients/uncertain/')}
<nav class="subtabs" aria-label="Lists of recipients">${Object.entries(LISTS).map(([each, { title: word }]) => html`<a href="/console/mailings/${id}/recipients/${each}/"${each === name ? html` aria-current="page"` : ''}>${word}</a>`)}</nav>
<section aria-labelledby="list-title"><h2 id="list-title">${people(total)} ${title.toLowerCase()}</h2><p class="reading">${text}</p>
${choices.length ? html`<p class="actions row">${choices.map(([path, word]) => html`<a class="button plain" href="/console/mailings/${id}/confirm/${path}">${word}</a>`)}</p>` : ''}
${UNDER_WAY.includes(mailing.status) && total > 0 && CHOICES[name].length ? html`<p class="small">What to make of them can be decided once the mailing has ended or was stopped.</p>` : ''}
${total ? html`${table(rows, emails)}${csvLink(`/console/mailings/${id}/recipients/${name}.csv`, title.toLowerCase())}` : html`<p class="none">Nobody.</p>`}${pager(`/console/mailings/${id}/recipients/${name}/`, number, total)}</section>`;
      return sendPage(request, reply, context.env, { title: `${title} – mailing ${id}`, content });
    });

    app.get(`/console/mailings/:id/recipients/${name}.csv`, page('mailer:read'), async (request, reply) => {
      const id = idOf(request);
      await mustExist(context.pool, id);
      return sendLines(reply, `mailing-${id}-${name}`, linesOf(context, request, id, LEDGER_STATE[name]));
    });
  }
}

/** How many are read at once for a file. */
const BLOCK = 2000;

/** Everybody in one state, a line each; by address only for who may read people. */
async function* linesOf(context: ApiContext, request: FastifyRequest, id: number, state: number): AsyncGenerator<string> {
  const named = can(request, 'user:read');
  yield csvLine(['position', 'user', ...(named ? ['email'] : []), 'reason', 'utc']);
  for (let after: number | null = 0; after !== null; ) {
    const past: number = after;
    const { rows } = await context.longReads.inTurn(request, (pool) =>
      readRecipients(pool, id, state, { limit: BLOCK, offset: 0, after: past }),
    );
    const emails = named ? await emailsOf(context.pool, userIds(rows)) : null;
    for (const each of rows) {
      const user = userId(each);
      yield csvLine([each.position, user, ...(emails ? [(user !== null && emails.get(user)) || ''] : []), each.detail, each.changed_at]);
    }
    after = rows.length === BLOCK ? rows.at(-1)!.position : null;
  }
}

/** Null of one who was deleted or merged. */
const userId = ({ user }: Recipient): number | null => (user === null ? null : Number(user.split('/').at(-2)));
const userIds = (recipients: Recipient[]): number[] => recipients.map(userId).filter((id) => id !== null);

function table(recipients: Recipient[], emails: Map<number, string>): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-labelledby="list-title"><table><thead><tr><th scope="col" class="n">No.</th><th scope="col">Person</th><th scope="col">Reason</th><th scope="col">When</th></tr></thead>
<tbody>${recipients.map((each) => {
    const id = userId(each);
    return html`<tr><td class="n">${count(each.position)}</td><td>${id === null ? html`<small>gone</small>` : html`${emails.get(id) ?? ''} <small>${id}</small>`}</td><td>${each.detail || '–'}</td><td class="nowrap">${time(each.changed_at)}</td></tr>`;
  })}</tbody></table></div>`;
}

function pager(path: string, number: number, total: number): Html | '' {
  const last = Math.max(1, Math.ceil(total / PAGE));
  if (last === 1 && number === 1) return '';
  return html`<nav class="pager" aria-label="Pages">${number > 1 ? html`<a href="${path}?page=${number - 1}" rel="prev">← Before</a>` : ''}<span>Page ${number} of ${last}</span>${
    number < last ? html`<a href="${path}?page=${number + 1}" rel="next">After →</a>` : ''
  }</nav>`;
}
