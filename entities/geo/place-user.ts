import {
  ADDRESS_COLUMNS,
  type Address,
  type AddressColumn,
  correctAddress,
  isUnitedStates,
  UNITED_STATES,
} from '../../domain/people/address.ts';
import { GEO_KINDS, type GeoKind } from '../../domain/words.ts';
import type { Sql } from '../sql.ts';
import { centroidOf, countryCode, stateCode, timezoneAt } from './zip-centroids.ts';

/** Military addresses: no place on earth. */
const NOWHERE = new Set(['AA', 'AE', 'AP']);

/**
 * Corrects the address of a user whose row has just been written, keeps a US address as it was first received, and makes the estimated location
 * anew. Run inside the transaction of the write. Data that is missing (districts nobody loaded, a zip nobody knows) leaves its part empty.
 * @param sent the parts of the address that were written; with none of them nothing is done
 * @param previousZip of the row before the write, empty when it is new
 */
export async function placeUser(sql: Sql, userId: number, sent: ReadonlySet<AddressColumn>, previousZip: string): Promise<void> {
  if (sent.size === 0) return;
  const [received] = await sql<Address>(`select ${ADDRESS_COLUMNS.join(', ')} from core_user where id = $1`, [userId]);
  if (!received) return;
  const address = correctAddress(received, sent, previousZip, centroidOf, stateCode);
  const changed = ADDRESS_COLUMNS.filter((column) => address[column] !== received[column]);
  if (changed.length > 0) {
    const sets = changed.map((column, index) => `${column} = $${index + 2}`);
    await sql(`update core_user set ${sets.join(', ')} where id = $1`, [userId, ...changed.map((column) => address[column])]);
  }
  if (isUnitedStates(received) && (received.address1 || received.city || received.state || received.zip)) {
    await sql(
      `insert into core_user_original (user_id, address1, address2, city, state, zip) values ($1, $2, $3, $4, $5, $6)
       on conflict (user_id) do nothing`,
      [userId, received.address1, received.address2, received.city, received.state, received.zip],
    );
  }
  await locate(sql, userId, address);
}

async function locate(sql: Sql, userId: number, address: Address): Promise<void> {
  const code = countryCode(address.country);
  if (!code) {
    await sql('delete from core_location where user_id = $1', [userId]);
    return;
  }
  const american = address.country === UNITED_STATES;
  const centroid = american ? centroidOf(address.zip) : null;
  const point = centroid && !NOWHERE.has(centroid.state) ? centroid : null;
  const places = american ? await placesOf(sql, address.zip) : {};
  await sql(
    `insert into core_location (user_id, country_code, region_code, latitude, longitude, lat_lon_precision, timezone,
       us_district, us_state_senate, us_state_district, us_county)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (user_id) do update set country_code = excluded.country_code, region_code = excluded.region_code, latitude = excluded.latitude,
       longitude = excluded.longitude, lat_lon_precision = excluded.lat_lon_precision, timezone = excluded.timezone,
       us_district = excluded.us_district, us_state_senate = excluded.us_state_senate,
       us_state_district = excluded.us_state_district, us_county = excluded.us_county, updated_at = now()`,
    [
      userId,
      code,
      american ? address.state : address.region,
      point?.latitude ?? null,
      point?.longitude ?? null,
      point ? 'zip' : '',
      point ? timezoneAt(point.latitude, point.longitude) : '',
      ...GEO_KINDS.map((kind) => (places as Partial<Record<GeoKind, string>>)[kind] ?? ''),
    ],
  );
}

/** What the zip decides: a zip that lies in several districts decides none. */
async function placesOf(sql: Sql, zip: string): Promise<Partial<Record<GeoKind, string>>> {
  const rows = await sql<{ kind: GeoKind; place: string }>(
    'select kind, min(place) as place from geo_zipplace where zip = $1 group by kind having count(*) = 1',
    [zip],
  );
  return Object.fromEntries(rows.map(({ kind, place }) => [kind, place]));
}

/** Which parts of an address a change of a user's row writes, by property or column: all are named alike in both. */
export const addressParts = (values: object): Set<AddressColumn> =>
  new Set(ADDRESS_COLUMNS.filter((column) => Object.hasOwn(values, column)));
