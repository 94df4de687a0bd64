import type { Sql } from '../../db/sql.ts';

/**
 * Mailings whose audience a change of mailing `$1` changes. Others that are queued, being sent or completed are left alone: somebody has agreed to their
 * audience, and whoever of it is mailed once more must not bring others along.
 */
const AFFECTED = `(id = $1 or ((includes -> 'mailings' @> $2::jsonb or excludes -> 'mailings' @> $2::jsonb)
  and status not in ('queued', 'rebuilding_at_send', 'sending', 'completed')))`;

/** Holds their rows until the transaction's end, in an order that two callers share. Openings and clicks of those that were sent are still written. */
export async function holdAudiencesOf(sql: Sql, id: number): Promise<void> {
  await sql(`select from core_mailing where ${AFFECTED} order by id for no key update`, [id, JSON.stringify(id)]);
}

/**
 * Raises the version of the mailing and of those that include or exclude it and marks their saved sets as out of date. A build under way sees
 * by the version that its result is.
 */
export async function invalidateAudiencesOf(sql: Sql, id: number): Promise<void> {
  await sql(
    `update core_mailing set targeting_version = targeting_version + 1,
       query_status = case when query_status = 'saved' then 'invalid' else query_status end
     where ${AFFECTED}`,
    [id, JSON.stringify(id)],
  );
}
