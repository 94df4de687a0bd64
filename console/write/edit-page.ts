import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import { asking, transactionOf } from '../../api/asking.ts';
import type { ApiContext } from '../../api/deps.ts';
import { inputContext } from '../../api/mailer/input-context.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { copyMailing } from '../../core/mailings/copy-mailing.ts';
import { requestTestMail } from '../../core/mailings/request-test-mail.ts';
import { createMailing } from '../../core/mailings/write-mailing.ts';
import { once } from '../../core/once.ts';
import { ConflictError, InputError, PermissionError } from '../../domain/errors.ts';
import { type Sent, textOf } from '../fields.ts';
import { adviceList, adviceOnStored } from '../mailings/advice.ts';
import { mailingHead } from '../mailings/mailing-document.ts';
import { messagesIn } from '../plain-words.ts';
import { pressed } from '../pressed-once.ts';
import { OvertakenError, versionOf } from '../version.ts';
import { bodyOf, draftFrom, draftOf, draftVersion, EMPTY } from './draft.ts';
import { showForm } from './edit-form.ts';
import { reserve, reservedIn } from './reserved.ts';
import { readContent, saveSent, showUnsaved } from './save-draft.ts';

/** `/console/mailings/new` and `…/{id}/edit/`: what a mailing says, written and changed; copies. */
export function registerEditPages(app: FastifyInstance, context: ApiContext): void {
  const write = page('mailer:write');

  app.get('/console/mailings/new', write, async (request, reply) =>
    showForm(context, request, reply, { draft: EMPTY, reserved: await reserve(context, request) }),
  );

  app.post('/console/mailings/new', write, async (request, reply) => {
    const sent = request.body as Sent;
    const draft = draftOf(sent);
    const reserved = reservedIn(context, request);
    try {
      const made = await transactionOf(context)((sql) => createMailing(bodyOf(draft), inputContext(context, sql, request), reserved));
      return saved(request, reply, made, 'choose/');
    } catch (error) {
      // The page has made it before: by itself, or by another press.
      if (error instanceof ConflictError && reserved !== null) return save(request, reply, reserved, 'choose/');
      if (!(error instanceof InputError)) throw error;
      if (byScript(request)) return saidToScript(reply, error);
      return showForm(context, request, reply.code(400), { draft, problems: error.fields, reserved: textOf(sent, 'reserved') });
    }
  });

  app.get('/console/mailings/:id/edit/', page('mailer:read'), async (request, reply) => {
    const mailing = await readContent(context, idOf(request));
    const { saved, tested } = request.query as Record<string, unknown>;
    const done = tested === '1' ? 'tested' : saved === '1' ? 'saved' : undefined;
    return showForm(context, request, reply, { mailing, draft: draftFrom(mailing), version: draftVersion(mailing), ...(done && { done }) });
  });

  app.post('/console/mailings/:id/edit/test', page('mailer:send'), async (request, reply) => {
    const { id } = await readContent(context, idOf(request));
    if (!can(request, 'mailer:write')) throw new PermissionError('mailer:write');
    try {
      await saveSent(context, request, id);
    } catch (error) {
      return showUnsaved(context, request, reply, id, error);
    }
    // Of other words another one is asked for.
    const press = pressed(request, `/console/mailings/${id}/edit/test ${versionOf(draftOf(request.body as Sent))}`);
    await requestTestMail(asking(context, 'sendProofs'), { mailingId: id, accountId: request.account!.id, press });
    return reply.redirect(`/console/mailings/${id}/edit/?tested=1`, 303);
  });

  app.post('/console/mailings/:id/edit/', write, (request, reply) => save(request, reply, idOf(request), 'edit/?saved=1'));

  /** @param next where a press that says nothing of it leads */
  async function save(request: FastifyRequest, reply: FastifyReply, id: number, next: string) {
    try {
      await saveSent(context, request, id);
    } catch (error) {
      return byScript(request) ? saidToScript(reply, error) : showUnsaved(context, request, reply, id, error);
    }
    return saved(request, reply, id, next);
  }

  async function saved(request: FastifyRequest, reply: FastifyReply, id: number, next: string) {
    // While somebody writes: it goes on from the version there is now, as the page of that mailing.
    if (byScript(request)) {
      const [mailing, advice] = await Promise.all([readContent(context, id), adviceOnStored(context, id)]);
      return { id, version: draftVersion(mailing), head: String(mailingHead(mailing, 'edit/')), advice: String(adviceList(advice)) };
    }
    const go = GOES.get(textOf(request.body as Sent, 'go'));
    return reply.redirect(`/console/mailings/${id}/${go ?? next}`, 303);
  }

  app.post('/console/mailings/:id/copy', write, async (request, reply) => {
    const id = idOf(request);
    const press = pressed(request, `/console/mailings/${id}/copy`);
    const copy = await transactionOf(context)((sql) => once(sql, press, () => copyMailing(sql, id, { targeting: true, testGroup: false })));
    return reply.redirect(`/console/mailings/${copy}/edit/`, 303);
  });
}

const GOES = new Map([
  ['edit', 'edit/?saved=1'],
  ['preview', 'preview/'],
  ['audience', 'choose/'],
]);

const byScript = (request: FastifyRequest): boolean => (request.body as Sent)['autosave'] === '1';

/** Why nothing was saved, for the script. */
function saidToScript(reply: FastifyReply, error: unknown) {
  if (error instanceof OvertakenError)
    return reply.code(409).send({ problems: ['Somebody else has changed this mailing since you opened it.'] });
  if (error instanceof InputError) return reply.code(400).send({ problems: messagesIn(error) });
  throw error;
}
