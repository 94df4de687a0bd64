import { deleteAction, hasOrder, holdBeforeAction } from '../../core/actions/delete-action.ts';
import { refuseNeeded } from '../../core/mailings/still-needed.ts';
import { clearActions, clearRest } from '../../core/pages/clear-actions.ts';
import { readCustomFields, replaceActionFields } from '../../core/people/custom-fields.ts';
import { refuseErasedAction, touchParent } from '../../core/people/single-fields.ts';
import { answerAkid } from '../../domain/akid.ts';
import { PermissionError } from '../../domain/errors.ts';
import { readType, titleOf } from '../../domain/page-types.ts';
import { uriOf } from '../../domain/uris.ts';
import { addressProblem } from '../../domain/web-address.ts';
import { COMPLETE_TOO, PAGE_TYPES, type PageType } from '../../domain/words.ts';
import { Action, Page } from '../../entities/pages/page.ts';
import { fragment } from '../../entities/tables.ts';
import { type Change, type FieldOverride, type ResourceDeclaration, resource } from '../resource/declare.ts';
import { EXACT, SINCE, TIMES } from '../resource/operators.ts';
import { can } from '../route-options.ts';
import { shownFields } from '../users/shown-fields.ts';
import { belonging } from '../users/user.ts';
import { FOLLOWUP_FIELDS, saveFollowup } from './followup.ts';
import { keepUnsaid, leaveOutNulls } from './keep-unsaid.ts';

const TYPED = PAGE_TYPES;

const LONGEST_NAME = 255;
const MOST_REQUIRED = 200;

const areNames = (names: unknown[]) =>
  names.every((name) => typeof name === 'string' && name !== '' && name.length <= LONGEST_NAME)
    ? undefined
    : `must hold field names, of at most ${LONGEST_NAME} characters`;

/** The public platform shows tags and required fields as objects, and clients send those: this is what one stands for. */
const standsFor = (key: string) => (given: unknown) =>
  typeof given === 'object' && given !== null && Object.hasOwn(given, key) ? (given as Record<string, unknown>)[key] : given;

const TAGS_TAKEN = {
  type: ['array', 'null'],
  items: {
    anyOf: [
      { type: 'string', format: 'uri-reference' },
      { type: 'integer' },
      { type: 'object', required: ['resource_uri'], properties: { resource_uri: { type: 'string', format: 'uri-reference' } } },
    ],
  },
};

const PAGE_FIELDS: Record<string, FieldOverride> = {
  name: {
    trim: true,
    check: (name: string) => (/^[\w.~-]+$/.test(name) ? undefined : 'must hold only letters, digits and . _ ~ -'),
    help: 'Short name, unique among pages of every type: what submissions name in `page`.',
  },
  type: { readonly: true, filteredBy: { read: readType } },
  url: { trim: true, check: addressProblem, help: 'Where people are led after an action.' },
  tags: { nullIsAbsent: true, member: standsFor('resource_uri'), taken: TAGS_TAKEN },
  fields: { nullIsAbsent: true, help: 'Custom fields by name; a value may be a list. A change takes those it names; null takes one away.' },
  required_fields: {
    nullIsAbsent: true,
    maxLength: MOST_REQUIRED,
    member: standsFor('name'),
    check: areNames,
    help: 'Fields a submission must fill beside email or akid: their names, or objects with a `name`.',
  },
  actions: belonging('action', 'page'),
  ...FOLLOWUP_FIELDS,
};

const PAGES = {
  area: 'Pages',
  entity: Page,
  fields: PAGE_FIELDS,
  filtering: {
    id: SINCE,
    name: 'all',
    title: 'all',
    type: EXACT,
    status: EXACT,
    hidden: EXACT,
    list: 'joins',
    language: 'joins',
    multilingual_campaign: 'joins',
    tags: 'joins',
    created_at: TIMES,
    updated_at: TIMES,
  },
  ordering: ['name', 'title', 'created_at', 'updated_at'],
  permission: 'page',
  taken: { name: 'A page with this short name already exists; it may be hidden.' },
} satisfies Partial<ResourceDeclaration>;

/** What would be refused is, before any of its actions has gone. */
async function giveUpSome({ sql, id }: Change, after: number): Promise<number | null> {
  await refuseNeeded(sql, 'landing_page_id', id);
  return clearActions(sql, id, after);
}

/** Before a page is deleted, with its actions. */
async function giveUp({ sql, id }: Change): Promise<void> {
  await refuseNeeded(sql, 'landing_page_id', id);
  await clearRest(sql, id);
}

/** Pages of every type; each is created as what it is, through its own resource. */
export const page = resource({
  ...PAGES,
  name: 'page',
  about: 'a page of whatever type',
  alsoKnownAs: TYPED.map((type) => `${type}page`),
  methods: ['list', 'get', 'update', 'delete'],
  shownAs: ({ type }) => `${type}page`,
  hooks: { beforeUpdate: keepUnsaid, afterUpdate: (change) => saveFollowup(change, false), deletePart: giveUpSome, beforeDelete: giveUp },
});

