import type { Sql } from '../../db/sql.ts';

/** What one page took in one month, by UTC: payments that were made and not given back. */
export interface MonthOfPage {
  page_id: number;
  /** Its title, or else its name. */
  page: string;
  /** YYYY-MM */
  month: string;
  payments: number;
  /** Of these, how many are of profiles that recur. */
  recurring: number;
  /** In US dollars, a decimal. */
  amount: string;
}

/** Payments by page and month, of the present month and those before it. */
export function donationsByMonth(sql: Sql, months: number): Promise<MonthOfPage[]> {
  return sql<MonthOfPage>(
    `with paid as (
       select a.page_id, date_trunc('month', t.created_at at time zone 'UTC') as month, count(*)::int as payments, count(r.id)::int as recurring,
         sum(t.amount_converted) as amount
       from core_transaction t join core_order o on o.id = t.order_id join core_action a on a.id = o.action_id
         left join core_orderrecurring r on r.order_id = o.id
       where t.type = 'sale' and t.status = 'completed'
         and t.created_at >= (date_trunc('month', now() at time zone 'UTC') - make_interval(months => $1 - 1)) at time zone 'UTC'
       group by 1, 2)
     select page_id, coalesce(nullif(p.title, ''), p.name) as page, to_char(month, 'YYYY-MM') as month, payments, recurring, round(amount, 2)::text as amount
     from paid join core_page p on p.id = page_id order by month desc, paid.amount desc, page_id`,
    [months],
  );
}
