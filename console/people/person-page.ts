import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { readChoices } from '../../core/mailings/choices.ts';
import { isEmptiedAddress } from '../../core/people/emptied-address.ts';
import { type Belongings, countBelongings } from '../../core/people/merge-preview.ts';
import { type Contact, contactOf, type ListChange, listChangesOf, listsOf, type PersonList } from '../../core/people/person-record.ts';
import { sqlOn } from '../../db/sql.ts';
import { mostOffered } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { count, counted, time } from '../numbers.ts';
import { onceField } from '../pressed-once.ts';
import { type PersonDocument, personHead, personTitle, readPerson } from './person-document.ts';
import { jobsPart } from './person-jobs.ts';
import { CHANGE_WORDS } from './words.ts';

const LATEST = 20;

/** `/console/people/{id}/`: what is known of somebody, and the lists they are on. */
export function registerPersonPage(app: FastifyInstance, context: ApiContext): void {
  const sql = sqlOn(context.pool);
  app.get('/console/people/:id/', page('user:read'), async (request, reply) => {
    const id = idOf(request);
    const person = await readPerson(context, id);
    const [jobs, whole] = await Promise.all([jobsPart(sql, id), wholePart(request, reply, person)]);
    const { done } = request.query as Record<string, unknown>;
    const said =
      typeof done === 'string' && Object.hasOwn(DONE, done)
        ? html`<p class="note good" role="status">${DONE[done as keyof typeof DONE]}</p>`
        : '';
    const content = html`${personHead(request, person, '')}${said}<div data-region="jobs">${jobs.part}</div><div data-region="whole">${whole}</div>`;
    return sendPage(request, reply, context.env, {
      title: `Person ${id}`,
      content,
      ...(jobs.busy && { live: `/console/people/${id}/live` }),
    });
  });

  app.get('/console/people/:id/live', page('user:read'), async (request, reply) => {
    const id = idOf(request);
    const { part, busy, said } = await jobsPart(sql, id);
    if (busy) return { busy, regions: { jobs: String(part) }, said };
    // A merge or an erasure makes another of them.
    const person = await readPerson(context, id);
    const whole = await wholePart(request, reply, person);
    return { busy, regions: { jobs: String(part), title: String(personTitle(person)), whole: String(whole) }, said };
  });

  /** Everything that is known of them. */
  async function wholePart(request: FastifyRequest, reply: FastifyReply, person: PersonDocument): Promise<Html> {
    const { id } = person;
    const [contact, counts, lists] = await Promise.all([
      contactOf(sql, id),
      context.longReads.inTurn(request, (client) => countBelongings(sqlOn(client), id)),
      can(request, 'subscription:read') ? listsPart(request, reply, person) : '',
    ]);
    return html`${totalsPart(request, counts)}
<div class="columns"><div><section class="card" aria-labelledby="known"><h2 id="known">What is known</h2>${knownPart(person, asFarAsReadable(request, contact))}</section>
${fieldsPart(person)}</div><aside aria-label="Lists">${lists}</aside></div>`;
  }

  async function listsPart(request: FastifyRequest, reply: FastifyReply, { id, email }: PersonDocument): Promise<Html> {
    const [lists, changes, all] = await Promise.all([
      listsOf(sql, id),
      can(request, 'subscriptionhistory:read') ? listChangesOf(sql, id, { before: null, limit: LATEST + 1 }) : [],
      // Who was erased comes onto none.
      can(request, 'subscription:write') && !isEmptiedAddress(email) ? readChoices(sql, 'lists') : [],
    ]);
    const others = all.filter((list) => !lists.some((each) => each.id === list.id));
    const join = others.length
      ? html`<form method="post" action="/console/people/${id}/subscribe" class="stack">${csrfField(formToken(request, reply))}${onceField()}<label for="list">Put on a list</label><select id="list" name="list">${others.map((list) => html`<option value="${list.id}">${list.name}</option>`)}</select>${mostOffered(all) && html`<p class="small">${mostOffered(all)}</p>`}<button class="plain">Subscribe</button></form>`
      : '';
    return html`<div class="card"><h2>${counted(lists.length, 'list', 'lists')}</h2>${
      lists.length
        ? html`<ul class="plain">${lists.map((list) => onList(request, reply, id, list))}</ul>`
        : html`<p class="small">On no list: they get no mailing.</p>`
    }${join}</div>${changes.length ? html`<div class="card"><h2>Came and left</h2>${historyPart(changes)}</div>` : ''}`;
  }
}

