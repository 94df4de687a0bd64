import { emptyList, subscribe, unsubscribe } from '../../core/people/subscribing.ts';
import { ConflictError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/uris.ts';
import { Language } from '../../entities/people/language.ts';
import { BlackholedEmail, List, Subscription, SubscriptionHistory } from '../../entities/people/list.ts';
import { usableAddress } from '../../mail/address.ts';
import { resource } from '../resource/declare.ts';
import { EXACT, SINCE, TIMES } from '../resource/operators.ts';

export const list = resource({
  name: 'list',
  about: 'a list people subscribe to',
  area: 'Users',
  entity: List,
  fields: { name: { trim: true } },
  filtering: { id: SINCE, name: 'all', hidden: EXACT, is_default: EXACT, is_reengagement: EXACT, created_at: TIMES, updated_at: TIMES },
  ordering: ['name', 'created_at', 'updated_at'],
  uniqueKeys: [
    { constraint: 'core_list_default_key', field: 'is_default', where: 't.is_default = $1', properties: ['isDefault'] },
    { constraint: 'core_list_reengagement_key', field: 'is_reengagement', where: 't.is_reengagement = $1', properties: ['isReengagement'] },
  ],
  hooks: { beforeDelete: ({ sql, id }) => emptyList(sql, id) },
});

export const language = resource({
  name: 'language',
  about: 'a language people are written to in',
  area: 'Users',
  entity: Language,
  fields: { name: { trim: true }, translations: { help: 'JSON as text.', show: ({ translations }) => translations || '{}' } },
  filtering: { id: SINCE, name: 'all', iso_code: 'all', hidden: EXACT, ordering: SINCE },
  ordering: ['name', 'iso_code', 'ordering'],
});

export const subscription = resource({
  name: 'subscription',
  about: 'that a person is on a list',
  area: 'Users',
  entity: Subscription,
  filtering: { id: SINCE, user: 'joins', list: 'joins', created_at: TIMES, updated_at: TIMES },
  ordering: ['created_at', 'updated_at'],
  methods: ['list', 'get', 'create', 'delete'],
  hooks: {
    create: async (change) => {
      const { user, list: listId } = change.values as { user: number; list: number };
      const [added] = await subscribe(change.sql, { userIds: [user], listIds: [listId], change: 'subscribe_api' });
      if (!added) {
        const [held] = await change.sql<{ id: number }>('select id from core_subscription where user_id = $1 and list_id = $2', [
          user,
          listId,
        ]);
        throw new ConflictError('user', String(user), held ? uriOf('subscription', held.id) : null);
      }
      change.id = added.id;
    },
    delete: async ({ sql, id }) => {
      const [held] = await sql<{ user_id: number; list_id: number }>('select user_id, list_id from core_subscription where id = $1', [id]);
      if (held) await unsubscribe(sql, { userIds: [held.user_id], listIds: [held.list_id], change: 'unsubscribe_admin' });
    },
  },
});

export const subscriptionhistory = resource({
  name: 'subscriptionhistory',
  about: 'that a person came on a list or left it',
  area: 'Users',
  entity: SubscriptionHistory,
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
  fields: { email: { trim: true, check: (email: string) => (usableAddress(email) === null ? 'is not an email address' : undefined) } },
  caseless: ['email'],
  filtering: { id: SINCE, email: ['exact', 'iexact', 'in'], created_at: TIMES },
  ordering: ['email', 'created_at'],
  hooks: {
    beforeCreate: ({ values }) => lowerCase(values),
    beforeUpdate: ({ values }) => lowerCase(values),
  },
});

function lowerCase(values: Record<string, unknown>): void {
  if (typeof values['email'] === 'string') values['email'] = values['email'].toLowerCase();
}
