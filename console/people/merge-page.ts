import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { readId } from '../../api/resource/paths.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { requestMerge } from '../../api/users/merge.ts';
import { findPeople, findPerson } from '../../core/people/find-people.ts';
import { type Belongings, countBelongings, listsAfterMerge } from '../../core/people/merge-preview.ts';
import { listsOf, type PersonList } from '../../core/people/person-record.ts';
import { sqlOn } from '../../db/sql.ts';
import { idsOf, invalid, type Sent, textOf } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { count, time } from '../numbers.ts';
import { onceField, pressed } from '../pressed-once.ts';
import { inTime } from './in-time.ts';
import { type PersonDocument, personHead, personShown, readPerson } from './person-document.ts';
import { nameOf } from './words.ts';

const ALIKE = 5;

/** `/console/people/{id}/merge/`: whom to merge into this person, what would move, and the question. */
export function registerMergePages(app: FastifyInstance, context: ApiContext): void {
  const sql = sqlOn(context.pool);

  app.get('/console/people/:id/merge/', page('user:merge'), async (request, reply) => {
    const person = await personShown(context, request);
    const query = request.query as Record<string, unknown>;
    const other = typeof query['with'] === 'string' ? readId(query['with']) : null;
    if (other === person.id) return choose(request, reply, person, 'That is the person themselves.');
    if (other === null) return choose(request, reply, person, query['unknown'] ? 'There is no such person.' : null);
    return ask(request, reply, person, await readPerson(context, other));
  });

  app.post('/console/people/:id/merge/find', page('user:merge'), async (request, reply) => {
    const { id } = await personShown(context, request);
    const found = await findPerson(sql, textOf(request.body as Sent, 'who'));
    return reply.redirect(`/console/people/${id}/merge/?${found ? `with=${found}` : 'unknown=1'}`, 303);
  });

  app.post('/console/people/:id/merge/', page('user:merge'), async (request, reply) => {
    const sent = request.body as Sent;
    const primary = idOf(request);
    const one = (name: string) => idsOf(sent, name)[0] ?? null;
    const other = one('other');
    const wanted = idsOf(sent, 'lists');
    const usual = other === null ? [] : await listsAfterMerge(sql, primary, other);
    const merge = {
      primary_user: primary,
      users: other === null ? [] : [other],
      address_user: one('address_user') ?? primary,
      source_user: one('source_user') ?? primary,
      sms_user: one('sms_user'),
      lists: usual.length === wanted.length && usual.every((list) => wanted.includes(list)) ? null : wanted,
    };
    await requestMerge(context, request.log, merge, pressed(request, `/console/people/${primary}/merge/ ${other}`));
    return reply.redirect(`/console/people/${primary}/`, 303);
  });

  async function choose(
    request: FastifyRequest,
    reply: FastifyReply,
    person: PersonDocument,
    problem: string | null,
  ): Promise<FastifyReply> {
    const { id, first_name, last_name } = person;
    const words = `${last_name}, ${first_name}`;
    const alike =
      first_name && last_name && words.length < 200 && !first_name.includes(',') && !last_name.includes(',')
        ? await inTime(context, request, (on) => findPeople(on, 'name', words, ALIKE + 1)).then(
            ({ people }) => people,
            () => [],
          )
        : [];
    const others = alike.filter((each) => each.id !== id).slice(0, ALIKE);
    const content = html`${personHead(request, person, 'merge/')}<section class="card narrow" aria-labelledby="whom"><h2 id="whom">Who is the same person?</h2>
<p class="reading">What the other one did, got and gave moves to this person; the other one is gone then.</p>
${problem ? html`<p class="note warn" role="alert" id="who-wrong">${problem}</p>` : ''}
<form method="post" action="/console/people/${id}/merge/find" class="find">${csrfField(formToken(request, reply))}<label for="who">Email or id of the other one</label><div><input id="who" name="who" required spellcheck="false" autocapitalize="none"${problem ? invalid('who-wrong') : ''}><button class="plain">Show</button></div></form>
${others.length ? html`<h3>Of the same name</h3><ul class="plain">${others.map((each) => html`<li><a href="?with=${each.id}">${nameOf(each)}</a> <small>${each.email} · ${each.id}</small></li>`)}</ul>` : ''}</section>`;
    return sendPage(request, reply, context.env, { title: `Merge – person ${id}`, content });
  }

  async function ask(request: FastifyRequest, reply: FastifyReply, person: PersonDocument, other: PersonDocument): Promise<FastifyReply> {
    const { id } = person;
    const [counts, mine, theirs, after] = await Promise.all([
      context.longReads.inTurn(request, (client) => countBelongings(sqlOn(client), other.id, id)),
      listsOf(sql, id),
      listsOf(sql, other.id),
      listsAfterMerge(sql, id, other.id),
    ]);
    const both = [person, other] as const;
    const content = html`${personHead(request, person, 'merge/')}
<form method="post" action="/console/people/${id}/merge/" class="write">${csrfField(formToken(request, reply))}${onceField()}<input type="hidden" name="other" value="${other.id}">
<div class="columns"><div><section class="card" aria-labelledby="preview"><h2 id="preview">Who stays, and who goes</h2>${comparison(person, other)}</section>
<section class="card" aria-labelledby="keeps"><h2 id="keeps">What is kept</h2><p class="small">Email and name are those of who stays; custom fields they lack come from the other one.</p>
${oneOf('address_user', 'The address of', both)}${oneOf('source_user', 'Where they first came from, of', both)}${oneOf('sms_user', 'Mobile numbers of', both, 'both')}${listBoxes([...mine, ...theirs], after)}</section></div>
<aside aria-label="Merge"><div class="card actions"><h2>What moves</h2>${movesPart(request, counts)}<p class="note warn">This cannot be undone.</p><button class="danger">Merge ${other.id} into ${id}</button>
<a class="button plain" href="/console/people/${other.id}/merge/?with=${id}">The other way round</a><a class="button plain" href="/console/people/${id}/">Cancel</a></div></aside></div></form>`;
    return sendPage(request, reply, context.env, { title: `Merge ${other.id} into person ${id}`, content });
  }
}

