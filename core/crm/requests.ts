import type { Pool } from '../../db/driver.ts';
import type { Sql } from '../../db/sql.ts';
import { CrmMapError, NotFoundError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/uris.ts';
import type { CrmEnding, CrmStatus } from '../../domain/words.ts';
import { notYoung } from '../not-young.ts';
import { isErased } from '../people/erased.ts';
import { askSync, disconnect } from './mapping-status.ts';

// What is asked of a mapping. The row is written first and says all there is to do; the run that does it is told afterwards.

/** A mapping as it was when something was asked of it. */
export interface AskedMapping {
  id: number;
  user_id: number | null;
  status: CrmStatus;
  ending: CrmEnding | null;
}

/**
 * Brings a user into the sync.
 * @returns the id of the mapping
 * @throws CrmMapError for a user who is gone, erased, or in it already
 */
export async function addMapping(sql: Sql, userId: number): Promise<number> {
  const user = await sql('select from core_user where id = $1 for key share', [userId]);
  if (user.length === 0) throw new CrmMapError(`There is no user ${userId}.`);
  // Asked once the user is held: a statement that waited for an erasure does not see that it was done.
  if (await isErased(sql, userId)) throw new CrmMapError(`User ${userId} was erased.`);
  const [made] = await sql<{ id: number }>('insert into core_crmmap (user_id) values ($1) on conflict (user_id) do nothing returning id', [
    userId,
  ]);
  if (made) return made.id;
  const [held] = await sql<{ id: number }>('select id from core_crmmap where user_id = $1', [userId]);
  throw new CrmMapError(`User ${userId} has a mapping already.`, held ? uriOf('crmmap', held.id) : null);
}

/** @throws NotFoundError, CrmMapError when there is no user any more */
export async function requestSync(sql: Sql, mapId: number): Promise<AskedMapping> {
  const mapping = await holdMapping(sql, mapId);
  const { user_id: userId, ending } = mapping;
  if (userId === null || ending === 'erased' || ending === 'gone') throw new CrmMapError('The user of this mapping is gone.');
  await askSync(sql, mapId);
  return mapping;
}

/** Once disconnected, it stays so. @throws NotFoundError */
export async function disconnectMapping(sql: Sql, mapId: number): Promise<AskedMapping> {
  const mapping = await holdMapping(sql, mapId);
  await disconnect(sql, mapId);
  return mapping;
}

async function holdMapping(sql: Sql, mapId: number): Promise<AskedMapping> {
  const [mapping] = await sql<AskedMapping>('select id, user_id, status, ending from core_crmmap where id = $1 for update', [mapId]);
  if (!mapping) throw new NotFoundError();
  return mapping;
}

/** What everything asked for so far has come to; null while something is still to be done. */
export async function endedStatus(pool: Pool, mapId: number): Promise<Exclude<CrmStatus, 'pending'> | null> {
  const { rows } = await pool.query(`select status from core_crmmap where id = $1 and wanted = done and status <> 'pending'`, [mapId]);
  return rows[0]?.status ?? null;
}

const MOST_AT_ONCE = 500;

/**
 * Mappings of which something was asked and for which no run is at work.
 * @param grace interval, as PostgreSQL reads it, within which a request is about to start its run itself
 * @param longestPause seconds: a run notes every try, so one that has noted none for longer is not there
 */
export async function forgottenSyncs(pool: Pool, grace: string, longestPause: number): Promise<{ id: number; user_id: number | null }[]> {
  const { rows } = await pool.query<{ id: number; user_id: number | null }>(
    `select id, user_id from core_crmmap
     where wanted > done and urgent and ${notYoung('requested_at', '$1::interval')}
       and (tried_at is null or tried_at < requested_at or tried_at not between now() - $2 * interval '1 second' and now() + $1::interval)
     order by requested_at limit ${MOST_AT_ONCE}`,
    [grace, longestPause],
  );
  return rows;
}
