import type { Sql } from '../../db/sql.ts';

/** What one page took in one month, by UTC: payments that were made and not given back. */
export interface MonthOfPage {
  page_id: number;
  title: string;
  name: string;
  /** YYYY-MM */
  month: string;
  /** It is still to come: payments may be dated ahead. */
  ahead: boolean;
  payments: number;
  /** Of these, how many are of profiles that recur. */
  recurring: number;
  /** In US dollars, a decimal of as many places as it has: to be rounded once it is added up. */
  amount: string;
}

/** Payments by page and month, of the present month, those before it and those dated ahead, as they are counted; the newest month first. */
export function donationsByMonth(sql: Sql, months: number): Promise<MonthOfPage[]> {
  return sql<MonthOfPage>(
    `with paid as (
       select page_id, month, sum(payments)::int as payments, sum(recurring)::int as recurring, sum(amount_converted) as amount
       from core_donationtally where month >= date_trunc('month', now() at time zone 'UTC') - make_interval(months => $1 - 1)
       group by 1, 2 having sum(payments) <> 0)
     select page_id, p.title, p.name, to_char(month, 'YYYY-MM') as month,
       month > date_trunc('month', now() at time zone 'UTC') as ahead, payments, recurring, amount::text as amount
     from paid join core_page p on p.id = page_id order by month desc, paid.amount desc, page_id`,
    [months],
  );
}
