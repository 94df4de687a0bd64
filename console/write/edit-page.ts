import type { FastifyInstance, FastifyReply } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import { transactionOf } from '../../api/asking.ts';
import type { ApiContext } from '../../api/deps.ts';
import { inputContext } from '../../api/mailer/input-context.ts';
import { idOf } from '../../api/resource/routes.ts';
import { copyMailing } from '../../core/mailings/copy-mailing.ts';
import { createMailing } from '../../core/mailings/write-mailing.ts';
import { InputError } from '../../domain/errors.ts';
import { type Sent, textOf } from '../fields.ts';
import { adviceList, adviceOnStored } from '../mailings/advice.ts';
import { OvertakenError } from '../version.ts';
import { bodyOf, draftFrom, draftOf, draftVersion, EMPTY } from './draft.ts';
import { showForm } from './edit-form.ts';
import { readContent, saveSent, showUnsaved } from './save-draft.ts';

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
    return showForm(context, request, reply, { mailing, draft: draftFrom(mailing), version: draftVersion(mailing), saved: saved === '1' });
  });

  app.post('/console/mailings/:id/edit/', write, async (request, reply) => {
    const id = idOf(request);
    const sent = request.body as Sent;
    const byScript = sent['autosave'] === '1';
    try {
      await saveSent(context, request, id);
    } catch (error) {
      return byScript ? saidToScript(reply, error) : showUnsaved(context, request, reply, id, error);
    }
    // While somebody writes: it goes on from the version there is now.
    if (byScript) {
      const [mailing, advice] = await Promise.all([readContent(context, id), adviceOnStored(context, id)]);
      return { version: draftVersion(mailing), advice: String(adviceList(advice)) };
    }
    const to = { preview: 'preview/', audience: 'choose/' }[textOf(sent, 'go')] ?? 'edit/?saved=1';
    return reply.redirect(`/console/mailings/${id}/${to}`, 303);
  });

  app.post('/console/mailings/:id/copy', write, async (request, reply) => {
    const copy = await transactionOf(context)((sql) => copyMailing(sql, idOf(request), { targeting: true, testGroup: false }));
    return reply.redirect(`/console/mailings/${copy}/edit/`, 303);
  });
}

/** Why nothing was saved, for the script. */
function saidToScript(reply: FastifyReply, error: unknown) {
  if (error instanceof OvertakenError)
    return reply.code(409).send({ problems: ['Somebody else has changed this mailing since you opened it.'] });
  if (error instanceof InputError) return reply.code(400).send({ problems: Object.values(error.fields).flat() });
  throw error;
}