/** @param more fields and hooks pages of this type have beyond those of any page */
export const pageOf = (
  type: (typeof TYPED)[number],
  about: string,
  { fields, filtering, hooks = {} }: Pick<ResourceDeclaration, 'fields' | 'filtering' | 'hooks'> = {},
) =>
  resource({
    ...PAGES,
    name: `${type}page`,
    about,
    where: `t.type = '${type}'`,
    constants: { type },
    alsoKnownAs: ['page'],
    fields: { ...PAGE_FIELDS, ...fields },
    filtering: { ...PAGES.filtering, ...filtering },
    hooks: {
      ...hooks,
      beforeCreate: leaveOutNulls,
      beforeUpdate: keepUnsaid,
      deletePart: giveUpSome,
      beforeDelete: giveUp,
      afterCreate: async (change) => {
        await saveFollowup(change, true);
        await hooks.afterCreate?.(change);
      },
      afterUpdate: async (change) => {
        await saveFollowup(change, false);
        await hooks.afterUpdate?.(change);
      },
    },
  });

export const signuppage = pageOf('signup', 'a page that subscribes people');
export const petitionpage = pageOf('petition', 'a page that collects signatures');
export const importpage = pageOf('import', 'a page that imported people stand on');
export const unsubscribepage = pageOf('unsubscribe', 'a page that takes people off lists');

const ACTIONS = {
  area: 'Actions',
  entity: Action,
  tally: ['page_id', 'source', 'status'],
  fields: {
    user: { readonly: true },
    page: { readonly: true, show: ({ page, type }) => uriOf(`${type}page`, page as number) },
    created_at: { readonly: false },
    status: { same: COMPLETE_TOO },
    created_user: { readonly: true },
    subscribed_user: { readonly: true },
    // It is their token, or opens their mail: what a grant to read actions must not do.
    taken_with: {
      readonly: true,
      onlyWith: 'user:read',
      help: 'The akid it was done with, to accounts with the grant user:read; to others empty, and akid merely names.',
    },
    mailing: { to: 'mailing', readonly: true },
    referring_user: { to: 'user', readonly: true },
    referring_mailing: { to: 'mailing', readonly: true },
    link: { readonly: true },
    opq_id: { readonly: true },
    is_forwarded: { readonly: true },
    ip_address: { readonly: true },
    akid: {
      help: 'Names the person and the mailing that led here.',
      show: ({ mailing, user, taken_with: sent }, { env }) =>
        answerAkid(env.SECRET_KEY, mailing as number | null, user as number, sent as string),
    },
    taf_emails_sent: { kind: 'integer', nullable: true, sql: 'null::int', help: 'Always null: no mail is sent to people a visitor names.' },
    type: {
      sql: '(select p.type from core_page p where p.id = t.page_id)',
      help: 'Type of the page, as `Petition`.',
      show: ({ type }) => titleOf(type as PageType),
      filteredBy: {
        column: fragment`p.type`,
        where: (condition, alias) => fragment`${alias}.page_id in (select p.id from core_page p where ${condition})`,
        read: readType,
      },
    },
    fields: shownFields('core_actionfield', 'Action fields.'),
  },
  filtering: {
    id: SINCE,
    user: 'joins',
    page: 'joins',
    type: EXACT,
    mailing: EXACT,
    source: 'all',
    status: EXACT,
    created_at: TIMES,
    updated_at: TIMES,
  },
  ordering: ['created_at', 'updated_at'],
  methods: ['list', 'get', 'update', 'delete'],
  permission: 'action',
  hooks: {
    beforeHold: ({ sql, id }) => holdBeforeAction(sql, id),
    beforeDelete: async ({ sql, id, request }) => {
      // Money goes with it.
      if (!can(request, 'donation:manage') && (await hasOrder(sql, id))) throw new PermissionError('donation:manage');
    },
    delete: ({ sql, id }) => deleteAction(sql, id),
    afterUpdate: async ({ sql, id, extra }) => {
      if (extra['fields'] === undefined) return;
      const given = readCustomFields(extra['fields'] as Record<string, unknown>, 'fields');
      if (!(await replaceActionFields(sql, id, given))) return;
      if ([...given.values()].some((values) => values.length > 0)) await refuseErasedAction(sql, id, 'fields');
      await touchParent(sql, 'core_actionfield', id);
    },
  },
} satisfies Partial<ResourceDeclaration>;

export const action = resource({
  ...ACTIONS,
  name: 'action',
  about: 'something a person did on a page',
  alsoKnownAs: TYPED.map((type) => `${type}action`),
  shownAs: ({ type }) => `${type}action`,
});

export const actionOf = (type: (typeof TYPED)[number], fields: Record<string, FieldOverride> = {}) =>
  resource({
    ...ACTIONS,
    fields: { ...ACTIONS.fields, ...fields },
    name: `${type}action`,
    about: `something a person did on a page of type ${type}`,
    where: `exists (select from core_page p where p.id = t.page_id and p.type = '${type}')`,
    whereTallied: { column: 'page_id', rows: `core_page where type = '${type}'` },
    alsoKnownAs: ['action'],
  });

export const signupaction = actionOf('signup');
export const petitionaction = actionOf('petition');
export const importaction = actionOf('import');
export const unsubscribeaction = actionOf('unsubscribe');
