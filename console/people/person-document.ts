import type { FastifyRequest } from 'fastify';
import type { ApiContext } from '../../api/deps.ts';
import { Reader } from '../../api/resource/read.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { NotFoundError, PermissionError } from '../../domain/errors.ts';
import type { NAME_AND_ADDRESS } from '../../domain/people/person-columns.ts';
import type { SubscriptionStatus } from '../../domain/words.ts';
import { type Html, html } from '../html.ts';
import { nameOf, personMark } from './words.ts';

/** A person as GET /rest/v1/user/{id}/ shows them: the part of it the console uses. */
export type PersonDocument = Record<(typeof NAME_AND_ADDRESS)[number] | 'email' | 'source' | 'created_at' | 'updated_at', string> & {
  id: number;
  lang: string | null;
  fields: Record<string, string | string[]>;
  subscription_status: SubscriptionStatus;
};

const readers = new WeakMap<ApiContext, Reader>();

/** @throws NotFoundError */
export async function readPerson(context: ApiContext, id: number): Promise<PersonDocument> {
  const reader = readers.get(context) ?? new Reader(context.registry.get('user'), context);
  readers.set(context, reader);
  const found = await reader.one(id);
  if (!found) throw new NotFoundError();
  return found as unknown as PersonDocument;
}

/** The same for a page that shows them. @throws NotFoundError, PermissionError where the account may not read people */
export async function personShown(context: ApiContext, request: FastifyRequest): Promise<PersonDocument> {
  const person = await readPerson(context, idOf(request));
  if (!can(request, 'user:read')) throw new PermissionError('user:read');
  return person;
}

/** What there is of a person, and the grant it takes. */
const TABS = {
  '': ['Overview', 'user:read'],
  'actions/': ['Actions', 'action:read'],
  'mails/': ['Mails', 'user:read'],
  'donations/': ['Donations', 'order:read'],
  'changes/': ['Changes', 'auditlog:read'],
  'edit/': ['Edit', 'user:write'],
  'merge/': ['Merge', 'user:merge'],
  'erase/': ['Erase', 'user:erase'],
} as const;
export type PersonTab = keyof typeof TABS;

/** What somebody is called, and whether they are subscribed. */
export const personTitle = (person: PersonDocument): Html => html`<h1>${nameOf(person)}</h1>${personMark(person.subscription_status)}`;

/** What stands above every page about one person. */
export function personHead(request: FastifyRequest, person: PersonDocument, tab: PersonTab): Html {
  const { id } = person;
  const tabs = Object.entries(TABS).filter(([, [, grant]]) => can(request, grant));
  return html`<p class="crumb"><a href="/console/people/">People</a> / ${id}</p>
<div class="title" data-region="title">${personTitle(person)}</div>
<nav class="tabs" aria-label="Person ${id}">${tabs.map(
    ([path, [word]]) => html`<a href="/console/people/${id}/${path}"${path === tab ? html` aria-current="page"` : ''}>${word}</a>`,
  )}</nav>`;
}
