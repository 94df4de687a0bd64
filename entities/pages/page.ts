import { defineEntity, p } from '@mikro-orm/core';
import { PAGE_TYPES } from '../../domain/words.ts';
import { createdAt, flag, id, status, text, updatedAt } from '../columns.ts';
import { Tag } from '../mailings/tag.ts';
import { Language } from '../people/language.ts';
import { List } from '../people/list.ts';
import { User } from '../people/user.ts';
import { MultilingualCampaign } from './multilingual-campaign.ts';

/** A page that takes actions; its type decides what an action on it does. */
export const Page = defineEntity({
  name: 'Page',
  tableName: 'core_page',
  properties: {
    id: id(),
    name: p.text().unique(),
    title: text(),
    type: p.enum(PAGE_TYPES),
    status: status(['active', 'inactive'], 'active'),
    url: text(),
    hidden: flag(),
    goal: p.integer().nullable(),
    goalType: text(),
    fields: p.json<Record<string, unknown>>().defaultRaw(`'{}'::jsonb`),
    requiredFields: p.json<string[]>().defaultRaw(`'[]'::jsonb`),
    list: () => p.manyToOne(List).nullable().deleteRule('set null'),
    language: () => p.manyToOne(Language).nullable().deleteRule('set null'),
    multilingualCampaign: () => p.manyToOne(MultilingualCampaign).nullable().deleteRule('set null'),
    tags: () => p.manyToMany(Tag).pivotTable('core_page_tags'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [{ name: 'core_page_multilingual_campaign_index', properties: ['multilingualCampaign', 'id'] }],
});

/** Something a person did on a page. `mailing` and `referringUser` come from the akid it was done with. */
export const Action = defineEntity({
  name: 'Action',
  tableName: 'core_action',
  properties: {
    id: id(),
    user: () => p.manyToOne(User).deleteRule('cascade'),
    page: () => p.manyToOne(Page).deleteRule('cascade'),
    mailing: p.integer().nullable().fieldName('mailing_id'),
    /** Which of the mailing's subjects this person was sent, as a trigger found when it was taken (entities/mailings/tally.ts). */
    mailingPlace: p.integer().nullable().hidden(),
    referringUser: p.integer().nullable().fieldName('referring_user_id'),
    referringMailing: p.integer().nullable().fieldName('referring_mailing_id'),
    source: text(),
    link: p.integer().nullable(),
    opqId: text(),
    createdUser: flag(),
    subscribedUser: flag(),
    isForwarded: flag(),
    status: status(['incomplete', 'complete', 'failed'], 'complete'),
    ipAddress: p.text().nullable(),
    takenWith: text(),
    /** Of one that comes of a mailing: it was done on a page for leaving, as a trigger found (entities/mailings/tally.ts). */
    leaves: flag().hidden(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    { name: 'core_action_created_at_index', properties: ['createdAt', 'id'] },
    { name: 'core_action_page_index', properties: ['page', 'id'] },
    { name: 'core_action_source_index', properties: ['source', 'id'] },
    { name: 'core_action_status_index', properties: ['status', 'id'] },
    { name: 'core_action_updated_at_index', properties: ['updatedAt', 'id'] },
    { name: 'core_action_user_index', properties: ['user', 'id'] },
    // Of those that have one: most actions come from no mailing and no referrer.
    {
      name: 'core_action_mailing_id_index',
      expression: 'create index core_action_mailing_id_index on core_action (mailing_id) where mailing_id is not null',
    },
    {
      name: 'core_action_referring_user_id_index',
      expression: 'create index core_action_referring_user_id_index on core_action (referring_user_id) where referring_user_id is not null',
    },
  ],
});

export const ActionField = defineEntity({
  name: 'ActionField',
  tableName: 'core_actionfield',
  properties: {
    id: id(),
    parent: () => p.manyToOne(Action).deleteRule('cascade').index(),
    name: p.text(),
    value: text(),
  },
  indexes: [{ name: 'core_actionfield_name_index', properties: ['name', 'id'] }],
});
