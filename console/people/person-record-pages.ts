import type { FastifyInstance, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { confirmationsOf, mailsOf, type PersonMail } from '../../core/people/mails-of-person.ts';
import { changesOfPerson } from '../../core/people/person-changes.ts';
import { actionsOf, donationsOf } from '../../core/people/person-record.ts';
import { sqlOn } from '../../db/sql.ts';
import { LEDGER_STATE, type MailingStatus } from '../../domain/words.ts';
import { type Html, html } from '../html.ts';
import { sendPage } from '../layout.ts';
import { counted, time } from '../numbers.ts';
import { pageOf, readBefore } from '../older.ts';
import { numbers, table } from '../table.ts';
import { templated } from '../templated.ts';
import { type PersonTab, personHead, personShown } from './person-document.ts';

interface RecordPage {
  tab: PersonTab & string;
  grant: string;
  title: string;
  /** @param path of this page */
  show(request: FastifyRequest, id: number, path: string): Promise<Html>;
}

/** Confirmations that are shown. */
const LATEST = 20;

/** What somebody did, got, gave, and what accounts wrote about them: a tab each, the newest first. */
export function registerPersonRecord(app: FastifyInstance, context: ApiContext): void {
  const sql = sqlOn(context.pool);
  const pages: RecordPage[] = [
    {
      tab: 'actions/',
      grant: 'action:read',
      title: 'Actions',
      async show(request, id, path) {
        const { rows, link } = pageOf(await actionsOf(sql, id, readBefore(request)), path, (each) => each.id);
        if (rows.length === 0) return none('has done nothing yet: actions come from pages and from imports');
        const lines = rows.map(
          ({ page: title, type, status, source, mailing_id, created_at }) =>
            html`<tr><td>${title}</td><td>${type}${status === 'complete' ? '' : html` <small>${status}</small>`}</td><td>${source}</td><td>${mailing_id ? mailingLink(request, mailing_id) : '–'}</td><td>${time(created_at)}</td></tr>`,
        );
        return html`${table('Actions', ['Page', 'Kind', 'Came by', 'Mailing', 'When'], lines)}${link}`;
      },
    },
    {
      tab: 'mails/',
      grant: 'user:read',
      title: 'Mails',
      async show(request, id, path) {
        const before = readBefore(request);
        // A person's mails stand in many sets: whoever is in few is read at once, and the others in their turn.
        const mails = await context.longReads.inTurn(request, (client) => mailsOf(sqlOn(client), id, before));
        const { rows, link } = pageOf(mails, path, (each) => each.mailing_id);
        const lines = rows.map(
          (mail) =>
            html`<tr><td>${mailingLink(request, mail.mailing_id)}</td><td>${mail.subject ? templated(mail.subject) : 'Without a subject'}</td><td>${fateOf(mail)}</td><td>${time(mail.changed_at)}</td></tr>`,
        );
        const confirmations = before.before === null ? await confirmationsOf(sql, id, LATEST + 1) : [];
        const others = confirmations
          .slice(0, LATEST)
          .map(
            ({ subject, status, detail, created_at }) =>
              html`<tr><td>${subject || '–'}</td><td>${status}${detail ? html` <small>${detail}</small>` : ''}</td><td>${time(created_at)}</td></tr>`,
          );
        return html`${rows.length ? table('Mails', ['Mailing', 'Subject', 'What became of it', 'When'], lines) : none('was in no mailing yet')}${link}
${others.length ? html`<h3>Confirmations</h3>${table('Confirmations', ['Subject', 'What became of it', 'When'], others)}${confirmations.length > LATEST ? html`<p class="small">The last ${LATEST}.</p>` : ''}` : ''}`;
      },
    },
    {
      tab: 'donations/',
      grant: 'order:read',
      title: 'Donations',
      async show(request, id, path) {
        const { rows, link } = pageOf(await donationsOf(sql, id, readBefore(request)), path, (each) => each.id);
        if (rows.length === 0) return none('has given nothing yet');
        // An order says that there is a profile, and no more of it.
        const howOften = (profile: string | null) =>
          profile === null ? 'once' : can(request, 'orderrecurring:read') ? profile : 'again and again';
        const lines = rows.map(
          ({ page: title, total, currency, status, recurring, created_at }) =>
            html`<tr><td class="n">${total} ${currency}</td><td>${title}</td><td>${status}</td><td>${howOften(recurring)}</td><td>${time(created_at)}</td></tr>`,
        );
        return html`${table('Donations', [numbers('Amount'), 'Page', 'Status', 'How often', 'When'], lines)}${link}`;
      },
    },
    {
      tab: 'changes/',
      grant: 'auditlog:read',
      title: 'Changes',
      async show(request, id, path) {
        const changes = await changesOfPerson(sql, id, [`/console/people/${id}/`, `/rest/v1/user/${id}/`], readBefore(request));
        const { rows, link } = pageOf(changes, path, (each) => each.id);
        if (rows.length === 0) return none('has been changed by no account, as far as the audit log goes back');
        const lines = rows.map(
          ({ username, method, path: where, fields, status, created_at }) =>
            html`<tr><td>${username}</td><td><code>${method} ${where}</code></td><td>${fields.filter((field) => field !== '_csrf').join(', ')}</td><td>${status < 400 ? 'done' : 'refused'} <small>${status}</small></td><td>${time(created_at)}</td></tr>`,
        );
        return html`${table('Changes', ['Account', 'What', 'Fields', 'Outcome', 'When'], lines)}${link}`;
      },
    },
  ];
  for (const { tab, grant, title, show } of pages) {
    app.get(`/console/people/:id/${tab}`, page(grant), async (request, reply) => {
      const id = idOf(request);
      const person = await personShown(context, request);
      const shown = await show(request, id, `/console/people/${id}/${tab}`);
      const content = html`${personHead(request, person, tab)}<div class="card"><h2>${title}</h2>${shown}</div>`;
      return sendPage(request, reply, context.env, { title: `${title} – person ${id}`, content });
    });
  }
}

const none = (what: string): Html => html`<p class="none">This person ${what}.</p>`;

const mailingLink = (request: FastifyRequest, id: number): Html =>
  can(request, 'mailer:read') ? html`<a href="/console/mailings/${id}/">${id}</a>` : html`${id}`;

const FATES: Record<number, string> = {
  [LEDGER_STATE.pending]: 'waits',
  [LEDGER_STATE.sending]: 'on its way',
  [LEDGER_STATE.accepted]: 'accepted by the relay',
  [LEDGER_STATE.failed]: 'failed',
  [LEDGER_STATE.skipped]: 'skipped',
  [LEDGER_STATE.uncertain]: 'uncertain',
};

/** Of whoever stands in an audience: nothing is on its way to them while nobody sends it. */
const WAITING: Partial<Record<MailingStatus, string>> = {
  draft: 'in the audience of a draft',
  model: 'in the audience of a model',
  stopped: 'not reached: the mailing was stopped',
  died: 'not reached: the mailing died',
};

/** What became of a mail, in a few words. */
function fateOf({ status, state, detail, opens, clicks, bounce }: PersonMail): Html {
  const more = [
    bounce === 'complaint' ? 'complained' : bounce ? `came back (${bounce})` : '',
    opens ? `opened ${counted(opens, 'time', 'times')}` : '',
    clicks ? `clicked ${counted(clicks, 'time', 'times')}` : '',
  ].filter(Boolean);
  const fate = (state === LEDGER_STATE.pending && WAITING[status]) || FATES[state];
  return html`${[fate, ...more].join(', ')}${detail && state !== LEDGER_STATE.accepted ? html` <small>${detail}</small>` : ''}`;
}
