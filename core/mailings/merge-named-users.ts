import type { Sql } from '../../db/sql.ts';
import { excludeRecipient } from '../sending/recipients-who-go.ts';

/** Whether a JSON list of ids names one of the merged users, `$2`. */
const names = (list: string): string => `exists (select from jsonb_array_elements(${list}) x where x::int = any($2::int[]))`;

/** The list with the primary user, `$1`, in place of those merged into it, each once. */
const renamed = (list: string): string =>
  `(select coalesce(jsonb_agg(id order by id), '[]') from (
     select distinct case when x::int = any($2::int[]) then $1::int else x::int end as id from jsonb_array_elements(${list}) x) ids)`;

const side = (column: string): string =>
  `${column} = case when ${names(`${column} -> 'users'`)} then jsonb_set(${column}, '{users}', ${renamed(`${column} -> 'users'`)}) else ${column} end`;

/**
 * The mailings that name users about to be merged, in includes, excludes or among those proofs are made for, name the primary user instead. Their
 * saved sets stay as good as they were: the rows of merged users have moved already, and whom a mailing excludes under either name is taken out here.
 * @param moved of mergeRecipients
 */
export async function mergeNamedUsers(sql: Sql, primary: number, merged: number[], moved: number[]): Promise<void> {
  const touched = await sql<{ id: number }>(
    `update core_mailing set ${side('includes')}, ${side('excludes')}, proof_users = ${renamed('proof_users')}, updated_at = now()
     where ${["includes -> 'users'", "excludes -> 'users'", 'proof_users'].map(names).join(' or ')}
     returning id`,
    [primary, merged],
  );
  await sql(`update core_mailingproof set proof_users = ${renamed('proof_users')} where not finished and ${names('proof_users')}`, [
    primary,
    merged,
  ]);
  const excluding = await sql<{ id: number }>(
    `select id from core_mailing where id = any($2::int[]) and excludes -> 'users' @> to_jsonb($1::int)`,
    [primary, [...moved, ...touched.map(({ id }) => id)]],
  );
  if (excluding.length === 0) return;
  await excludeRecipient(
    sql,
    primary,
    excluding.map(({ id }) => id),
  );
}
