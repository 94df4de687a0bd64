import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { page } from '../api/accounts/session.ts';
import { transactionOf } from '../api/asking.ts';
import type { ApiContext } from '../api/deps.ts';
import { inputContext } from '../api/mailer/input-context.ts';
import { changeMailing } from '../api/mailer/write-routes.ts';
import { idOf } from '../api/resource/routes.ts';
import { copyMailing } from '../core/mailings/copy-mailing.ts';
import { createMailing } from '../core/mailings/write-mailing.ts';
import { InputError } from '../domain/errors.ts';
import { type Content, type Draft, type Shown, showForm } from './edit-form.ts';
import { idsOf, type Sent, textOf, textsOf } from './fields.ts';
import { readMailing } from './mailing-document.ts';

const EMPTY: Draft = {
  subjects: [],
  from: '',
  replyTo: '',
  wrapper: '',
  language: '',
  landingPage: '',
  html: '',
  text: '',
  tags: '',
  notes: '',
  webViewable: true,
};

/** `/console/mailings/new` and `…/{id}/edit/`: what a mailing says, written and changed; copies. */
export function registerEditPages(app: FastifyInstance, context: ApiContext): void {
  const write = page('mailer:write');

  app.get('/console/mailings/new', write, (request, reply) => showForm(context, request, reply, { draft: EMPTY }));

  app.post('/console/mailings/new', write, async (request, reply) => {
    const draft = draftOf(request.body as Sent);
    try {
      const { id } = await transactionOf(context)((sql) => createMailing(bodyOf(draft), inputContext(context, sql, request)));
      return reply.redirect(`/console/mailings/${id}/choose/`, 303);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return showForm(context, request, reply.code(400), { draft, problems: error.fields });
    }
  });

  app.get('/console/mailings/:id/edit/', page('mailer:read'), async (request, reply) => {
    const mailing = await readContent(context, idOf(request));
    const { saved } = request.query as Record<string, unknown>;
    return showForm(context, request, reply, { mailing, draft: draftFrom(mailing), version: versionOf(mailing), saved: saved === '1' });
  });

  app.post('/console/mailings/:id/edit/', write, async (request, reply) => {
    const id = idOf(request);
    const sent = request.body as Sent;
    const draft = draftOf(sent);
    const again = async (status: number, more: Partial<Shown>) => {
      const mailing = await readContent(context, id);
      return showForm(context, request, reply.code(status), { mailing, draft, version: versionOf(mailing), ...more });
    };
    try {
      await changeMailing(context, request, id, bodyOf(draft), async () => {
        if (textOf(sent, 'version') !== versionOf(await readContent(context, id))) throw new OvertakenError();
      });
    } catch (error) {
      // Two people at it: nothing of either is lost, and whoever saves second is told.
      if (error instanceof OvertakenError) return again(409, { overtaken: true });
      if (error instanceof InputError) return again(400, { problems: error.fields });
      throw error;
    }
    const to = { preview: 'preview/', audience: 'choose/' }[textOf(sent, 'go')] ?? 'edit/?saved=1';
    return reply.redirect(`/console/mailings/${id}/${to}`, 303);
  });

  app.post('/console/mailings/:id/copy', write, async (request, reply) => {
    const copy = await transactionOf(context)((sql) => copyMailing(sql, idOf(request), { targeting: true, testGroup: false }));
    return reply.redirect(`/console/mailings/${copy}/edit/`, 303);
  });
}

/** Somebody else has changed the mailing since the form was made. */
class OvertakenError extends Error {}

const readContent = async (context: ApiContext, id: number) => (await readMailing(context, id)) as Content;

const idIn = (uri: string | null): string => /\/(\d+)\/$/.exec(uri ?? '')?.[1] ?? '';

function draftFrom(mailing: Content): Draft {
  return {
    subjects: mailing.subjects.map((text, n) => ({ text, preview: mailing.preview_text[n] ?? '' })),
    from: mailing.custom_fromline || mailing.fromline || '',
    replyTo: mailing.reply_to,
    wrapper: idIn(mailing.emailwrapper),
    language: idIn(mailing.lang),
    landingPage: idIn(mailing.landing_page),
    html: mailing.html,
    text: mailing.text,
    tags: mailing.tags.join(', '),
    notes: mailing.notes,
    webViewable: mailing.web_viewable,
  };
}

/** Another one whenever something the form shows has changed. */
const versionOf = (mailing: Content): string =>
  createHash('sha256')
    .update(JSON.stringify(draftFrom(mailing)))
    .digest('base64url');

function draftOf(sent: Sent): Draft {
  const [subjects, previews] = [textsOf(sent, 'subject'), textsOf(sent, 'preview_text')];
  return {
    subjects: subjects.map((text, n) => ({ text: text.trim(), preview: previews[n]?.trim() ?? '' })).filter(({ text }) => text),
    from: textOf(sent, 'from').trim(),
    replyTo: textOf(sent, 'reply_to').trim(),
    wrapper: String(idsOf(sent, 'emailwrapper')[0] ?? ''),
    language: String(idsOf(sent, 'lang')[0] ?? ''),
    landingPage: String(idsOf(sent, 'landing_page')[0] ?? ''),
    html: textOf(sent, 'html'),
    text: textOf(sent, 'text'),
    tags: textOf(sent, 'tags'),
    notes: textOf(sent, 'notes'),
    webViewable: sent['web_viewable'] === '1',
  };
}

/** The form as the API takes it. */
function bodyOf(draft: Draft): Record<string, unknown> {
  const number = (id: string) => (id ? Number(id) : null);
  return {
    subjects: draft.subjects.map(({ text }) => text),
    preview_text: draft.subjects.map(({ preview }) => preview),
    custom_fromline: draft.from,
    reply_to: draft.replyTo,
    emailwrapper: number(draft.wrapper),
    lang: number(draft.language),
    landing_page: number(draft.landingPage),
    html: draft.html,
    text: draft.text,
    tags: draft.tags
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
    notes: draft.notes,
    web_viewable: draft.webViewable,
  };
}
