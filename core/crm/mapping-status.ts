import type { ClientBase, Pool } from '../../db/driver.ts';
import type { Sql } from '../../db/sql.ts';
import type { CrmEnding, CrmMatchType } from '../../domain/words.ts';
import { NOT_KEPT } from '../people/free-texts.ts';

// The one place that writes how far a mapping is: its status, with how often something was asked of it (`wanted`) and up to where that was seen to (`done`).
// The row says all there is to do; a run is told afterwards. A try ends what was asked when it began: what was asked meanwhile (`wanted` has grown) keeps
// its status, so that a disconnect is never overwritten.

const NOW = 'requested_at = now(), updated_at = now()';
const ASKED = `wanted = wanted + 1, urgent = true, ${NOW}`;

/** SQL: what the CRM says, on a mapping; of an erased user's it is not kept, also when it was asked before. It looks at the row alone, which is read anew after a wait. */
const said = (words: string): string => `case when ending = 'erased' and ${words}::text <> '' then '${NOT_KEPT}' else ${words}::text end`;

/** Asks for a sync, unless the user is gone for good. */
export async function askSync(sql: Sql, mapId: number): Promise<void> {
  await sql(
    `update core_crmmap set ${ASKED}, status = 'pending', ending = null
     where id = $1 and user_id is not null and (status <> 'disconnected' or ending = 'disconnected')`,
    [mapId],
  );
}

/** Asks for a sync of whoever else leads to a contact that one mapping has led to. */
export async function askOthers(pool: Pool, mapId: number, crmId: string): Promise<void> {
  await pool.query(`update core_crmmap set ${ASKED}, status = 'pending' where crm_id = $2 and id <> $1 and status <> 'disconnected'`, [
    mapId,
    crmId,
  ]);
}

/**
 * Asks for a sync of everybody who is not as the CRM last had them; the next round of changes sees to it. A change may have an earlier time than one before it: the time is that of
 * the beginning of its transaction.
 * @returns how many
 */
export async function askChanged(client: Pool | ClientBase): Promise<number> {
  const { rowCount } = await client.query(
    `update core_crmmap m set wanted = m.wanted + 1, status = 'pending', urgent = false, ${NOW}
     from core_user u
     where u.id = m.user_id and m.status in ('synced', 'failed') and m.wanted = m.done
       and u.updated_at is distinct from m.user_seen_at`,
  );
  return rowCount ?? 0;
}

/** Has the CRM told that a user is synced no more. Once disconnected, a mapping stays so. */
export async function disconnect(sql: Sql, mapId: number): Promise<void> {
  await sql(
    `update core_crmmap set ${ASKED}, status = 'disconnected', ending = 'disconnected' where id = $1 and status <> 'disconnected'`,
    [mapId],
  );
}

/** The same of a user who is being erased; also where it was disconnected before, for then the CRM has not heard of the erasure. */
export async function disconnectErased(sql: Sql, userId: number): Promise<void> {
  await sql(
    `update core_crmmap set ${ASKED}, status = 'disconnected', ending = 'erased', last_error = ''
     where user_id = $1 and (status <> 'disconnected' or ending is distinct from 'erased')`,
    [userId],
  );
}

/** The same of users who were deleted. @returns how many there were */
export async function disconnectOrphans(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `update core_crmmap set ${ASKED}, status = 'disconnected', ending = 'gone' where user_id is null and status <> 'disconnected'`,
  );
  return rowCount ?? 0;
}

/**
 * The mappings of users about to be merged: the primary's stays, or, where it has none, the best of the others moves to it, unless that is of somebody who was erased, for
 * whom there is no way back. The others are closed, and the CRM is told.
 */
export async function mergeMappings(sql: Sql, primary: number, merged: number[]): Promise<void> {
  await sql(
    `update core_crmmap m set
       user_id = case when r.kept then $1::int end,
       last_error = case when r.kept then m.last_error else '' end,
       ending = case when r.kept or m.ending = 'erased' then m.ending else 'gone' end,
       wanted = m.wanted + (m.status <> 'disconnected')::int,
       status = case when r.kept and m.status <> 'disconnected' then 'pending' else 'disconnected' end,
       urgent = true, ${NOW}
     from (select id, (user_id = $1 or ending is distinct from 'erased') and row_number() over (
         order by (user_id = $1) desc, (ending is distinct from 'erased') desc, (status <> 'disconnected') desc, (crm_id is not null) desc, id) = 1 as kept
       from core_crmmap where user_id = any($2::int[])) r
     where r.id = m.id`,
    [primary, [primary, ...merged]],
  );
}

