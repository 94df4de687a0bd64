import { defineEntity, p } from '@mikro-orm/core';
import { SUBSCRIPTION_STATUSES } from '../../domain/words.ts';
import { createdAt, flag, id, status, text, updatedAt } from '../columns.ts';
import { Language } from './language.ts';
import { UserGroup } from './user-group.ts';

/** A person on the lists. Email is unique without regard to case (index `core_user_email_key` on lower(email)). */
export const User = defineEntity({
  name: 'User',
  tableName: 'core_user',
  properties: {
    id: id(),
    email: p.text(),
    prefix: text(),
    firstName: text(),
    middleName: text(),
    lastName: text(),
    suffix: text(),
    address1: text().fieldName('address1'),
    address2: text().fieldName('address2'),
    city: text(),
    state: text(),
    region: text(),
    zip: text(),
    plus4: text().fieldName('plus4'),
    postal: text(),
    country: text(),
    source: text(),
    lang: () => p.manyToOne(Language).nullable().deleteRule('set null'),
    randId: p.integer().defaultRaw('((random() * (1000000000)::double precision))::integer'),
    groups: () => p.manyToMany(UserGroup).pivotEntity(() => UserInGroup),
    subscriptionStatus: status(SUBSCRIPTION_STATUSES, 'never'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    { name: 'core_user_email_key', expression: 'create unique index core_user_email_key on core_user (lower(email))' },
    // Where the server has pg_trgm.
    {
      name: 'core_user_parts_index',
      expression:
        'create index core_user_parts_index on core_user using gin (email trigram.gin_trgm_ops, first_name trigram.gin_trgm_ops, last_name trigram.gin_trgm_ops)',
    },
    { name: 'core_user_created_at_index', properties: ['createdAt', 'id'] },
    { name: 'core_user_updated_at_index', properties: ['updatedAt', 'id'] },
    { name: 'core_user_lang_index', properties: ['lang', 'id'] },
    { name: 'core_user_state_index', properties: ['state', 'id'] },
    { name: 'core_user_region_index', expression: "create index core_user_region_index on core_user (region) where region > ''" },
    { name: 'core_user_country_index', properties: ['country', 'id'] },
    { name: 'core_user_zip_index', properties: ['zip', 'id'] },
    { name: 'core_user_last_name_index', properties: ['lastName', 'id'] },
    { name: 'core_user_first_name_index', properties: ['firstName', 'id'] },
    { name: 'core_user_city_index', properties: ['city', 'id'] },
    { name: 'core_user_email_index', properties: ['email', 'id'] },
    { name: 'core_user_source_index', properties: ['source', 'id'] },
    { name: 'core_user_subscription_status_index', properties: ['subscriptionStatus', 'id'] },
  ],
});

/** An address somebody had before, in lower case. Written by a trigger where it is changed, by the merge of those who are merged; kept until they are erased. */
export const FormerEmail = defineEntity({
  name: 'FormerEmail',
  tableName: 'core_formeremail',
  properties: {
    user: () => p.manyToOne(User).primary().updateRule('cascade').deleteRule('cascade'),
    email: p.text().primary(),
    /** When it was one of before. */
    createdAt: createdAt(),
  },
});

/** That a person is in a group. */
export const UserInGroup = defineEntity({
  name: 'UserInGroup',
  tableName: 'core_user_groups',
  properties: {
    user: () => p.manyToOne(User).primary().updateRule('cascade').deleteRule('cascade'),
    group: () => p.manyToOne(UserGroup).primary().updateRule('cascade').deleteRule('cascade').fieldName('usergroup_id'),
  },
  indexes: [{ name: 'core_user_groups_usergroup_id_index', properties: ['group', 'user'] }],
});

/** One value of a custom field of a user; a field with a list of values has several rows. */
export const UserField = defineEntity({
  name: 'UserField',
  tableName: 'core_userfield',
  properties: {
    id: id(),
    parent: () => p.manyToOne(User).deleteRule('cascade'),
    name: p.text(),
    value: text(),
  },
  indexes: [
    { name: 'core_userfield_name_index', properties: ['name', 'id'] },
    { name: 'core_userfield_parent_index', properties: ['parent', 'name'] },
  ],
});

/** A custom field users may have; declared by hand, or by its first use unless STRICT_USER_FIELDS. */
export const AllowedUserField = defineEntity({
  name: 'AllowedUserField',
  tableName: 'core_alloweduserfield',
  properties: {
    id: id(),
    name: p.text().unique(),
    displayName: text(),
    description: text(),
    hidden: flag(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
