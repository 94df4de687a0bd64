import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { readFormDay, readFormTime, readHalf, readWrittenTime } from '../../domain/form-times.ts';
import { idNamed } from '../../domain/uris.ts';
import { readInteger, readShortText, readTimestamp } from '../../domain/values.ts';
import type { RecordedAction } from '../actions/submission.ts';
import type { CustomFields } from '../people/custom-fields.ts';
import { placeEvent } from './place-event.ts';

const TEXTS = {
  title: 'event_title',
  venue: 'event_venue',
  address1: 'event_address1',
  address2: 'event_address2',
  city: 'event_city',
  state: 'event_state',
  region: 'event_region',
  zip: 'event_zip',
  postal: 'event_postal',
  country: 'event_country',
  public_description: 'event_public_description',
  directions: 'event_directions',
  note_to_attendees: 'event_note_to_attendees',
} as const;

const LONGEST = 65_535;

/** An action on a page of type eventcreate makes an event of the page's campaign, whose host is the person. @throws InputError */
export async function createEvent(sql: Sql, action: RecordedAction): Promise<void> {
  const { submission, pageId, userId, actionId } = action;
  const campaignId = await campaignOf(sql, pageId);
  const texts = Object.entries(TEXTS).map(([column, field]) => [
    column,
    read(submission.given, field, (value) => readShortText(value, LONGEST)) ?? '',
  ]);
  const values: Record<string, unknown> = {
    ...Object.fromEntries(texts),
    starts_at: readTime(submission.given, 'event_starts_at'),
    ends_at: readTime(submission.given, 'event_ends_at'),
    max_attendees: read(submission.given, 'event_max_attendees', readInteger),
  };
  const { zip: said, postal, country, state: saidState } = values;
  const place: Parameters<typeof placeEvent>[1] = { zip: said, postal, country, state: saidState };
  await placeEvent(sql, place);
  const { zip, plus4 = '', state, latitude = null, longitude = null, usDistrict = '', usCounty = '' } = place;
  const row = {
    ...values,
    fields: JSON.stringify(ownFields(submission.actionFields)),
    zip,
    plus4,
    state,
    campaign_id: campaignId,
    creator_id: userId,
    action_id: actionId,
    latitude,
    longitude,
    us_district: usDistrict,
    us_county: usCounty,
  };
  const columns = Object.keys(row);
  const [event] = await sql<{ id: number }>(
    `insert into events_event (${columns.join(', ')}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')}) returning id`,
    Object.values(row),
  );
  await join(sql, action, event!.id, 'host');
}

/** What hosts say of an event in fields of their own is said of the event, too: of it, and not of the action, reports and clients ask. */
const ownFields = (fields: CustomFields): Record<string, string | string[]> =>
  Object.fromEntries(
    [...fields].flatMap(([name, values]) => (values.length === 0 ? [] : [[name, values.length === 1 ? values[0]! : values]])),
  );

/** An action on a page of type eventsignup has the person come to the event it names. @throws InputError */
export async function signUp(sql: Sql, action: RecordedAction): Promise<void> {
  const eventId = read(action.submission.given, 'event_id', (value) => readInteger(idNamed(value, 'event')));
  if (eventId === null) throw new InputError({ event_id: 'event_id is required.' });
  const campaignId = await campaignOf(sql, action.pageId);
  // Held, so that the last place is given once.
  const [event] = await sql<{ max_attendees: number | null; status: string }>(
    'select max_attendees, status from events_event where id = $1 and campaign_id = $2 for update',
    [eventId, campaignId],
  );
  if (!event) throw new InputError({ event_id: `There is no event ${eventId} in the campaign of this page.` });
  if (event.status !== 'active') throw new InputError({ event_id: 'This event does not take place.' });
  const [others] = await sql<{ count: number }>(
    `select count(*)::int as count from events_eventsignup where event_id = $1 and role = 'attendee' and status = 'active' and user_id <> $2`,
    [eventId, action.userId],
  );
  if (event.max_attendees !== null && others!.count >= event.max_attendees) throw new InputError({ event_id: 'This event is full.' });
  await join(sql, action, eventId, 'attendee');
}

async function join(sql: Sql, { pageId, userId, actionId }: RecordedAction, eventId: number, role: 'host' | 'attendee'): Promise<void> {
  await sql(
    `insert into events_eventsignup (user_id, event_id, role, page_id, action_id) values ($1, $2, $3, $4, $5)
     on conflict (user_id, event_id, role) do update set status = 'active', page_id = excluded.page_id, action_id = excluded.action_id, updated_at = now()`,
    [userId, eventId, role, pageId, actionId],
  );
}

/** @throws InputError when the page's campaign has been deleted */
async function campaignOf(sql: Sql, pageId: number): Promise<number> {
  const [row] = await sql<{ campaign_id: number }>('select campaign_id from events_eventpage where page_ptr_id = $1', [pageId]);
  if (!row) throw new InputError({ page: 'This page belongs to no event campaign.' });
  return row.campaign_id;
}

/** A time in one field, or in parts, as forms of the public platform have it: `event_starts_at_date`, `…_time` and `…_ampm`. @throws InputError */
function readTime(given: Record<string, unknown>, field: string): string | null {
  const whole = read(given, field, readWrittenTime);
  const day = whole === null ? read(given, `${field}_date`, readFormDay) : null;
  if (day === null) return whole;
  const half = read(given, `${field}_ampm`, readHalf);
  const time = read(given, `${field}_time`, (value) => readFormTime(value, half));
  if (time === null) throw new InputError({ [`${field}_time`]: `${field}_time is required beside ${field}_date.` });
  return readTimestamp(`${day}T${time}`);
}

function read<Value>(given: Record<string, unknown>, field: string, how: (value: unknown) => Value): Value | null {
  const value = Object.hasOwn(given, field) ? given[field] : undefined;
  if (value === undefined || value === null || value === '') return null;
  try {
    return how(value);
  } catch (error) {
    throw new InputError({ [field]: `${field} ${(error as Error).message}.` });
  }
}
