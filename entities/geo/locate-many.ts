import { type Address, UNITED_STATES, type ZipCentroid } from '../../domain/people/address.ts';
import { GEO_KINDS } from '../../domain/words.ts';
import type { Sql } from '../sql.ts';
import { centroidOf, countryCode, NOWHERE, timezoneAt } from './zip-centroids.ts';

/** A user whose address has been written. */
export interface Placed {
  userId: number;
  /** As it was received. */
  received: Address;
  /** As it is stored. */
  address: Address;
  american: boolean;
}

function pointOf({ country, zip }: Address): ZipCentroid | null {
  const centroid = country === UNITED_STATES ? centroidOf(zip) : null;
  return centroid && !NOWHERE.has(centroid.state) ? centroid : null;
}

const regionOf = ({ country, state, region }: Address): string => (country === UNITED_STATES ? state : region);

/** What `placeUser` does for one user, for many at once: keeps US addresses as received, makes locations anew. Run in the transaction of the write. */
export async function locateMany(sql: Sql, placed: Placed[]): Promise<void> {
  if (placed.length === 0) return;
  const originals = placed.filter(
    ({ american, received }) => american && (received.address1 || received.city || received.state || received.zip),
  );
  const parts = ['address1', 'address2', 'city', 'state', 'zip'] as const;
  await sql(
    `insert into core_user_original (user_id, ${parts.join(', ')}) select * from unnest($1::int[], ${parts.map((_, index) => `$${index + 2}::text[]`).join(', ')})
     on conflict (user_id) do nothing`,
    [originals.map(({ userId }) => userId), ...parts.map((part) => originals.map(({ received }) => received[part]))],
  );
  const known = placed.flatMap((each) => {
    const code = countryCode(each.address.country);
    return code ? [{ ...each, code, point: pointOf(each.address) }] : [];
  });
  const somewhere = new Set(known.map(({ userId }) => userId));
  const nowhere = placed.map(({ userId }) => userId).filter((userId) => !somewhere.has(userId));
  if (nowhere.length > 0) await sql('delete from core_location where user_id = any($1::int[])', [nowhere]);
  const place = (kind: string) =>
    `coalesce((select min(z.place) from geo_zipplace z where z.zip = x.zip and z.kind = '${kind}' having count(*) = 1), '')`;
  const set = ['country_code', 'region_code', 'latitude', 'longitude', 'lat_lon_precision', 'timezone', ...GEO_KINDS];
  await sql(
    `insert into core_location (user_id, ${set.join(', ')})
     select x.user_id, x.code, x.region, x.latitude, x.longitude, case when x.latitude is null then '' else 'zip' end, x.timezone,
       ${GEO_KINDS.map(place).join(', ')}
     from unnest($1::int[], $2::text[], $3::text[], $4::float8[], $5::float8[], $6::text[], $7::text[])
       x (user_id, code, region, latitude, longitude, timezone, zip)
     on conflict (user_id) do update set ${set.map((column) => `${column} = excluded.${column}`).join(', ')}, updated_at = now()`,
    [
      known.map(({ userId }) => userId),
      known.map(({ code }) => code),
      known.map(({ address }) => regionOf(address)),
      known.map(({ point }) => point?.latitude ?? null),
      known.map(({ point }) => point?.longitude ?? null),
      known.map(({ point }) => (point ? timezoneAt(point.latitude, point.longitude) : '')),
      known.map(({ address }) => (address.country === UNITED_STATES ? address.zip : '')),
    ],
  );
}
