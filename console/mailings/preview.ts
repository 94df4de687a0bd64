import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import { asking } from '../../api/asking.ts';
import type { ApiContext } from '../../api/deps.ts';
import { proofsWish } from '../../api/mailer/proofs.ts';
import { mailPolicy } from '../../api/public/web-view.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { addressOf } from '../../core/accounts/account.ts';
import { findSample, type Sample } from '../../core/mailings/preview-sample.ts';
import { latestProofs } from '../../core/mailings/proof-job.ts';
import { renderMail } from '../../core/mailings/rendered-mail.ts';
import { type ProofsBody, requestProofs } from '../../core/mailings/request-proofs.ts';
import { findPerson } from '../../core/people/find-people.ts';
import { sqlOn } from '../../db/sql.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { MAX_INT } from '../../domain/values.ts';
import { invalid, type Sent, textOf } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { count } from '../numbers.ts';
import { messagesIn } from '../plain-words.ts';
import { pressed } from '../pressed-once.ts';
import { inboxLine, reportsNote } from '../write/inbox-line.ts';
import { mailingHead, readMailing } from './mailing-document.ts';
import { proofsPart, proofsTable, type WishedProofs } from './proofs-part.ts';

/** `/console/mailings/{id}/preview/`: the mail as one person gets it, and proofs. */
export function registerPreview(app: FastifyInstance, context: ApiContext): void {
  const { pool, env } = context;

  app.get('/console/mailings/:id/preview/', page('mailer:read'), async (request, reply) => {
    const own = can(request, 'mailer:send') ? await addressOf(sqlOn(pool), request.account!.id) : '';
    return show(request, reply, { reviewers: own, proofs: '1', date: '', problems: [] });
  });

  app.post('/console/mailings/:id/proofs', page('mailer:send'), async (request, reply) => {
    const sent = request.body as Sent;
    const body = proofsOf(sent);
    // For others, or another day, they are asked for anew.
    const press = pressed(request, `/console/mailings/${idOf(request)}/proofs ${JSON.stringify(body)}`);
    try {
      await requestProofs(asking(context, 'sendProofs'), { ...proofsWish(context, request, body), press });
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const [reviewers, proofs, date] = ['reviewers', 'proofs', 'date'].map((name) => textOf(sent, name)) as [string, string, string];
      return show(request, reply.code(400), { reviewers, proofs, date, problems: messagesIn(error) });
    }
    return reply.redirect(`/console/mailings/${idOf(request)}/preview/#proofs`, 303);
  });

  async function show(request: FastifyRequest, reply: FastifyReply, wished: WishedProofs): Promise<FastifyReply> {
    const id = idOf(request);
    const [mailing, proofs] = await Promise.all([readMailing(context, id), latestProofs(context.pool, id)]);
    const shown = can(request, 'user:read')
      ? await previewPart(request, reply, id)
      : html`<p class="note warn">A preview shows what is known of a person: your account needs the grant user:read.</p>`;
    const content = html`${mailingHead(mailing, 'preview/')}
<section class="card" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2>${shown}</section>
${proofsPart(request, reply, mailing, proofs, wished)}`;
    // What answers a form is not asked for anew by itself: the form would be sent again.
    const live = wished.problems.length ? {} : { live: `/console/mailings/${id}/preview/live` };
    return sendPage(request, reply, env, { title: `Preview – mailing ${id}`, content, ...live });
  }

  app.get('/console/mailings/:id/preview/live', page('mailer:read'), async (request) => {
    const proofs = await latestProofs(context.pool, idOf(request));
    const open = proofs.filter(({ finished }) => !finished).length;
    return { busy: open > 0, regions: { proofs: String(proofsTable(proofs)) }, said: open ? 'Proofs are being sent' : 'Proofs are sent' };
  });

  // By POST, so that nobody's address stands in an address.
  app.post('/console/mailings/:id/preview/find', page('user:read'), async (request, reply) => {
    const id = idOf(request);
    const found = await findPerson(sqlOn(pool), textOf(request.body as Sent, 'who'));
    return reply.redirect(`/console/mailings/${id}/preview/?${found ? `user=${found}` : 'unknown=1'}`, 303);
  });

  app.get('/console/mailings/:id/mail', page('user:read'), async (request, reply) => {
    const id = idOf(request);
    const sample = await sampleOf(context, id, request.query as Record<string, unknown>);
    if (!sample || !can(request, 'mailer:read')) throw new NotFoundError();
    const mail = await renderMail(context, id, sample.user_id, sample.position ?? 0);
    if (typeof mail === 'string') throw new NotFoundError();
    return reply
      .header('content-security-policy', `${mailPolicy("'self'")}; sandbox`)
      .header('x-frame-options', 'SAMEORIGIN')
      .header('referrer-policy', 'no-referrer')
      .type('text/html; charset=utf-8')
      .send(mail.html);
  });

  async function previewPart(request: FastifyRequest, reply: FastifyReply, id: number): Promise<Html> {
    const query = request.query as Record<string, unknown>;
    const sample = await sampleOf(context, id, query);
    // Whom a link names may be gone.
    const unknown = query['unknown'] || (!sample && query['user']);
    const find = html`<form method="post" action="/console/mailings/${id}/preview/find" class="find">${csrfField(formToken(request, reply))}<label for="who">Email or id of a person</label><div><input id="who" name="who" required spellcheck="false" autocapitalize="none"${unknown ? invalid('who-wrong') : ''}><button class="plain">Show</button></div></form>`;
    if (unknown) return html`${find}<p class="note warn" role="alert" id="who-wrong">There is no such person.</p>`;
    if (!sample) {
      return (await findSample(pool, id, { userId: null, n: 1 }))
        ? html`${find}<p class="none">So many are not in the audience. <a href="?n=1">Show the first</a>.</p>`
        : html`${find}<p class="none">The audience is empty or not built yet. Choose somebody to see their mail.</p>`;
    }
    const [mail, next] = await Promise.all([
      renderMail(context, id, sample.user_id, sample.position ?? 0),
      sample.position === null ? null : findSample(pool, id, { userId: null, n: sample.position + 1 }),
    ]);
    const at = sample.position;
    const step = (to: number, word: string) => html`<a class="button plain" href="?n=${to}">${word}</a>`;
    const place =
      at === null
        ? html`<span>not in the audience</span>`
        : html`${at > 1 ? step(at - 1, '← Before') : ''}<span>No. ${count(at)} in the audience</span>${next ? step(at + 1, 'Next →') : ''}`;
    const who = html`<div class="picker">${find}<div class="place">${place}</div></div>`;
    if (typeof mail === 'string') return html`${who}<p class="note warn"><strong>${sample.email}</strong>: ${mail}</p>`;
    const address = `/console/mailings/${id}/mail?${at === null ? `user=${sample.user_id}` : `n=${at}`}`;
    return html`${who}
<div class="mail"><dl class="facts wide"><div><dt>To</dt><dd>${sample.email}</dd></div><div><dt>From</dt><dd>${mail.from}</dd></div><div><dt>Subject</dt><dd>${inboxLine(mail)}</dd></div></dl>${reportsNote(mail)}
<div class="widths" role="group" aria-label="Width of the preview"><button class="quiet" data-width="wide" aria-pressed="true">Wide</button><button class="quiet" data-width="phone" aria-pressed="false">Phone</button></div>
<div class="stage"><iframe sandbox src="${address}" title="HTML version of the mail" referrerpolicy="no-referrer"></iframe></div>
<details><summary>Text version</summary><pre tabindex="0">${mail.text}</pre></details></div>`;
  }
}

/** The form's fields as the body of a request for proofs; what it leaves empty is not asked for. */
function proofsOf({ proofs, reviewers, date }: Sent): ProofsBody {
  const addresses = typeof reviewers === 'string' ? reviewers.split(/[\s,;]+/).filter(Boolean) : reviewers;
  const many = typeof proofs === 'string' && /^\d{1,3}$/.test(proofs) ? Number(proofs) : proofs;
  return {
    proofs: many,
    ...(Array.isArray(addresses) && addresses.length === 0 ? {} : { reviewers: addresses }),
    ...(date ? { date } : {}),
  };
}

/** The user `user` names, or the `n`th of the set, or its first. */
function sampleOf({ pool }: ApiContext, mailingId: number, { user, n }: Record<string, unknown>): Promise<Sample | null> {
  const number = (value: unknown) =>
    typeof value === 'string' && /^[1-9]\d{0,9}$/.test(value) && Number(value) <= MAX_INT ? Number(value) : null;
  return findSample(pool, mailingId, { userId: number(user), n: number(n) ?? 1 });
}
