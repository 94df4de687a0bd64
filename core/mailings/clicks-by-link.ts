import type { Sql } from '../../db/sql.ts';

/** What one link of a mailing led to: clicks of people, and by how many of them. */
export interface LinkClicks {
  number: number;
  url: string;
  clicks: number;
  people: number;
}

/**
 * The links of a mailing as they were sent, those most clicked first. Programs are left out. It is made from single clicks, which are kept for TRACKING_DAYS: of an older
 * mailing they are fewer than the totals say.
 */
export function clicksByLink(sql: Sql, mailingId: number): Promise<LinkClicks[]> {
  return sql<LinkClicks>(
    `select l.number, l.url, coalesce(c.clicks, 0) as clicks, coalesce(c.people, 0) as people
     from core_mailinglink l left join (
       select link_number, count(*)::int as clicks, count(distinct user_id)::int as people
       from core_click where mailing_id = $1 and not machine group by link_number) c on c.link_number = l.number
     where l.mailing_id = $1 order by clicks desc, l.number`,
    [mailingId],
  );
}