function comparison(stays: PersonDocument, goes: PersonDocument): Html {
  const cells = (each: PersonDocument) =>
    [
      html`${nameOf(each)} <small>${each.id}</small>`,
      each.email,
      [each.address1, each.zip, each.city, each.state || each.region, each.country].filter(Boolean).join(', ') || '–',
      each.source || '–',
      time(each.created_at),
    ] as const;
  const [left, right] = [cells(stays), cells(goes)];
  const words = ['Name', 'Email', 'Address', 'First came by', 'Since'];
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Both people"><table><thead><tr><td></td><th scope="col">Stays</th><th scope="col">Goes</th></tr></thead><tbody>${words.map((word, n) => html`<tr><th scope="row">${word}</th><td>${left[n]}</td><td>${right[n]}</td></tr>`)}</tbody></table></div>`;
}

const oneOf = (name: string, legend: string, people: readonly PersonDocument[], none?: string): Html =>
  html`<fieldset class="field"><legend>${legend}</legend><div class="boxes">${none ? html`<label><input type="radio" name="${name}" value="" checked> ${none}</label>` : ''}${people.map((each, n) => html`<label><input type="radio" name="${name}" value="${each.id}"${!none && n === 0 ? html` checked` : ''}> ${each.email}</label>`)}</div></fieldset>`;

function listBoxes(lists: PersonList[], after: number[]): Html {
  const all = [...new Map(lists.map((list) => [list.id, list])).values()];
  if (all.length === 0) return html`<p class="small">Neither is on a list.</p>`;
  return html`<fieldset class="field"><legend>On these lists afterwards</legend><div class="boxes">${all.map(({ id, name }) => html`<label><input type="checkbox" name="lists" value="${id}"${after.includes(id) ? html` checked` : ''}> ${name}</label>`)}</div></fieldset>`;
}

/** What it is called, and the grant it takes to hear of it. */
const MOVES: [keyof Belongings, string, grant: string][] = [
  ['actions', 'Actions', 'action:read'],
  ['mails', 'Mails', 'user:read'],
  ['openings', 'Openings', 'user:read'],
  ['clicks', 'Clicks', 'user:read'],
  ['donations', 'Donations', 'order:read'],
  ['recurring', 'Recurring gifts', 'orderrecurring:read'],
  ['phones', 'Phones', 'user:read'],
  ['fields', 'Custom fields', 'user:read'],
  ['events', 'Events', 'event:read'],
  ['signups', 'Event signups', 'eventsignup:read'],
  ['confirmations', 'Confirmations', 'user:read'],
];

/** How much of everything there is, as far as the account may read it; what there is none of is left out. */
export function movesPart(request: FastifyRequest, counts: Belongings): Html {
  const there = MOVES.filter(([name]) => counts[name] > 0);
  if (there.length === 0) return html`<p class="small">Nothing: they did nothing and got nothing.</p>`;
  const shown = there.filter(([, , grant]) => can(request, grant));
  const hidden = shown.length < there.length ? html`<p class="small">And what your account may not read.</p>` : '';
  return html`<dl class="facts">${shown.map(([name, word]) => html`<div><dt>${word}</dt><dd>${count(counts[name])}</dd></div>`)}</dl>${hidden}`;
}
