import type { Sql } from '../../db/sql.ts';
import { centroidOf } from '../geo/zip-centroids.ts';

/** The parts of an event that say where it is, by property. */
interface Placed {
  zip?: unknown;
  latitude?: unknown;
  longitude?: unknown;
  usDistrict?: unknown;
  usCounty?: unknown;
}

/** An event is where its zip is, unless its place is said: mailings look for people near it. Adds to the values about to be written. */
export async function placeEvent(sql: Sql, values: Placed): Promise<void> {
  const zip = typeof values.zip === 'string' ? values.zip.slice(0, 5) : '';
  const point = zip && values.latitude === undefined && values.longitude === undefined ? centroidOf(zip) : null;
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
