import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, flag, id, status, text, updatedAt } from '../columns.ts';
import { Action, Page } from '../pages/page.ts';
import { User } from '../people/user.ts';

/** Events belong to campaigns; mailings target by them, and users create and join them. */
export const Campaign = defineEntity({
  name: 'Campaign',
  tableName: 'events_campaign',
  properties: {
    id: id(),
    name: p.text().unique(),
    title: text(),
    description: text(),
    hidden: flag(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

const address = {
  venue: text(),
  address1: text().fieldName('address1'),
  address2: text().fieldName('address2'),
  city: text(),
  state: text(),
  region: text(),
  zip: text(),
  plus4: text().fieldName('plus4'),
  postal: text(),
  country: text(),
};

export const Event = defineEntity({
  name: 'Event',
  tableName: 'events_event',
  properties: {
    id: id(),
    campaign: () => p.manyToOne(Campaign).deleteRule('cascade').index(),
    creator: () => p.manyToOne(User).nullable().deleteRule('set null').index(),
    /** It was made with, on a page. */
    action: () => p.manyToOne(Action).nullable().deleteRule('set null').index(),
    title: text(),
    ...address,
    usDistrict: text(),
    usCounty: text(),
    longitude: p.double().nullable(),
    latitude: p.double().nullable(),
    startsAt: p.datetime(6).nullable(),
    endsAt: p.datetime(6).nullable(),
    publicDescription: text(),
    directions: text(),
    noteToAttendees: text(),
    maxAttendees: p.integer().nullable(),
    isPrivate: flag(),
    /** By staff. Nobody has to: only what was refused is not found. */
    isApproved: flag(true),
    hostIsConfirmed: flag(true),
    status: status(['active', 'cancelled', 'deleted'], 'active'),
    fields: p.json<Record<string, unknown>>().defaultRaw(`'{}'::jsonb`),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** A number for each custom field of an event, by which clients change it alone; the database keeps these beside the fields, whose values stand there. */
export const EventField = defineEntity({
  name: 'EventField',
  tableName: 'events_eventfield',
  properties: {
    id: id(),
    event: () => p.manyToOne(Event).deleteRule('cascade'),
    name: p.text(),
  },
  indexes: [{ name: 'events_eventfield_name_index', properties: ['name', 'id'] }],
  uniques: [{ name: 'events_eventfield_event_name_key', properties: ['event', 'name'] }],
});

export const EventSignup = defineEntity({
  name: 'EventSignup',
  tableName: 'events_eventsignup',
  properties: {
    id: id(),
    user: () => p.manyToOne(User).deleteRule('cascade'),
    event: () => p.manyToOne(Event).deleteRule('cascade').index(),
    page: () => p.manyToOne(Page).nullable().deleteRule('set null').index(),
    /** It was made or renewed with. */
    action: () => p.manyToOne(Action).nullable().deleteRule('set null').index(),
    role: status(['attendee', 'host'], 'attendee'),
    status: status(['active', 'cancelled'], 'active'),
    fields: p.json<Record<string, unknown>>().defaultRaw(`'{}'::jsonb`),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    { name: 'events_eventsignup_created_at_index', properties: ['createdAt', 'id'] },
    { name: 'events_eventsignup_updated_at_index', properties: ['updatedAt', 'id'] },
  ],
  uniques: [{ name: 'events_eventsignup_user_event_key', properties: ['user', 'event', 'role'] }],
});

/** What a page of type eventcreate or eventsignup has beyond any page. */
export const EventPage = defineEntity({
  name: 'EventPage',
  tableName: 'events_eventpage',
  properties: {
    page: () => p.oneToOne(Page).primary().deleteRule('cascade').owner().fieldName('page_ptr_id'),
    campaign: () => p.manyToOne(Campaign).deleteRule('cascade').index(),
  },
});
