import { defineEntity, p } from '@mikro-orm/core';
import { JOB_STATUSES } from '../../domain/words.ts';
import { createdAt, id, status, text, updatedAt } from '../columns.ts';
import { User } from './user.ts';

/** A token that logs its user in on the platform's pages. Only its hash is kept: who reads the table can log in as nobody. */
export const LoginToken = defineEntity({
  name: 'LoginToken',
  tableName: 'core_logintoken',
  properties: {
    id: id(),
    user: () => p.manyToOne(User).deleteRule('cascade').index(),
    tokenHash: p.text().unique(),
    expiresAt: p.datetime(6).index(),
    createdAt: createdAt(),
  },
});

/**
 * A request to merge users, and what became of it. The users are bare ids: the merged ones are gone afterwards, the record stays.
 */
export const UserMerge = defineEntity({
  name: 'UserMerge',
  tableName: 'core_usermerge',
  properties: {
    id: id(),
    primaryUser: p.integer().fieldName('primary_user').index(),
    /** Links of their mails are followed to the one they have become (`core_present_user`). */
    users: p.json<number[]>().defaultRaw(`'[]'::jsonb`),
    addressUser: p.integer().fieldName('address_user'),
    sourceUser: p.integer().fieldName('source_user'),
    smsUser: p.integer().fieldName('sms_user').nullable(),
    /** Null: not given, so every subscription but the re-engagement list is merged. */
    lists: p.json<number[]>().nullable(),
    status: status(JOB_STATUSES, 'pending'),
    errors: p.json<string[]>().defaultRaw(`'[]'::jsonb`),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    { name: 'core_usermerge_updated_at_index', properties: ['updatedAt'] },
    // The few that are not over, among all there ever were.
    {
      name: 'core_usermerge_pending_index',
      expression: `create index core_usermerge_pending_index on core_usermerge (updated_at) where status = 'pending'`,
    },
    {
      name: 'core_usermerge_users_index',
      properties: ['users'],
      expression: `create index core_usermerge_users_index on core_usermerge using gin (users jsonb_path_ops) where status = 'complete'`,
    },
  ],
});

/** That somebody was erased, and how much of them: the address only as a keyed hash, so that "was this one erased?" can be answered. */
export const Erasure = defineEntity({
  name: 'Erasure',
  tableName: 'core_erasure',
  properties: {
    id: id(),
    user: p.integer().fieldName('user_id').index(),
    emailHash: text(),
    options: p.json<string[]>().defaultRaw(`'[]'::jsonb`),
    status: status(JOB_STATUSES, 'pending'),
    errors: p.json<string[]>().defaultRaw(`'[]'::jsonb`),
    /** Addresses that results of reports are still to be searched for; null once that is done. */
    toFind: p.array().columnType('text[]').nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    {
      name: 'core_erasure_open_index',
      expression: `create index core_erasure_open_index on core_erasure (updated_at) where status = 'pending' or to_find is not null`,
    },
    {
      name: 'core_erasure_complete_index',
      expression: `create index core_erasure_complete_index on core_erasure (updated_at) where status = 'complete'`,
    },
  ],
});
