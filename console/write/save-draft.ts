import { isDeepStrictEqual } from 'node:util';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '../../api/deps.ts';
import { changeMailing } from '../../api/mailer/write-routes.ts';
import { InputError } from '../../domain/errors.ts';
import { type Sent, textOf } from '../fields.ts';
import { readMailing } from '../mailings/mailing-document.ts';
import { OvertakenError, versionOf } from '../version.ts';
import { conditionInRow } from '../watch/glance.ts';
import { bodyOf, type Content, draftFrom, draftOf, draftVersion, tagsIn } from './draft.ts';
import { type Shown, showForm } from './edit-form.ts';

export const readContent = async (context: ApiContext, id: number) => (await readMailing(context, id)) as Content;

/** Saves what the form of a mailing holds. @throws OvertakenError where somebody else has changed it since the form was made; InputError */
export async function saveSent(context: ApiContext, request: FastifyRequest, id: number): Promise<void> {
  const sent = request.body as Sent;
  const draft = draftOf(sent);
  await changeMailing(context, request, id, bodyOf(draft), async () => {
    const stored = draftFrom((await readMailing(context, id, conditionInRow)) as Content);
    // Sent a second time, or by two presses: what is stored is what was sent.
    const same = isDeepStrictEqual({ ...stored, tags: tagsKey(stored.tags) }, { ...draft, tags: tagsKey(draft.tags) });
    if (textOf(sent, 'version') !== versionOf(stored) && !same) throw new OvertakenError();
  });
}

/** The tags of a text, however they were typed: a mailing has each once, in an order of its own. */
const tagsKey = (tags: string): string => JSON.stringify([...new Set(tagsIn(tags))].sort());

/** The form once more, as it was sent, with why it was not saved. @throws any other error */
export async function showUnsaved(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  id: number,
  error: unknown,
): Promise<FastifyReply> {
  const again = async (status: number, more: Partial<Shown>) => {
    const mailing = await readContent(context, id);
    const draft = draftOf(request.body as Sent);
    return showForm(context, request, reply.code(status), { mailing, draft, version: draftVersion(mailing), ...more });
  };
  // Two people at it: nothing of either is lost, and whoever saves second is told.
  if (error instanceof OvertakenError) return again(409, { overtaken: true });
  if (error instanceof InputError) return again(400, { problems: error.fields });
  throw error;
}
