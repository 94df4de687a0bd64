import { ensureFollowup } from '../../core/pages/new-page.ts';
import { followupSql, formSql, TYPES_WITH_FORMS } from '../../core/pages/shown.ts';
import { followupOf } from '../../core/pages/unwritten-followup.ts';
import { MOST_NOTIFIED } from '../../core/people/action-mails.ts';
import { ConflictError, InputError, PermissionError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/uris.ts';
import { notOneLine } from '../../domain/values.ts';
import { taggedAddressProblem } from '../../domain/web-address.ts';
import { CmsForm, PageFollowup } from '../../entities/pages/followup.ts';
import { run, tables } from '../../entities/tables.ts';
import { usableAddress } from '../../mail/address.ts';
import { checkSnippet, checkTemplates } from '../../mail/compile.ts';
import { BOUND } from '../../template/budget.ts';
import { type Change, type FieldOverride, resource, type Values } from '../resource/declare.ts';
import { checkReferences } from '../resource/input.ts';
import { readInside } from '../resource/inside.ts';
import { EXACT, SINCE, TIMES } from '../resource/operators.ts';
import { can } from '../route-options.ts';

const areAddresses = (given: unknown[]) => {
  if (given.length > MOST_NOTIFIED) return `must hold at most ${MOST_NOTIFIED} addresses`;
  return given.every((each) => typeof each === 'string' && usableAddress(each) !== null) ? undefined : 'must hold email addresses';
};

/** The messages of a template that cannot be used, as the check of a field. */
const template = (part: 'html' | 'subjects') => (source: string) => {
  const problems = Object.values(checkTemplates(part === 'html' ? { html: source } : { subjects: [source] })).flat();
  return problems.length > 0 ? problems.join('; ') : undefined;
};

/** What follows an action on a page; each page has one, written with the page or here. */
export const pagefollowup = resource({
  name: 'pagefollowup',
  about: 'what follows an action on a page',
  area: 'Pages',
  entity: PageFollowup,
  fields: {
    page: { help: 'Each page has one of its own; it stays with it.' },
    url: {
      trim: true,
      check: (url: string) => taggedAddressProblem(url) ?? Object.values(checkSnippet('', { html: '', text: url }, {})).flat()[0],
      help: 'Where people are led afterwards; empty: the url of the page. May hold `{{ akid }}`, `{{ action.id }}` and `{{ page.name }}`; with other tags of a template it is kept for the pages of a client, and people are led to the url of the page.',
    },
    email_subject: { check: (subject: string) => notOneLine(subject) ?? template('subjects')(subject) },
    email_body: { maxLength: BOUND.source, check: template('html'), help: 'Template of the confirmation, HTML.' },
    email_custom_from: {
      check: (from: string) => notOneLine(from) ?? (from && checkTemplates({ from }).fromline ? 'is not a sender' : undefined),
    },
    notifications: {
      check: areAddresses,
      help: 'Addresses told by mail of every action, with send_notifications. They hear of people: naming a new one takes the grant user:read.',
    },
    send_taf: { help: 'Kept for the pages of a client, as are taf_subject and taf_body: no mail is sent to addresses a visitor names.' },
  },
  filtering: { id: SINCE, page: 'joins', created_at: TIMES, updated_at: TIMES },
  ordering: ['created_at', 'updated_at'],
  permission: 'page',
  methods: ['list', 'get', 'create', 'update'],
  hooks: {
    create: writeFollowup,
    beforeUpdate: async (change) => {
      await keepPage(change);
      await checkTold(change, change.values, { id: change.id });
    },
  },
});

/** Clients send back the page they read. @throws InputError for another one: a 202 would say that it was taken */
async function keepPage({ sql, id, values }: Change): Promise<void> {
  const { page } = values;
  delete values['page'];
  if (page === undefined) return;
  const [held] = await run(sql, tables.selectFrom('core_pagefollowup').where('id', '=', id).select('page_id'));
  if (held && held.page_id !== page) throw new InputError({ page: 'The page of a followup cannot be changed.' });
}

/** A page has its followup from its beginning: the first to create it writes that one. @throws ConflictError for who comes later */
async function writeFollowup(change: Change): Promise<void> {
  const { em, sql, values } = change;
  const held = await followupOf(sql, values['page'] as number);
  await checkTold(change, values, { page_id: values['page'] as number });
  if (held?.written) throw new ConflictError('page', String(values['page']), uriOf('pagefollowup', held.id));
  const followup = held ? await em.findOneOrFail(PageFollowup, held.id) : em.create(PageFollowup, values as never);
  if (held) em.assign(followup, values as never);
  await em.flush();
  change.id = followup.id;
}

/**
 * Who is told of actions is told of people. Who may not read users may keep the addresses that stand there and name no other.
 * @throws PermissionError
 */
async function checkTold({ sql, request }: Change, { notifications }: Values, where: { id: number } | { page_id: number }): Promise<void> {
  if (!Array.isArray(notifications) || notifications.length === 0 || can(request, 'user:read')) return;
  const [column, value] = Object.entries(where)[0] as ['id' | 'page_id', number];
  const [held] = await run(sql, tables.selectFrom('core_pagefollowup').where(column, '=', value).select('notifications'));
  if (notifications.some((address) => !held?.notifications.includes(address))) throw new PermissionError('user:read');
}

/** The texts a page is shown with. */
export const cmsform = resource({
  name: 'cmsform',
  about: 'the texts a page is shown with',
  area: 'Pages',
  entity: CmsForm,
  filtering: { id: SINCE, page: 'joins', client_hosted: EXACT },
  permission: 'page',
  alsoKnownAs: TYPES_WITH_FORMS.map((type) => `${type}form`),
});

/** Forms of pages of one type, with the URIs clients know them by. One page has one. */
const formOf = (type: (typeof TYPES_WITH_FORMS)[number]) =>
  resource({
    name: `${type}form`,
    about: `the texts a page of type ${type} is shown with`,
    area: 'Pages',
    entity: CmsForm,
    fields: { page: { to: `${type}page` } },
    where: `exists (select from core_page p where p.id = t.page_id and p.type = '${type}')`,
    filtering: { id: SINCE, page: 'joins', client_hosted: EXACT, created_at: TIMES, updated_at: TIMES },
    ordering: ['created_at', 'updated_at'],
    permission: 'page',
    alsoKnownAs: ['cmsform'],
  });

export const petitionform = formOf('petition');
export const signupform = formOf('signup');
export const eventcreateform = formOf('eventcreate');
export const eventsignupform = formOf('eventsignup');

/** Fields every page has for what follows an action on it. */
export const FOLLOWUP_FIELDS: Record<string, FieldOverride> = {
  followup: {
    kind: 'dict',
    readonly: false,
    nullable: true,
    help: 'What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent.',
    sql: followupSql('t.id'),
  },
  cms_form: {
    nullable: true,
    help: 'URI of the texts the page is shown with.',
    schema: { type: ['string', 'null'], format: 'uri-reference' },
    sql: formSql('t.id', 't.type'),
    show: ({ cms_form }) => (cms_form === null ? null : `/rest/v1/${cms_form}/`),
  },
};

/** After a page has been written: its followup, where one was sent. A new page always gets one. */
export async function saveFollowup(change: Change, isNew: boolean): Promise<void> {
  const { em, sql, id, extra, context } = change;
  const sent = extra['followup'] !== undefined && extra['followup'] !== null;
  if (isNew || sent) await ensureFollowup(sql, id);
  if (!sent) return;
  try {
    const input = readInside(change, 'pagefollowup', extra['followup']);
    await checkReferences(sql, context.registry, input);
    const followup = await em.findOneOrFail(PageFollowup, { page: id });
    const { page: _, ...values } = input.values;
    await checkTold(change, values, { page_id: id });
    em.assign(followup, values as never);
    await em.flush();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError({ followup: Object.values(error.fields).flat() });
  }
}
