import type { Sql } from '../../db/sql.ts';

/**
 * The CRM mappings of users about to be merged: the primary's stays, or, where it has none, the best of the others moves to it. The others are
 * closed, and the CRM is told.
 */
export async function mergeCrmMappings(sql: Sql, primary: number, merged: number[]): Promise<void> {
  await sql(
    `update core_crmmap m set
       user_id = case when r.nth = 1 then $1::int end,
       last_error = case when r.nth = 1 then m.last_error else '' end,
       ending = case when r.nth = 1 then m.ending else 'gone' end,
       wanted = m.wanted + (m.status <> 'disconnected')::int,
       status = case when r.nth = 1 and m.status <> 'disconnected' then 'pending' else 'disconnected' end,
       urgent = true, requested_at = now(), updated_at = now()
     from (select id, row_number() over (
         order by (user_id = $1) desc, (status <> 'disconnected') desc, (crm_id is not null) desc, id) as nth
       from core_crmmap where user_id = any($2::int[])) r
     where r.id = m.id`,
    [primary, [primary, ...merged]],
  );
}
