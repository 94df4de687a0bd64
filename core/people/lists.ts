import type { Sql } from '../../db/sql.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';

/** A list, and how many are on it. */
export interface ListSummary {
  id: number;
  name: string;
  notes: string;
  hidden: boolean;
  is_default: boolean;
  is_reengagement: boolean;
  members: number;
  created_at: string;
}

const COLUMNS = `l.id, l.name, l.notes, l.hidden, l.is_default, l.is_reengagement, ${timestampSql('l.created_at')} as created_at,
  (select coalesce(sum(delta), 0)::int from core_tally t where t.counted = 'core_subscription' and t.facet = 'list_id' and t.value = l.id::text) as members`;

/** A page of the lists by name. @param after the id of the last one of the page before; where that is gone it is the first page */
export const listSummaries = (
  sql: Sql,
  { hidden, after, limit }: { hidden: boolean; after: number | null; limit: number },
): Promise<ListSummary[]> =>
  sql<ListSummary>(
    `select ${COLUMNS} from core_list l
     where l.hidden = $1 and coalesce((l.name, l.id) > (select name, id from core_list where id = $2::int), true) order by l.name, l.id limit $3`,
    [hidden, after, limit],
  );

/** How many lists there are. */
export async function countLists(sql: Sql): Promise<{ shown: number; hidden: number }> {
  const [row] = await sql<{ shown: number; hidden: number }>(
    'select count(*) filter (where not hidden)::int as shown, count(*) filter (where hidden)::int as hidden from core_list',
  );
  return row!;
}

/** Null where there is none. */
export async function listSummary(sql: Sql, id: number): Promise<ListSummary | null> {
  const [row] = await sql<ListSummary>(`select ${COLUMNS} from core_list l where l.id = $1`, [id]);
  return row ?? null;
}

/** What one day, by UTC, brought a list. */
export interface ListDay {
  day: string;
  joined: number;
  left: number;
}

/** The last days of a list, today the last of them. By a merge nobody comes: of those who were one, all but one leave. */
export const listDays = (sql: Sql, id: number, days: number): Promise<ListDay[]> =>
  sql<ListDay>(
    `with day as (select (now() at time zone 'UTC')::date - n as day from generate_series(0, $2::int - 1) n),
     line as (
       -- The first of these days, in words the planner knows the value of: of one from a query it does not, and reads all the history there is of the list.
       select user_id, created_at, change from core_subscriptionhistory
       where list_id = $1 and created_at >= ((now() at time zone 'UTC')::date - ($2::int - 1))::timestamp at time zone 'UTC'),
     merge as (select distinct user_id, created_at, true as merged from line where change = 'unsubscribe_merge'),
     changed as (
       select (created_at at time zone 'UTC')::date as day,
         count(*) filter (where change not like 'unsubscribe%' and merged is null)::int as joined,
         (count(*) filter (where change like 'unsubscribe%') - count(*) filter (where change not like 'unsubscribe%' and merged))::int as gone
       from line left join merge using (user_id, created_at) group by 1)
     select day.day::text, coalesce(joined, 0) as joined, coalesce(gone, 0) as left from day left join changed using (day) order by day.day`,
    [id, days],
  );

/** Somebody who came on a list. */
export interface Member {
  id: number;
  email: string;
  first_name: string;
  last_name: string;
  since: string;
}

/** Who came last of those who are on it. */
export const newestMembers = (sql: Sql, id: number, limit: number): Promise<Member[]> =>
  sql<Member>(
    `select u.id, u.email, u.first_name, u.last_name, ${timestampSql('s.created_at')} as since
     from (select * from core_subscription where list_id = $1 order by id desc limit $2) s join core_user u on u.id = s.user_id order by s.id desc`,
    [id, limit],
  );
