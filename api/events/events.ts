import { clearCampaign } from '../../core/events/clear-campaign.ts';
import {
  addEventField,
  changeEventField,
  type EventFieldValue,
  fieldsGiven,
  holdEventOf,
  removeEventField,
} from '../../core/events/event-fields.ts';
import { placeChangedEvent, placeEvent } from '../../core/events/place-event.ts';
import { isPageOfType } from '../../core/pages/find-page.ts';
import { holdPerson } from '../../core/people/hold-person.ts';
import { InputError } from '../../domain/errors.ts';
import { readWrittenTime } from '../../domain/form-times.ts';
import { NO_FIELD } from '../../domain/people/field-room.ts';
import { withoutNulls } from '../../domain/values.ts';
import { Campaign, Event, EventField, EventSignup } from '../../entities/events/event.ts';
import { fragment } from '../../entities/tables.ts';
import { type Change, type FieldOverride, type ResourceDeclaration, resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';
import { belonging } from '../users/user.ts';

const CAMPAIGNS = {
  about: 'a campaign of events, which mailings target by',
  area: 'Events',
  entity: Campaign,
  fields: {
    name: { trim: true },
    events: belonging('event', 'campaign'),
    event_search: {
      help: 'Its events that take place, for the public: filtered like the collection of events.',
      schema: { type: 'string', format: 'uri-reference' },
      show: ({ id }) => `/rest/v1/campaign/${id}/event_search/`,
    },
  },
  filtering: { id: SINCE, name: 'all', title: 'all', hidden: EXACT, created_at: SINCE, updated_at: SINCE },
  ordering: ['name', 'title', 'created_at', 'updated_at'],
  permission: 'campaign',
  hooks: { deletePart: ({ sql, id }) => clearCampaign(sql, id) },
} satisfies Partial<ResourceDeclaration>;

export const campaign = resource({ ...CAMPAIGNS, name: 'campaign', alsoKnownAs: ['eventcampaign'] });

/** The same under the name clients of the public platform use. */
export const eventcampaign = resource({ ...CAMPAIGNS, name: 'eventcampaign', alsoKnownAs: ['campaign'] });

const readFields = ({ values }: Change) => {
  if (values['fields']) values['fields'] = fieldsGiven(values['fields'] as Record<string, unknown>);
};
const beforeCreate = (change: Change) => {
  readFields(change);
  return placeEvent(change.sql, change.values);
};
const beforeUpdate = (change: Change) => {
  readFields(change);
  return placeChangedEvent(change.sql, change.id, change.values);
};

/** Clients read the times of events under the names of the public platform, whose starts_at and ends_at are those of the place. */
const inUtc = (column: 'starts_at' | 'ends_at'): FieldOverride => ({
  kind: 'datetime',
  nullable: true,
  readonly: true,
  show: (row) => row[column],
  help: `The same as ${column}, which is in UTC, too.`,
});

export const event = resource({
  name: 'event',
  about: 'an event of a campaign',
  area: 'Events',
  entity: Event,
  fields: {
    campaign: { alsoNamed: ['campaign_id'] },
    starts_at: { read: readWrittenTime },
    ends_at: { read: readWrittenTime },
    starts_at_utc: inUtc('starts_at'),
    ends_at_utc: inUtc('ends_at'),
    attendee_count: {
      kind: 'integer',
      readonly: true,
      help: 'How many come: active signups, without hosts.',
      sql: `(select count(*)::int from events_eventsignup s where s.event_id = t.id and s.role = 'attendee' and s.status = 'active')`,
    },
    is_approved: { help: 'Whether staff let it be found: event_search leaves others out.' },
    host_is_confirmed: { help: 'Whether its host is known to be one: event_search leaves others out.' },
    note_to_attendees: { help: 'What its host has to say to those who come.' },
    action: { readonly: true, help: 'The action it was made with.' },
    fields: { nullIsAbsent: true, help: 'Custom fields of the event; null is none.' },
    signups: belonging('eventsignup', 'event'),
  },
  filterNames: { campaign_id: 'campaign' },
  filtering: {
    id: SINCE,
    campaign: 'joins',
    campaign_id: EXACT,
    creator: 'joins',
    status: EXACT,
    is_private: EXACT,
    is_approved: EXACT,
    host_is_confirmed: EXACT,
    title: 'all',
    city: 'all',
    state: 'all',
    zip: 'all',
    starts_at: SINCE,
    created_at: SINCE,
    updated_at: SINCE,
  },
  ordering: ['starts_at', 'created_at', 'updated_at'],
  hooks: {
    beforeCreate,
    beforeHold: ({ sql, id, values }) => holdPerson(sql, 'events_event', id, { next: values['creator'] }),
    beforeUpdate,
  },
});

const FIELD_VALUE = 'e.fields #>> array[t.name]';

export const eventfield = resource({
  name: 'eventfield',
  about: 'one custom field of an event',
  area: 'Events',
  entity: EventField,
  fields: {
    event: { help: 'The event; filters may call it parent.' },
    name: { maxLength: 255, check: (name: string) => (name === NO_FIELD ? `must not be ${NO_FIELD}` : undefined) },
    value: {
      kind: 'string',
      readonly: false,
      required: true,
      help: 'Its value; one that is no text, as its JSON.',
      sql: `(select ${FIELD_VALUE} from events_event e where e.id = t.event_id)`,
      filteredBy: {
        column: fragment`v.value`,
        where: (condition, alias) =>
          fragment`exists (select from events_event e, lateral (select e.fields #>> array[${alias}.name] as value) v where e.id = ${alias}.event_id and ${condition})`,
      },
    },
  },
  filterNames: { parent: 'event' },
  filtering: { id: SINCE, event: 'joins', parent: 'joins', name: 'all', value: 'all' },
  ordering: ['name'],
  permission: 'event',
  uniqueKeys: [{ constraint: 'events_eventfield_event_name_key', field: 'name', properties: ['event', 'name'] }],
  hooks: {
    create: async (change) => {
      change.id = await addEventField(change.sql, fieldOf(change) as EventFieldValue);
    },
    beforeHold: ({ sql, id, values }) => holdEventOf(sql, id, values['event'] as number | undefined),
    beforeUpdate: (change) => changeEventField(change.sql, change.id, fieldOf(change)),
    delete: ({ sql, id }) => removeEventField(sql, id),
  },
});

const fieldOf = ({ values, extra }: Change): Partial<EventFieldValue> => ({ ...values, ...extra });

export const eventsignup = resource({
  name: 'eventsignup',
  about: 'that a user comes to an event',
  area: 'Events',
  entity: EventSignup,
  fields: {
    page: {
      help: 'The page of events it was made on.',
      sql: `(select p.type || 'page/' || p.id from core_page p where p.id = t.page_id)`,
      show: ({ page }) => (page === null ? null : `/rest/v1/${page}/`),
    },
    action: { readonly: true, help: 'The action it was made with.' },
    fields: { nullIsAbsent: true, help: 'Custom fields of the signup; null is none.' },
  },
  filtering: { id: SINCE, user: 'joins', event: 'joins', page: 'joins', role: EXACT, status: EXACT, created_at: SINCE, updated_at: SINCE },
  ordering: ['created_at', 'updated_at'],
  uniqueKeys: [
    {
      constraint: 'events_eventsignup_user_event_key',
      field: 'event',
      properties: ['user', 'event', 'role'],
    },
  ],
  hooks: {
    beforeCreate: ofEvents,
    beforeHold: ({ sql, id, values }) => holdPerson(sql, 'events_eventsignup', id, { next: values['user'] }),
    beforeUpdate: ofEvents,
  },
  plain: ({ values }) => (values['page'] ?? null) === null && !values['fields'],
});

/** @throws InputError for a page that has nothing to do with events */
async function ofEvents({ sql, values }: Change): Promise<void> {
  if (values['fields']) values['fields'] = withoutNulls(values['fields'] as Record<string, unknown>);
  const page = values['page'] as number | null | undefined;
  if (page === undefined || page === null) return;
  for (const type of ['eventsignup', 'eventcreate'] as const) if (await isPageOfType(sql, page, type)) return;
  throw new InputError({ page: 'page must be an eventsignuppage or an eventcreatepage.' });
}
