import type { Sql } from '../../db/sql.ts';
import { isZip, partsOfZip } from '../../domain/people/address.ts';
import { WITH_AMERICAN_ZIPS } from '../../domain/people/american-zips.ts';
import { centroidOf } from '../geo/zip-centroids.ts';
import { stateAfter, stateOf } from './event-state.ts';

/** The parts of an event that say where it is, by property. */
interface Placed {
  zip?: unknown;
  plus4?: unknown;
  postal?: unknown;
  country?: unknown;
  state?: unknown;
  latitude?: unknown;
  longitude?: unknown;
  usDistrict?: unknown;
  usCounty?: unknown;
}

const PLACE = ['latitude', 'longitude', 'usDistrict', 'usCounty'] as const;

/** An event is where its zip in the United States is, unless its place is said: mailings look for people near it. Adds to the values about to be written. */
export async function placeEvent(sql: Sql, values: Placed): Promise<void> {
  takePostal(values);
  values.state = stateOf({ zip: zipOf(values), country: values.country, state: values.state });
  await placeByZip(sql, values);
}

/** A postal code in the United States is the zip where no other is said: clients of the public platform, which keeps the two alike, send it alone. */
function takePostal(values: Placed, before: Placed = {}): void {
  const said = values.zip !== undefined && textOf(values.zip) !== '' && values.zip !== before.zip;
  if (said || values.postal === undefined || values.postal === before.postal) return;
  const parts = isAmerican(values.country ?? before.country) ? partsOfZip(textOf(values.postal)) : null;
  if (parts) Object.assign(values, parts);
}

async function placeByZip(sql: Sql, values: Placed): Promise<void> {
  const zip = zipOf(values);
  const point = zip ? centroidOf(zip) : null;
  if (point && values.latitude === undefined && values.longitude === undefined) {
    Object.assign(values, { latitude: point.latitude, longitude: point.longitude });
  }
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

/**
 * The same for a change of event `id`. What moves it by its zip takes it away from where it was, also to where nobody knows, and who sends the whole event back
 * says nothing of its place by what it was.
 */
export async function placeChangedEvent(sql: Sql, id: number, values: Placed): Promise<void> {
  if ([values.zip, values.postal, values.country, values.state].every((part) => part === undefined)) return;
  const [before] = await sql<Required<Placed>>(
    `select zip, plus4, postal, country, state, latitude, longitude, us_district as "usDistrict", us_county as "usCounty" from events_event where id = $1`,
    [id],
  );
  if (!before) return;
  takePostal(values, before);
  const place: Placed = { zip: values.zip ?? before.zip, country: values.country ?? before.country };
  values.state = stateAfter({ ...before, zip: zipOf(before) }, { zip: zipOf(place), country: place.country, state: values.state });
  if (values.zip === undefined && values.country === undefined) return;
  const moved = zipOf(place) !== zipOf(before) && (values.zip !== undefined || isByItsZip(before));
  if (!moved && values.zip === undefined) return;
  for (const property of PLACE) if (!moved || values[property] !== before[property]) place[property] = values[property];
  if (moved && place.latitude === undefined && place.longitude === undefined) Object.assign(values, { latitude: null, longitude: null });
  await placeByZip(sql, place);
  for (const property of PLACE) if (place[property] !== undefined) values[property] = place[property];
  if (moved) for (const property of ['usDistrict', 'usCounty'] as const) values[property] = place[property] ?? '';
}

/** Five digits; empty where there is none in the United States. */
function zipOf({ zip, country }: Placed): string {
  const said = textOf(zip);
  return isAmerican(country) && isZip(said) ? said.slice(0, 5) : '';
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
const isAmerican = (country: unknown): boolean => WITH_AMERICAN_ZIPS.includes(textOf(country).toLowerCase());

/** Whether nobody has said another place than that of the zip. */
function isByItsZip(event: Placed): boolean {
  const point = centroidOf(zipOf(event));
  return event.latitude === (point?.latitude ?? null) && event.longitude === (point?.longitude ?? null);
}
