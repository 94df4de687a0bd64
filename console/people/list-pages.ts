import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { idOf } from '../../api/resource/routes.ts';
import { Writer } from '../../api/resource/write.ts';
import { can } from '../../api/route-options.ts';
import { countLists, type ListSummary, listDays, listSummaries, listSummary, newestMembers } from '../../core/people/lists.ts';
import { sqlOn } from '../../db/sql.ts';
import { ConflictError, InputError, NotFoundError } from '../../domain/errors.ts';
import { pageByName, readAfter } from '../by-name.ts';
import { area, line, type Problems, type Sent, textOf } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { count, leading, time } from '../numbers.ts';
import { inWords } from '../plain-words.ts';
import { onceField, pressed } from '../pressed-once.ts';
import { numbers, table } from '../table.ts';
import { OvertakenError, versionOf } from '../version.ts';
import { mayImport } from './import-list.ts';
import { listChart } from './list-chart.ts';
import { nameOf } from './words.ts';

const PAGE = 200;
const DAYS = 90;
const NEWEST = 10;

/** What a form says of a list. */
interface Draft {
  name: string;
  notes: string;
  hidden: boolean;
}
const EMPTY: Draft = { name: '', notes: '', hidden: false };

/** `/console/lists/`: lists with their members; making, renaming and hiding them; how each grew. */
export function registerListPages(app: FastifyInstance, context: ApiContext): void {
  const sql = sqlOn(context.pool);
  const writer = new Writer(context.registry.get('list'), context);

  app.get('/console/lists/', page('list:read'), (request, reply) => showAll(request, reply, EMPTY));

  app.post('/console/lists/', page('list:write'), async (request, reply) => {
    const draft = draftOf(request.body as Sent);
    try {
      const id = await writer.create(request, draft, pressed(request, `/console/lists/ ${draft.name}`));
      return reply.redirect(`/console/lists/${id}/?done=made`, 303);
    } catch (error) {
      return showAll(request, reply.code(statusOf(error)), draft, problemsOf(error));
    }
  });

  app.get('/console/lists/:id/', page('list:read'), async (request, reply) => showOne(request, reply, await read(request)));

  app.post('/console/lists/:id/', page('list:write'), async (request, reply) => {
    const list = await read(request);
    const sent = request.body as Sent;
    const draft = draftOf(sent);
    const first = async () => {
      // Sent a second time, or by two presses: what is stored is what was sent.
      if (![textOf(sent, 'version'), versionOf(draft)].includes(versionOf(draftFrom(await read(request))))) throw new OvertakenError();
    };
    try {
      await writer.update(list.id, request, { body: draft, first });
    } catch (error) {
      // What was refused for something else is still about what its form showed.
      if (!(error instanceof OvertakenError))
        return showOne(request, reply.code(statusOf(error)), list, draft, problemsOf(error), textOf(sent, 'version'));
      const now = await read(request);
      const words = `Somebody else has changed this list since you opened it: it is called “${now.name}” now. Save once more to put yours in its place.`;
      return showOne(request, reply.code(409), now, draft, { overtaken: [words] });
    }
    return reply.redirect(`/console/lists/${list.id}/?done=saved`, 303);
  });

  app.get('/console/lists/:id/charts', page('subscriptionhistory:read'), async (request) => {
    const { id, members } = await read(request);
    return { growth: listChart(await listDays(context.longReads.of(request), id, DAYS), members) };
  });

  async function read(request: FastifyRequest): Promise<ListSummary> {
    const list = await listSummary(sql, idOf(request));
    if (!list) throw new NotFoundError();
    return list;
  }

  async function showAll(request: FastifyRequest, reply: FastifyReply, draft: Draft, problems: Problems = {}): Promise<FastifyReply> {
    const { hidden } = request.query as Record<string, unknown>;
    const which = { hidden: hidden === '1', ...readAfter(request, PAGE) };
    const [lists, many] = await Promise.all([listSummaries(sql, which), countLists(sql)]);
    const { rows: shown, link } = pageByName(lists, PAGE, which.hidden ? { hidden: '1' } : {});
    const tab = (to: boolean, word: string, n: number) =>
      html`<a href="/console/lists/${to ? '?hidden=1' : ''}"${to === which.hidden ? html` aria-current="page"` : ''}>${word} <span>${count(n)}</span></a>`;
    const none = which.hidden
      ? 'No list is hidden.'
      : can(request, 'list:write')
        ? 'There is no list yet. Make the first one: pages and imports put people on it, and mailings go to it.'
        : 'There is no list yet.';
    const content = html`<h1>Lists</h1>${which.hidden ? leading(many.hidden, 'hidden list', 'hidden lists') : leading(many.shown, 'list', 'lists')}
<div class="filters"><nav aria-label="Lists">${tab(false, 'In use', many.shown)}${tab(true, 'Hidden', many.hidden)}</nav></div>
<div class="columns"><div>${shown.length ? html`<div class="card">${table('Lists', ['List', numbers('Members'), 'Notes', 'Since'], shown.map(listRow))}</div>` : html`<p class="none">${none}</p>`}${link}</div>
<aside aria-label="New list">${can(request, 'list:write') ? html`<div class="card"><h2>New list</h2><form method="post" action="/console/lists/" class="write">${csrfField(formToken(request, reply))}${onceField()}${fieldsPart(draft, problems)}<div class="actions"><button class="main">Make the list</button></div></form></div>` : ''}</aside></div>`;
    return sendPage(request, reply, context.env, { title: 'Lists', content });
  }

  async function showOne(
    request: FastifyRequest,
    reply: FastifyReply,
    list: ListSummary,
    draft: Draft = draftFrom(list),
    problems: Problems = {},
    version = versionOf(draftFrom(list)),
  ): Promise<FastifyReply> {
    const { id, name, members } = list;
    const newest = can(request, 'user:read') && can(request, 'subscription:read') ? await newestMembers(sql, id, NEWEST) : [];
    const charted = can(request, 'subscriptionhistory:read');
    const { done } = request.query as Record<string, unknown>;
    const said = done === 'saved' ? 'Saved.' : done === 'made' ? 'The list is made.' : null;
    const facts = [list.hidden && 'hidden', list.is_default && 'the default list', list.is_reengagement && 'the re-engagement list'].filter(
      Boolean,
    );
    const content = html`<p class="crumb"><a href="/console/lists/">Lists</a> / ${id}</p><div class="title"><h1>${name}</h1>${facts.length ? html`<small>${facts.join(', ')}</small>` : ''}</div>
${said ? html`<p class="note good" role="status">${said}</p>` : ''}
<div class="columns"><div><section class="card" aria-labelledby="members"><h2 id="members">Members</h2>${leading(members, 'person', 'people')}
${members || newest.length ? '' : html`<p class="small">Nobody is on it yet. ${mayImport(request) ? html`<a href="/console/imports/">Import people</a>, or give` : 'Give'} it to a page: who acts there comes on it.</p>`}${charted ? chartPart(id) : ''}</section>
${newest.length ? html`<section class="card" aria-labelledby="newest"><h2 id="newest">Who came last</h2><ul class="plain">${newest.map((each) => html`<li><a href="/console/people/${each.id}/">${nameOf(each)}</a> <small>${each.email} · since ${time(each.since)}</small></li>`)}</ul></section>` : ''}</div>
<aside aria-label="Change">${
      can(request, 'list:write')
        ? html`<div class="card"><h2>Name and notes</h2><form method="post" action="/console/lists/${id}/" class="write">${csrfField(formToken(request, reply))}<input type="hidden" name="version" value="${version}">${fieldsPart(draft, problems)}
<label><input type="checkbox" name="hidden" value="1"${draft.hidden ? html` checked` : ''}> Hidden: offered nowhere; who is on it stays</label><div class="actions"><button class="main">Save</button></div></form></div>`
        : list.notes
          ? html`<div class="card"><h2>Notes</h2><p>${list.notes}</p></div>`
          : ''
    }</aside></div>`;
    return sendPage(request, reply, context.env, { title: `List ${id}`, content, charts: charted });
  }
}

