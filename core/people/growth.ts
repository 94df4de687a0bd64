import type { Sql } from '../../db/sql.ts';

/** What one day, by UTC, brought. */
export interface Day {
  /** YYYY-MM-DD */
  day: string;
  /** People who are known since. */
  joined: number;
  /** People who left a list, whoever took them off it. */
  left: number;
}

/** How many people there are in each subscription status, as it is kept, and how many records are left of people who were erased: these are nobody any more. */
export async function peopleByStatus(sql: Sql): Promise<{ people: Record<string, number>; erased: number }> {
  const rows = await sql<{ value: string; kept: number; erased: number }>(
    `select value, coalesce(sum(delta) filter (where facet = 'subscription_status'), 0)::int as kept,
       coalesce(sum(delta) filter (where facet = 'erased'), 0)::int as erased
     from core_tally where counted = 'core_user' and facet in ('subscription_status', 'erased') group by value`,
  );
  return {
    people: Object.fromEntries(rows.map(({ value, kept, erased }) => [value, kept - erased])),
    erased: rows.reduce((sum, { erased }) => sum + erased, 0),
  };
}

/** The last days, today the last of them. */
export function growthByDay(sql: Sql, days: number): Promise<Day[]> {
  return sql<Day>(
    `with day as (
       select (now() at time zone 'UTC')::date - n as day from generate_series(0, $1::int - 1) n),
     since as (select min(day)::timestamp at time zone 'UTC' as at from day),
     joined as (
       select (created_at at time zone 'UTC')::date as day, count(*)::int as n from core_user where created_at >= (select at from since) group by 1),
     gone as (
       select (created_at at time zone 'UTC')::date as day, count(distinct user_id)::int as n from core_subscriptionhistory
       where created_at >= (select at from since) and change like 'unsubscribe%' and change not in ('unsubscribe_merge', 'unsubscribe_erase') group by 1)
     select day.day::text, coalesce(joined.n, 0) as joined, coalesce(gone.n, 0) as left
     from day left join joined using (day) left join gone using (day) order by day.day`,
    [days],
  );
}
