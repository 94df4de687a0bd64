import { Campaign, Event, EventSignup } from '../../entities/events/event.ts';
import { resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';

export const campaign = resource({
  name: 'campaign',
  about: 'a campaign of events, which mailings target by',
  area: 'Events',
  entity: Campaign,
  fields: { name: { trim: true } },
  filtering: { id: SINCE, name: 'all', title: 'all', hidden: EXACT, created_at: SINCE, updated_at: SINCE },
  ordering: ['name', 'title', 'created_at', 'updated_at'],
});

export const event = resource({
  name: 'event',
  about: 'an event of a campaign',
  area: 'Events',
  entity: Event,
  fields: { fields: { help: 'Custom fields of the event.' } },
  filtering: {
    id: SINCE,
    campaign: 'joins',
    creator: 'joins',
    status: EXACT,
    state: 'all',
    zip: 'all',
    starts_at: SINCE,
    created_at: SINCE,
    updated_at: SINCE,
  },
  ordering: ['starts_at', 'created_at', 'updated_at'],
});

export const eventsignup = resource({
  name: 'eventsignup',
  about: 'that a user comes to an event',
  area: 'Events',
  entity: EventSignup,
  fields: { fields: { help: 'Custom fields of the signup.' } },
  filtering: { id: SINCE, user: 'joins', event: 'joins', role: EXACT, status: EXACT, created_at: SINCE, updated_at: SINCE },
  ordering: ['created_at', 'updated_at'],
  uniqueKeys: [
    {
      constraint: 'events_eventsignup_user_event_key',
      field: 'event',
      where: 't.user_id = $1 and t.event_id = $2 and t.role = $3',
      properties: ['user', 'event', 'role'],
    },
  ],
});
