import { plainArray, textArray } from '../../db/array-literals.ts';
import type { Sql } from '../../db/sql.ts';
import { type Address, UNITED_STATES, type ZipCentroid } from '../../domain/people/address.ts';
import { countryCode } from '../../domain/people/countries.ts';
import { GEO_KINDS } from '../../domain/words.ts';
import { centroidOf, NOWHERE, timezoneAt } from './zip-centroids.ts';

/** A user whose address has been written. */
export interface Placed {
  userId: number;
  /** An address in the US as it was received; kept unless an earlier one is. */
  received: Address | null;
  /** As it is stored. */
  address: Address;
}

function pointOf({ country, zip }: Address): ZipCentroid | null {
  const centroid = country === UNITED_STATES ? centroidOf(zip) : null;
  return centroid && !NOWHERE.has(centroid.state) ? centroid : null;
}

const regionOf = ({ country, state, region }: Address): string => (country === UNITED_STATES ? state : region);

const ORIGINAL = ['address1', 'address2', 'city', 'state', 'zip'] as const;
const LOCATION = ['country_code', 'region_code', 'latitude', 'longitude', 'lat_lon_precision', 'timezone', ...GEO_KINDS];

/** Keeps US addresses as received and makes locations anew, of many users in a few statements. Run in the transaction of the write. */
export async function locateMany(sql: Sql, placed: Placed[]): Promise<void> {
  const originals = placed.flatMap(({ userId, received }) => (received ? [{ userId, received }] : []));
  if (originals.length > 0) {
    await sql(
      `insert into core_user_original (user_id, ${ORIGINAL.join(', ')})
       select * from unnest($1::int[], ${ORIGINAL.map((_, index) => `$${index + 2}::text[]`).join(', ')})
       on conflict (user_id) do nothing`,
      [
        plainArray(originals.map(({ userId }) => userId)),
        ...ORIGINAL.map((part) => textArray(originals.map(({ received }) => received[part]))),
      ],
    );
  }
  const known: (Placed & { code: string; point: ZipCentroid | null })[] = [];
  const nowhere: number[] = [];
  for (const each of placed) {
    const code = countryCode(each.address.country);
    if (code) known.push({ ...each, code, point: pointOf(each.address) });
    else nowhere.push(each.userId);
  }
  if (nowhere.length > 0) await sql('delete from core_location where user_id = any($1::int[])', [nowhere]);
  if (known.length === 0) return;
  // A zip that lies in several places of a kind decides none. Looked up once for each zip, not for each user.
  await sql(
    `with given as materialized (
       select * from unnest($1::int[], $2::text[], $3::text[], $4::float8[], $5::float8[], $6::text[], $7::text[])
         x (user_id, code, region, latitude, longitude, timezone, zip)
     ), decided as (
       select zip, kind, min(place) as place from geo_zipplace where zip in (select zip from given) group by zip, kind having count(*) = 1
     ), places as (
       select zip, ${GEO_KINDS.map((kind) => `max(place) filter (where kind = '${kind}') as ${kind}`).join(', ')} from decided group by zip
     )
     insert into core_location (user_id, ${LOCATION.join(', ')})
     select user_id, code, region, latitude, longitude, case when latitude is null then '' else 'zip' end, timezone,
       ${GEO_KINDS.map((kind) => `coalesce(p.${kind}, '')`).join(', ')}
     from given left join places p on p.zip = given.zip
     on conflict (user_id) do update set ${LOCATION.map((column) => `${column} = excluded.${column}`).join(', ')}, updated_at = now()`,
    [
      plainArray(known.map(({ userId }) => userId)),
      textArray(known.map(({ code }) => code)),
      textArray(known.map(({ address }) => regionOf(address))),
      plainArray(known.map(({ point }) => point?.latitude ?? null)),
      plainArray(known.map(({ point }) => point?.longitude ?? null)),
      textArray(known.map(({ point }) => (point ? timezoneAt(point.latitude, point.longitude) : ''))),
      textArray(known.map(({ address }) => (address.country === UNITED_STATES ? address.zip : ''))),
    ],
  );
}
