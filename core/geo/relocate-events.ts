import type { PoolClient } from '../../db/driver.ts';
import { WITH_AMERICAN_ZIPS } from '../../domain/people/american-zips.ts';
import type { GeoKind } from '../../domain/words.ts';
import { DECIDED } from './decided-zips.ts';

// What a file of places changes for events, in the transaction that loads it: people are placed by it, and events they are near have to be in the same districts.

/** What events have of the kinds. */
const KINDS: readonly GeoKind[] = ['us_district', 'us_county'];

/** Before the file: notes the events that are where their zip is, and not where somebody has said. */
export async function noteEventsByZip(client: PoolClient, kind: GeoKind): Promise<void> {
  if (!KINDS.includes(kind)) return;
  await client.query('create temporary table event_by_zip (id int not null, zip text not null) on commit drop');
  await client.query(
    `insert into event_by_zip select e.id, left(e.zip, 5) from events_event e left join (${DECIDED}) z on z.zip = left(e.zip, 5)
     where e.zip ~ '^\\d{5}' and lower(trim(e.country)) = any($2::text[]) and e.${kind} in ('', z.place)`,
    [kind, WITH_AMERICAN_ZIPS],
  );
}

/** After it: they are where their zip is now. */
export async function placeEventsAnew(client: PoolClient, kind: GeoKind): Promise<void> {
  if (!KINDS.includes(kind)) return;
  await client.query(
    `update events_event e set ${kind} = coalesce(z.place, ''), updated_at = now()
     from event_by_zip b left join (${DECIDED}) z on z.zip = b.zip where e.id = b.id and e.${kind} <> coalesce(z.place, '')`,
    [kind],
  );
}
