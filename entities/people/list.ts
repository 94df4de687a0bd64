import { defineEntity, p } from '@mikro-orm/core';
import { SUBSCRIPTION_CHANGES } from '../../domain/words.ts';
import { createdAt, flag, id, text, updatedAt } from '../columns.ts';
import { User } from './user.ts';

export const List = defineEntity({
  name: 'List',
  tableName: 'core_list',
  properties: {
    id: id(),
    name: p.text().unique(),
    notes: text(),
    hidden: flag(),
    isDefault: flag(),
    isReengagement: flag(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    { name: 'core_list_default_key', expression: 'create unique index core_list_default_key on core_list (is_default) where is_default' },
    {
      name: 'core_list_reengagement_key',
      expression: 'create unique index core_list_reengagement_key on core_list (is_reengagement) where is_reengagement',
    },
  ],
});

export const Subscription = defineEntity({
  name: 'Subscription',
  tableName: 'core_subscription',
  properties: {
    id: id(),
    user: () => p.manyToOne(User).deleteRule('cascade'),
    list: () => p.manyToOne(List).deleteRule('cascade'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  uniques: [
    { name: 'core_subscription_user_list_key', properties: ['user', 'list'] },
    // The other way round for targeting: everyone on a list, read from the index alone.
    { name: 'core_subscription_list_user_key', properties: ['list', 'user'] },
  ],
});

export const SubscriptionHistory = defineEntity({
  name: 'SubscriptionHistory',
  tableName: 'core_subscriptionhistory',
  properties: {
    id: id(),
    user: () => p.manyToOne(User).deleteRule('cascade').index(),
    list: () => p.manyToOne(List).deleteRule('cascade').index(),
    change: p.enum(SUBSCRIPTION_CHANGES),
    action: p.integer().nullable(),
    createdAt: createdAt(),
  },
});

/** An address that is never mailed, whatever list it is on. Stored in lower case. */
export const BlackholedEmail = defineEntity({
  name: 'BlackholedEmail',
  tableName: 'core_blackholedemail',
  properties: { id: id(), email: p.text().unique(), createdAt: createdAt() },
});
