import type { Pool } from '../../db/driver.ts';
import type { GeoKind } from '../../domain/words.ts';
import { DECIDED } from './decided-zips.ts';

/** Ids of one statement: short enough that nobody who writes an address meanwhile waits to speak of. */
const BATCH_IDS = 20_000;

/**
 * Places everybody anew in the districts or counties of one kind, as the zips lie now: after a file of that kind was loaded. Only locations that come
 * out different are written, in batches, each a transaction of its own; run again after a crash it goes on with those that are left.
 * @returns how many locations changed
 */
export async function relocateUsers(pool: Pool, kind: GeoKind): Promise<number> {
  const { rows } = await pool.query<{ last: number | null }>('select max(user_id) as last from core_location');
  const last = rows[0]?.last ?? 0;
  let changed = 0;
  for (let from = 1; from <= last; from += BATCH_IDS) {
    const { rowCount } = await pool.query(
      `update core_location l set ${kind} = coalesce(z.place, ''), updated_at = now()
       from core_user u left join (${DECIDED}) z on z.zip = u.zip
       where l.user_id = u.id and l.user_id between $2 and $3 and l.country_code = 'US' and l.${kind} <> coalesce(z.place, '')`,
      [kind, from, from + BATCH_IDS - 1],
    );
    changed += rowCount ?? 0;
  }
  return changed;
}