/** How much there is of somebody, as far as the account may read it. */
function totalsPart(request: FastifyRequest, counts: Belongings): Html {
  const totals: [string, number, string][] = [
    ['Lists', counts.subscriptions, 'subscription:read'],
    ['Actions', counts.actions, 'action:read'],
    ['Mails', counts.mails, 'user:read'],
    ['Opened', counts.openings, 'user:read'],
    ['Clicked', counts.clicks, 'user:read'],
    ['Donations', counts.donations, 'order:read'],
  ];
  return html`<dl class="totals">${totals.filter(([, , grant]) => can(request, grant)).map(([word, many]) => html`<div><dt>${word}</dt><dd>${count(many)}</dd></div>`)}</dl>`;
}

const DONE = {
  saved: 'Saved.',
  subscribed: 'Put on the list.',
  unsubscribed: 'Taken off the list.',
  erased: 'Erased.',
} as const;

function onList(request: FastifyRequest, reply: FastifyReply, id: number, { id: list, subscription, name, since }: PersonList): Html {
  const title = can(request, 'list:read') ? html`<a href="/console/lists/${list}/">${name}</a>` : name;
  const leave = can(request, 'subscription:delete')
    ? html`<form method="post" action="/console/people/${id}/unsubscribe">${csrfField(formToken(request, reply))}<input type="hidden" name="list" value="${list}"><input type="hidden" name="subscription" value="${subscription}"><button class="quiet" aria-label="Unsubscribe from ${name}">Unsubscribe</button></form>`
    : '';
  return html`<li class="line"><span>${title} <small>since ${time(since)}</small></span>${leave}</li>`;
}

const historyPart = (changes: ListChange[]): Html =>
  html`<ul class="plain">${changes.slice(0, LATEST).map(({ list, change, merged, created_at }) => html`<li>${list ?? 'a list that was deleted'}: ${merged ? 'is on it after a merge' : CHANGE_WORDS[change]} <small>${time(created_at)}</small></li>`)}</ul>${changes.length > LATEST ? html`<p class="small">The last ${LATEST}; the API has all of them.</p>` : ''}`;

/** Without what is other resources' and takes their grants. */
const asFarAsReadable = (request: FastifyRequest, contact: Contact): Contact => ({
  ...contact,
  phones: can(request, 'phone:read') ? contact.phones : [],
  groups: can(request, 'usergroup:read') ? contact.groups : [],
  blackholed: contact.blackholed && can(request, 'blackholedemail:read'),
});

function knownPart(person: PersonDocument, contact: Contact): Html {
  const street = [person.address1, person.address2].filter(Boolean).join(', ');
  const place = [
    [person.zip, person.plus4].filter(Boolean).join('-') || person.postal,
    person.city,
    person.state || person.region,
    person.country,
  ];
  const facts: [string, Html | string | null][] = [
    ['Email', html`${person.email}${contact.blackholed ? html` <strong class="wrong">never mailed (blackholed)</strong>` : ''}`],
    ['Name', [person.prefix, person.first_name, person.middle_name, person.last_name, person.suffix].filter(Boolean).join(' ')],
    ['Address', [street, place.filter(Boolean).join(' ')].filter(Boolean).join(', ')],
    ['District', contact.us_district],
    ['County', contact.us_county],
    ['Time zone', contact.timezone],
    ['Phones', html`${contact.phones.map(({ phone, type }) => html`<p>${phone} <small>${type.replaceAll('_', ' ')}</small></p>`)}`],
    ['Language', contact.language],
    ['Groups', contact.groups.join(', ')],
    ['First came by', person.source],
    ['Since', html`${time(person.created_at)}`],
    ['Last changed', html`${time(person.updated_at)}`],
  ];
  return factList(facts);
}

const factList = (facts: [string, Html | string | null][]): Html =>
  html`<dl class="facts wide">${facts.filter(([, fact]) => fact !== null && String(fact) !== '').map(([word, fact]) => html`<div><dt>${word}</dt><dd>${fact}</dd></div>`)}</dl>`;

function fieldsPart({ fields }: PersonDocument): Html | '' {
  const names = Object.keys(fields).sort();
  if (names.length === 0) return '';
  return html`<section class="card" aria-labelledby="fields"><h2 id="fields">Custom fields</h2>${factList(names.map((name) => [name, [fields[name]!].flat().join(', ')]))}</section>`;
}
