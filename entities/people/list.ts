import { defineEntity, p } from '@mikro-orm/core';
import { JOB_STATUSES, SUBSCRIPTION_CHANGES } from '../../domain/words.ts';
import { createdAt, flag, id, status, text, updatedAt } from '../columns.ts';
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
  indexes: [
    { name: 'core_subscription_created_at_index', properties: ['createdAt', 'id'] },
    { name: 'core_subscription_list_index', properties: ['list', 'id'] },
    { name: 'core_subscription_updated_at_index', properties: ['updatedAt', 'id'] },
  ],
});

export const SubscriptionHistory = defineEntity({
  name: 'SubscriptionHistory',
  tableName: 'core_subscriptionhistory',
  properties: {
    id: id(),
    user: () => p.manyToOne(User).deleteRule('cascade'),
    /** None of a list that was deleted: of its history the lines of who left stay, since what mailings led to is counted by them. */
    list: () => p.manyToOne(List).deleteRule('set null').nullable(),
    change: p.enum(SUBSCRIPTION_CHANGES),
    action: p.integer().nullable(),
    /** Of a line that took somebody off a list: the mailing its action came of, kept here by triggers (entities/mailings/tally.ts). */
    mailing: p.integer().nullable().fieldName('mailing_id').hidden(),
    mailingPlace: p.integer().nullable().hidden(),
    createdAt: createdAt(),
  },
  indexes: [
    {
      name: 'core_subscriptionhistory_action_index',
      expression: 'create index core_subscriptionhistory_action_index on core_subscriptionhistory (action) where action is not null',
    },
    { name: 'core_subscriptionhistory_created_at_index', properties: ['createdAt', 'id'] },
    { name: 'core_subscriptionhistory_list_index', properties: ['list', 'id'] },
    { name: 'core_subscriptionhistory_user_index', properties: ['user', 'id'] },
  ],
});

/** That a list with very many people is being deleted, or was. The list is a bare id: it is gone afterwards, the record stays. */
export const ListDeletion = defineEntity({
  name: 'ListDeletion',
  tableName: 'core_listdeletion',
  properties: {
    id: id(),
    list: p.integer().fieldName('list_id'),
    /** On it when it was asked for. */
    people: p.integer().default(0),
    /** How many of them have been taken off it. */
    removed: p.integer().default(0),
    status: status(JOB_STATUSES, 'pending'),
    errors: p.json<string[]>().defaultRaw(`'[]'::jsonb`),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    {
      name: 'core_listdeletion_pending_key',
      expression: `create unique index core_listdeletion_pending_key on core_listdeletion (list_id) where status = 'pending'`,
    },
  ],
});

/** An address that is never mailed, whatever list it is on. Stored in lower case. */
export const BlackholedEmail = defineEntity({
  name: 'BlackholedEmail',
  tableName: 'core_blackholedemail',
  properties: { id: id(), email: p.text().unique(), createdAt: createdAt() },
});