/** A try at a mapping: it may write as long as it holds it. */
export interface Try {
  id: number;
  holder: string;
  /** What had been asked when it began. */
  wanted: number;
}

const SEEN_TO = 'done = $3, urgent = urgent and wanted > $3';
const LET_GO = 'updated_at = now(), held_by = null, held_until = null';

export interface Synced {
  crmId: string;
  match: CrmMatchType;
  /** `updated_at` of the user as the CRM got them. */
  seenAt: string;
  /** Names of the custom fields they have there. */
  fields: string[];
}

export async function endSynced(pool: Pool, { id, holder, wanted }: Try, { crmId, match, seenAt, fields }: Synced): Promise<void> {
  await pool.query(
    `update core_crmmap set crm_id = $4, match_type = $5, user_seen_at = $6::timestamptz, create_tried = false, fields_sent = $7, last_sync_at = now(), last_error = '',
       status = case when wanted > $3 then status else 'synced' end, ${SEEN_TO}, ${LET_GO}
     where id = $1 and held_by = $2`,
    [id, holder, wanted, crmId, match, seenAt, JSON.stringify(fields)],
  );
}

/** @param seenAt of the user the CRM refused; null when none was sent */
export async function endRefused(pool: Pool, { id, holder, wanted }: Try, error: string, seenAt: string | null): Promise<void> {
  await pool.query(
    `update core_crmmap set last_error = ${said('$4')}, user_seen_at = coalesce($5::timestamptz, user_seen_at),
       status = case when wanted > $3 then status else 'failed' end, ${SEEN_TO}, ${LET_GO}
     where id = $1 and held_by = $2`,
    [id, holder, wanted, error, seenAt],
  );
}

/** The CRM was told of a disconnect, or refused to hear of it. */
export async function endDisconnected(pool: Pool, { id, holder, wanted }: Try, error: string): Promise<void> {
  await pool.query(
    `update core_crmmap set last_error = ${said('$4')}, create_tried = false, ${SEEN_TO}, ${LET_GO} where id = $1 and held_by = $2`,
    [id, holder, wanted, error],
  );
}

/** Leaves it to be tried again. @param error shown on the mapping; null changes nothing there */
export async function release(pool: Pool, { id, holder }: Try, error: string | null): Promise<void> {
  await pool.query(`update core_crmmap set last_error = coalesce(${said('$3')}, last_error), ${LET_GO} where id = $1 and held_by = $2`, [
    id,
    holder,
    error,
  ]);
}

/**
 * The user was deleted or erased while it was tried: from now on there is only the CRM to be told.
 * @returns of what; null when another try took over, or the mapping is by now of whom the user was merged into
 */
export async function markGone(pool: Pool, { id, holder }: Try, userId: number | null): Promise<CrmEnding | null> {
  const { rows } = await pool.query<{ ending: CrmEnding }>(
    `update core_crmmap set status = 'disconnected', ending = coalesce(ending, 'gone')
     where id = $1 and held_by = $2 and (user_id is null or user_id = $3) returning ending`,
    [id, holder, userId],
  );
  return rows[0]?.ending ?? null;
}

/**
 * Ends what was asked for, and tried, without it. A disconnect stays to be told: the rounds go on trying. What seems to be asked for in a time to come, but for what
 * is asked for just now, was so before the clock of the database was set back, and was tried since.
 */
export async function giveUp(pool: Pool, mapId: number, reason: string): Promise<void> {
  await pool.query(
    `update core_crmmap set last_error = ${said('$2')}, urgent = false, updated_at = now(),
       done = case when status = 'disconnected' then done else wanted end,
       status = case when status = 'disconnected' then status else 'failed' end
     where id = $1 and wanted > done and (requested_at <= tried_at or requested_at > now() + interval '1 minute')`,
    [mapId, reason],
  );
}
