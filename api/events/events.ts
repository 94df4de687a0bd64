import { centroidOf } from '../../core/geo/zip-centroids.ts';
import { Campaign, Event, EventSignup } from '../../entities/events/event.ts';
import { type Change, resource } from '../resource/declare.ts';
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

/** An event is where its zip is, unless its place is said: mailings look for people near it. */
async function placeEvent({ values, sql }: Change): Promise<void> {
  const zip = typeof values['zip'] === 'string' ? values['zip'].slice(0, 5) : '';
  const point = zip && values['latitude'] === undefined && values['longitude'] === undefined ? centroidOf(zip) : null;
  if (point) Object.assign(values, { latitude: point.latitude, longitude: point.longitude });
  if (!zip) return;
  // A zip that lies in several districts decides none.
  const places = await sql<{ kind: string; place: string }>(
    'select kind, min(place) as place from geo_zipplace where zip = $1 group by kind having count(*) = 1',
    [zip],
  );
  for (const [property, kind] of [
    ['usDistrict', 'us_district'],
    ['usCounty', 'us_county'],
  ] as const) {
    values[property] ??= places.find((place) => place.kind === kind)?.place ?? '';
  }
}

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
  hooks: { beforeCreate: placeEvent, beforeUpdate: placeEvent },
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
