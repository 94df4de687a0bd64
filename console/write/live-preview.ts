import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import { transactionOf } from '../../api/asking.ts';
import type { ApiContext } from '../../api/deps.ts';
import { inputContext } from '../../api/mailer/input-context.ts';
import { mailPolicy } from '../../api/public/web-view.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { queryable } from '../../core/mailings/check-content.ts';
import { findSample } from '../../core/mailings/preview-sample.ts';
import { type RenderedMail, renderMail } from '../../core/mailings/rendered-mail.ts';
import { createMailing, updateMailing } from '../../core/mailings/write-mailing.ts';
import { anybody } from '../../core/people/anybody.ts';
import { findPerson } from '../../core/people/find-people.ts';
import type { Sql } from '../../db/sql.ts';
import { sqlOn } from '../../db/sql.ts';
import { CredentialsError, InputError } from '../../domain/errors.ts';
import { told } from '../error-page.ts';
import { type Problems, type Sent, textOf } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { counted } from '../numbers.ts';
import { bodyOf, draftOf } from './draft.ts';
import { inboxLine, reportsNote } from './inbox-line.ts';
import { problemsPart } from './problem-place.ts';

/** Ends a transaction that was never to be kept. */
class Undone extends Error {
  readonly mail: RenderedMail | string;
  constructor(mail: RenderedMail | string) {
    super();
    this.mail = mail;
  }
}

const LOGGED_OUT = { status: 401, headers: {}, messages: ['You are logged out: log in in another tab, and go on here.'] };

/**
 * `POST …/edit/preview` and `…/new/preview`: the mail as a person would get it if what is in the form were saved. It is: in a transaction that is taken back, so that nothing can be shown
 * that could not be saved. Answered into a frame that can do nothing. `…/problems` says what would be wrong.
 */
export function registerLivePreview(app: FastifyInstance, context: ApiContext): void {
  const write = page('mailer:write', { reads: true });
  // A page of errors, or the login, may stand in no frame: the browser would say that nobody answers.
  const framed = {
    ...write,
    errorHandler: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const loggedOut = error instanceof CredentialsError;
      const { status, headers, messages } = loggedOut ? LOGGED_OUT : told(app, request, error, context.env);
      return answer(reply.code(status).headers(headers), html`${messages.map(note)}`);
    },
  };
  app.post('/console/mailings/:id/edit/preview', framed, (request, reply) => {
    const id = idOf(request);
    return show(request, reply, id, async (sql, body) => void (await updateMailing(id, body, inputContext(context, sql, request))));
  });
  app.post('/console/mailings/new/preview', framed, (request, reply) =>
    show(request, reply, null, (sql, body) => createMailing(body, inputContext(context, sql, request))),
  );

  app.post('/console/mailings/:id/edit/problems', write, (request) => {
    const id = idOf(request);
    return problemsOf(request, (sql, body) => updateMailing(id, body, inputContext(context, sql, request)));
  });
  app.post('/console/mailings/new/problems', write, (request) =>
    problemsOf(request, (sql, body) => createMailing(body, inputContext(context, sql, request))),
  );

  /** What would be wrong if it were saved, by field, for the script of the page. */
  async function problemsOf(
    request: FastifyRequest,
    save: (sql: Sql, body: Record<string, unknown>) => Promise<unknown>,
  ): Promise<Problems> {
    try {
      return await transactionOf(context)(async (sql) => {
        await save(sql, bodyOf(draftOf(request.body as Sent)));
        throw new Undone('');
      });
    } catch (error) {
      if (error instanceof InputError) return error.fields;
      if (error instanceof Undone) return {};
      throw error;
    }
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    known: number | null,
    save: (sql: Sql, body: Record<string, unknown>) => Promise<number | undefined>,
  ): Promise<FastifyReply> {
    const sent = request.body as Sent;
    if (!can(request, 'user:read'))
      return answer(reply, note('A preview shows what is known of a person: your account needs the grant user:read.'));
    const user = await personOf(known, textOf(sent, 'preview_who').trim());
    if (user === null) return answer(reply, note('There is no such person.'));
    // The subject goes by the place in the audience.
    const subject = /^\d{1,2}$/.test(textOf(sent, 'preview_subject')) ? Number(textOf(sent, 'preview_subject')) : 0;
    const draft = draftOf(sent);
    const many = draft.subjects.length;
    if (many && subject >= many)
      return answer(reply, note(`${counted(many, 'subject is', 'subjects are')} written: there is no ${subject + 1}.`));
    try {
      await transactionOf(context)(async (sql) => {
        const id = (await save(sql, bodyOf(draft))) ?? known!;
        throw new Undone(await renderMail({ pool: queryable(sql), env: context.env }, id, user, subject));
      });
    } catch (error) {
      if (error instanceof InputError) return answer(reply, problemsPart(error.fields, { html: draft.html, text: draft.text }));
      if (!(error instanceof Undone)) throw error;
      return answer(reply, typeof error.mail === 'string' ? note(error.mail) : shown(error.mail, sent['preview_part'] === 'text'));
    }
    throw new Error('a preview was kept');
  }

  /** Whom the form names, else the first of the audience, else anybody. */
  async function personOf(mailingId: number | null, who: string): Promise<number | null> {
    const sql = sqlOn(context.pool);
    if (who) return findPerson(sql, who);
    const first = mailingId === null ? null : await findSample(context.pool, mailingId, { userId: null, n: 1 });
    return first?.user_id ?? anybody(sql);
  }
}

const note = (words: string): Html => html`<p>${words}</p>`;

const shown = (
  mail: RenderedMail,
  text: boolean,
): Html => html`<dl><dt>From</dt><dd>${mail.from}</dd><dt>Subject</dt><dd>${inboxLine(mail)}</dd></dl>${reportsNote(mail)}
${text ? html`<pre>${mail.text}</pre>` : html`<iframe sandbox srcdoc="${mail.html}" title="The mail"></iframe>`}`;

const answer = (reply: FastifyReply, content: Html): FastifyReply =>
  reply
    .header('content-security-policy', `${mailPolicy("'self'")}; sandbox`)
    .header('x-frame-options', 'SAMEORIGIN')
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(
      String(html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Preview</title><style>
body { margin: 0; font: 0.9rem/1.5 system-ui, sans-serif; color: #1b2430; background: #fff; display: flex; flex-direction: column; height: 100vh }
dl { margin: 0; padding: 0.5rem 0.8rem; border-bottom: 1px solid #dfe3e9; display: grid; grid-template-columns: auto 1fr; gap: 0 0.8rem } dt, small, .after-subject { color: #586474 } dd { margin: 0; overflow-wrap: anywhere }
dd, pre { unicode-bidi: plaintext } dd { text-align: left } dd small { unicode-bidi: isolate }
iframe { flex: 1; width: 100%; border: 0 } pre { white-space: pre-wrap; padding: 0 0.8rem } p { padding: 0 0.8rem } mark { background: #ffe2a8 }
</style></head><body>${content}</body></html>`),
    );
