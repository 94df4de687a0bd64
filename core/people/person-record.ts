import type { Sql } from '../../db/sql.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import { NotFoundError } from '../../domain/errors.ts';
import type { SubscriptionChange } from '../../domain/words.ts';

// What hangs on one person, for who looks at them: found by the person's id through an index, a page at a time, the newest first.

/** Which page: what comes before this id. */
export interface Before {
  before: number | null;
  limit: number;
}

const older = (id: string) => `($2::bigint is null or ${id} < $2)`;

export interface PersonList {
  id: number;
  subscription: number;
  name: string;
  hidden: boolean;
  since: string;
}

/** The lists a person is on. */
export const listsOf = (sql: Sql, userId: number): Promise<PersonList[]> =>
  sql<PersonList>(
    `select l.id, s.id as subscription, l.name, l.hidden, ${timestampSql('s.created_at')} as since
     from core_subscription s join core_list l on l.id = s.list_id where s.user_id = $1 order by l.name, l.id`,
    [userId],
  );

export interface ListChange {
  id: number;
  /** Null where it is deleted: who left it had left it. */
  list: string | null;
  change: SubscriptionChange;
  /** By the merge that took others, or them, off it in the same moment. */
  merged: boolean;
  created_at: string;
}

/** How a person came on lists and left them. */
export const listChangesOf = (sql: Sql, userId: number, { before, limit }: Before): Promise<ListChange[]> =>
  sql<ListChange>(
    `select h.id, l.name as list, h.change, ${timestampSql('h.created_at')} as created_at, h.change = 'subscribe' and exists (
       select from core_subscriptionhistory m where m.user_id = $1 and m.list_id = h.list_id and m.created_at = h.created_at and m.change = 'unsubscribe_merge') as merged
     from core_subscriptionhistory h left join core_list l on l.id = h.list_id where h.user_id = $1 and ${older('h.id')} order by h.id desc limit $3`,
    [userId, before, limit],
  );

/** Where a person can be reached beside their address, and where that is. */
export interface Contact {
  phones: { phone: string; type: string }[];
  language: string | null;
  groups: string[];
  us_district: string | null;
  us_county: string | null;
  timezone: string | null;
  blackholed: boolean;
}

/** @throws NotFoundError where they were deleted a moment ago */
export async function contactOf(sql: Sql, userId: number): Promise<Contact> {
  const [row] = await sql<Contact>(
    `select coalesce((select jsonb_agg(jsonb_build_object('phone', p.phone, 'type', p.type) order by p.id) from core_phone p where p.user_id = u.id), '[]') as phones,
       (select name from core_language l where l.id = u.lang_id) as language,
       array(select g.name from core_user_groups m join core_usergroup g on g.id = m.usergroup_id where m.user_id = u.id order by g.name limit 100) as groups,
       nullif(o.us_district, '') as us_district, nullif(o.us_county, '') as us_county, nullif(o.timezone, '') as timezone,
       exists (select from core_blackholedemail b where b.email = lower(u.email)) as blackholed
     from core_user u left join core_location o on o.user_id = u.id where u.id = $1`,
    [userId],
  );
  if (!row) throw new NotFoundError();
  return row;
}

export interface PersonAction {
  id: number;
  page: string;
  type: string;
  status: string;
  source: string;
  mailing_id: number | null;
  created_at: string;
}

/** What a person did on pages. */
export const actionsOf = (sql: Sql, userId: number, { before, limit }: Before): Promise<PersonAction[]> =>
  sql<PersonAction>(
    `select a.id, coalesce(nullif(p.title, ''), p.name) as page, p.type, a.status, a.source, a.mailing_id, ${timestampSql('a.created_at')} as created_at
     from (select * from core_action where user_id = $1 and ${older('id')} order by id desc limit $3) a join core_page p on p.id = a.page_id order by a.id desc`,
    [userId, before, limit],
  );

export interface PersonDonation {
  id: number;
  page: string;
  total: string;
  currency: string;
  status: string;
  /** Of the recurring profile it began; null where it is a single gift. */
  recurring: string | null;
  created_at: string;
}

/** What a person gave. */
export const donationsOf = (sql: Sql, userId: number, { before, limit }: Before): Promise<PersonDonation[]> =>
  sql<PersonDonation>(
    `select o.id, coalesce(nullif(p.title, ''), p.name) as page, o.total::text, o.currency, o.status, ${timestampSql('o.created_at')} as created_at,
       (select r.amount || ' ' || r.currency || ' every ' || case r.period when 'weeks' then 'week' else 'month' end || ', ' || replace(r.status, '_', ' ')
        from core_orderrecurring r where r.order_id = o.id) as recurring
     from (select * from core_order where user_id = $1 and ${older('id')} order by id desc limit $3) o
       join core_action a on a.id = o.action_id join core_page p on p.id = a.page_id order by o.id desc`,
    [userId, before, limit],
  );
