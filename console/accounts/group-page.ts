import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '../../api/deps.ts';
import { idOf } from '../../api/resource/routes.ts';
import { Writer } from '../../api/resource/write.ts';
import { type GroupSummary, groupSummary } from '../../core/accounts/account-list.ts';
import { sqlOn } from '../../db/sql.ts';
import { ConflictError, InputError, NotFoundError } from '../../domain/errors.ts';
import { line, type Problems, type Sent, textOf, textsOf } from '../fields.ts';
import { html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { counted } from '../numbers.ts';
import { inWords } from '../plain-words.ts';
import { onceField, pressed } from '../pressed-once.ts';
import { OvertakenError, versionOf } from '../version.ts';
import { forSuperusers } from './for-superusers.ts';
import { grantBoxes } from './grant-boxes.ts';

type Draft = Pick<GroupSummary, 'name' | 'grants'>;

/** `/console/accounts/groups/new` and `…/groups/{id}/`: what the accounts of a group may do. */
export function registerGroupPages(app: FastifyInstance, context: ApiContext): void {
  const sql = sqlOn(context.pool);
  const writer = new Writer(context.registry.get('authgroup'), context);
  const options = forSuperusers('authgroup:write');

  app.get('/console/accounts/groups/new', options, (request, reply) => show(request, reply, null, { name: '', grants: [] }));

  app.post('/console/accounts/groups/new', options, async (request, reply) => {
    const draft = draftOf(request.body as Sent);
    try {
      const id = await writer.create(request, draft, pressed(request, `/console/accounts/groups/new ${draft.name}`));
      return reply.redirect(`/console/accounts/groups/${id}/?saved=1`, 303);
    } catch (error) {
      return show(request, reply.code(error instanceof ConflictError ? 409 : 400), null, draft, problemsOf(error));
    }
  });

  app.get('/console/accounts/groups/:id/', options, async (request, reply) => {
    const group = await read(idOf(request));
    return show(request, reply, group, group);
  });

  app.post('/console/accounts/groups/:id/', options, async (request, reply) => {
    const id = idOf(request);
    const sent = request.body as Sent;
    const draft = draftOf(sent);
    const first = async () => {
      // Sent a second time, or by two presses: what is stored is what was sent.
      if (![textOf(sent, 'version'), versionOfGroup(draft)].includes(versionOfGroup(await read(id)))) throw new OvertakenError();
    };
    try {
      await writer.update(id, request, { body: draft, first });
    } catch (error) {
      if (error instanceof NotFoundError) throw error;
      const group = await read(id);
      // What was refused for something else is still about what its form showed.
      const version = error instanceof OvertakenError ? versionOfGroup(group) : textOf(sent, 'version');
      return show(request, reply.code(error instanceof InputError ? 400 : 409), group, draft, problemsOf(error), version);
    }
    return reply.redirect(`/console/accounts/groups/${id}/?saved=1`, 303);
  });

  async function read(id: number): Promise<GroupSummary> {
    const group = await groupSummary(sql, id);
    if (!group) throw new NotFoundError();
    return group;
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    group: GroupSummary | null,
    draft: Draft,
    problems: Problems = {},
    version = group ? versionOfGroup(group) : '',
  ): Promise<FastifyReply> {
    const action = `/console/accounts/groups/${group ? `${group.id}/` : 'new'}`;
    const { saved } = request.query as Record<string, unknown>;
    const wrong = Object.entries(problems).flatMap(([field, words]) =>
      field === 'name' || field === 'grants' ? [] : words.map((each) => inWords(field, each)),
    );
    const content = html`<p class="crumb"><a href="/console/accounts/">Accounts</a> / Groups</p><h1>${group?.name ?? 'A new group'}</h1>
${saved === '1' && wrong.length === 0 ? html`<p class="note good" role="status">Saved. It holds in all processes.</p>` : ''}
${Object.keys(problems).length ? html`<div class="note bad" role="alert"><p>It was not saved.</p>${wrong.map((each) => html`<p>${each}</p>`)}</div>` : ''}
<form method="post" action="${action}" class="write">${csrfField(formToken(request, reply))}${group ? html`<input type="hidden" name="version" value="${version}">` : onceField()}
<div class="columns"><div><section class="card" aria-labelledby="grants"><h2 id="grants">What its accounts may do</h2>${grantBoxes(context.registry.all(), draft.grants, problems)}</section></div>
<aside aria-label="Group"><div class="card actions"><button class="main">${group ? 'Save' : 'Make the group'}</button></div><div class="card">${line({ name: 'name', label: 'Name', value: draft.name }, problems)}${group ? html`<p class="small">${counted(group.members, 'account has', 'accounts have')} it.</p>` : ''}</div></aside></div></form>`;
    return sendPage(request, reply, context.env, { title: group ? `Group ${group.id}` : 'A new group', content });
  }
}

const versionOfGroup = ({ name, grants }: Draft): string => versionOf([name, grants]);

const draftOf = (sent: Sent): Draft => ({
  name: textOf(sent, 'name').trim(),
  grants: [...new Set([...textsOf(sent, 'grants'), ...textOf(sent, 'others').split(/[\s,]+/)].filter(Boolean))],
});

/** @throws what is not about the form */
function problemsOf(error: unknown): Problems {
  if (error instanceof InputError) return error.fields;
  if (error instanceof ConflictError) return { name: ['There is a group of this name already.'] };
  if (error instanceof OvertakenError)
    return {
      form: [
        'Somebody else has changed this group since you opened it. What you see is yours: save once more to put it in the place of theirs.',
      ],
    };
  throw error;
}