const draftFrom = ({ name, notes, hidden }: ListSummary): Draft => ({ name, notes, hidden });

const draftOf = (sent: Sent): Draft => ({
  name: textOf(sent, 'name').trim(),
  notes: textOf(sent, 'notes'),
  hidden: textOf(sent, 'hidden') === '1',
});

const statusOf = (error: unknown): number => (error instanceof ConflictError ? 409 : 400);

/** @throws what is not about the form */
function problemsOf(error: unknown): Problems {
  if (error instanceof InputError) return error.fields;
  if (error instanceof ConflictError) return { name: ['There is a list of this name already; it may be hidden.'] };
  throw error;
}

const fieldsPart = (draft: Draft, problems: Problems): Html =>
  html`${Object.entries(problems).flatMap(([field, words]) => (field === 'name' || field === 'notes' ? [] : words.map((each) => html`<p class="note warn" role="alert">${inWords(field, each)}</p>`)))}
${line({ name: 'name', label: 'Name', value: draft.name, required: true }, problems)}${area({ name: 'notes', label: 'Notes', value: draft.notes, rows: 2 }, problems)}`;

const listRow = ({ id, name, members, notes, is_default, created_at }: ListSummary): Html =>
  html`<tr><td><a href="/console/lists/${id}/">${name}</a>${is_default ? html` <small>default</small>` : ''}</td><td class="n">${count(members)}</td><td>${notes.slice(0, 120)}</td><td>${time(created_at)}</td></tr>`;

const chartPart = (
  id: number,
): Html => html`<figure data-charts="/console/lists/${id}/charts"><div data-chart="growth"><figcaption><p class="small">Members at the end of each day, and who came and left, in the last ${DAYS} days.</p></figcaption><noscript><p class="nothing">It takes JavaScript to draw this.</p></noscript>
<div class="plot" role="img" aria-label="Growth: a chart; the same as a table stands below"></div></div></figure>`;
