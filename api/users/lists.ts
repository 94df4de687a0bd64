import { refuseNeeded } from '../../core/mailings/still-needed.ts';
import { clearLanguage } from '../../core/people/clear-language.ts';
import { holdPerson } from '../../core/people/hold-person.ts';
import { addSubscription, endSubscription } from '../../core/people/single-subscription.ts';
import { lowerCase } from '../../domain/people/lower-case.ts';
import { Language } from '../../entities/people/language.ts';
import { BlackholedEmail, List, Subscription, SubscriptionHistory } from '../../entities/people/list.ts';
import { resource } from '../resource/declare.ts';
import { EXACT, SINCE, TIMES } from '../resource/operators.ts';
import { EMAIL } from './user.ts';

export const list = resource({
  name: 'list',
  about: 'a list people subscribe to',
  area: 'Users',
  entity: List,
  fields: { name: { trim: true } },
  filtering: { id: SINCE, name: 'all', hidden: EXACT, is_default: EXACT, is_reengagement: EXACT, created_at: TIMES, updated_at: TIMES },
  ordering: ['name', 'created_at', 'updated_at'],
  uniqueKeys: [
    { constraint: 'core_list_default_key', field: 'is_default', properties: ['isDefault'] },
    { constraint: 'core_list_reengagement_key', field: 'is_reengagement', properties: ['isReengagement'] },
  ],
  // DELETE is in delete-list.ts.
  methods: ['list', 'get', 'create', 'update'],
});

/** Clients parse what they are shown: the empty text is shown as an empty object. */
function jsonProblem(text: string): string | undefined {
  if (text.trim() === '') return;
  try {
    JSON.parse(text);
  } catch {
    return 'must be JSON as text';
  }
}

export const language = resource({
  name: 'language',
  about: 'a language people are written to in',
  area: 'Users',
  entity: Language,
  fields: {
    name: { trim: true },
    translations: {
      help: 'JSON as text.',
      check: jsonProblem,
      show: ({ translations }) => String(translations).trim() || '{}',
      // As it is shown where it was never set: whoever sends that back changes nothing.
      kept: (text: string) => (text === '{}' ? '' : text),
    },
  },
  filtering: { id: SINCE, name: 'all', iso_code: 'all', hidden: EXACT, ordering: SINCE },
  ordering: ['name', 'iso_code', 'ordering'],
  hooks: {
    deletePart: async ({ sql, id }, after) => {
      await refuseNeeded(sql, 'lang_id', id);
      return clearLanguage(sql, id, after);
    },
    beforeDelete: ({ sql, id }) => refuseNeeded(sql, 'lang_id', id),
  },
});

export const subscription = resource({
  name: 'subscription',
  about: 'that a person is on a list',
  area: 'Users',
  entity: Subscription,
  tally: ['list_id'],
  filtering: { id: SINCE, user: 'joins', list: 'joins', created_at: TIMES, updated_at: TIMES },
  ordering: ['created_at', 'updated_at'],
  methods: ['list', 'get', 'create', 'delete'],
  hooks: {
    create: async (change) => {
      const { user, list: listId } = change.values as { user: number; list: number };
      change.id = await addSubscription(change.sql, user, listId);
    },
    beforeHold: ({ sql, id }) => holdPerson(sql, 'core_subscription', id, { as: 'no key update' }),
    delete: ({ sql, id }) => endSubscription(sql, id),
  },
});

export const subscriptionhistory = resource({
  name: 'subscriptionhistory',
  about: 'that a person came on a list or left it',
  area: 'Users',
  entity: SubscriptionHistory,
  tally: ['list_id'],
  fields: { action: { to: 'action' } },
  filtering: { id: SINCE, user: 'joins', list: 'joins', change: EXACT, action: EXACT, created_at: TIMES },
  ordering: ['created_at'],
  methods: ['list', 'get'],
});

export const blackholedemail = resource({
  name: 'blackholedemail',
  about: 'an address that is never mailed, whatever list it is on',
  area: 'Users',
  entity: BlackholedEmail,
  fields: { email: EMAIL },
  caseless: ['email'],
  filtering: { id: SINCE, email: ['exact', 'iexact', 'in'], created_at: TIMES },
  ordering: ['email', 'created_at'],
  hooks: {
    beforeCreate: ({ values }) => inLowerCase(values),
    beforeUpdate: ({ values }) => inLowerCase(values),
  },
});

function inLowerCase(values: Record<string, unknown>): void {
  if (typeof values['email'] === 'string') values['email'] = lowerCase(values['email']);
}
