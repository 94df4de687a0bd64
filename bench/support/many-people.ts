import type pg from 'pg';
import { centroidOf, zipCentroids } from '../../core/geo/zip-centroids.ts';

/** Expressions over the number `i` of a user, by column. */
const COLUMNS = {
  email: `'user' || i || '@example.org'`,
  first_name: `'First' || i`,
  last_name: `'Last' || (i::bigint * 7919 % 50000)`,
  state: `(array['CA','NY','TX','FL','WA','OR','NV','AZ','OH','PA'])[1 + (i::bigint * 31 % 10)]`,
  country: `'United States'`,
  zip: `lpad((i::bigint * 17 % 99999)::text, 5, '0')`,
  source: `'source' || (i % 100)`,
  subscription_status: `case when i % 10 < 8 then 'subscribed' else 'never' end`,
  created_at: `'2020-01-01'::timestamptz + i * interval '1 minute'`,
  updated_at: `'2020-01-01'::timestamptz + i * interval '1 minute'`,
};

/**
 * Users in one statement.
 * @param more expressions for other columns, or in place of those here
 * @param joined what they are taken from beside the number `i`
 */
export async function manyUsers(pool: pg.Pool, users: number, more: Record<string, string> = {}, joined = ''): Promise<void> {
  await pool.query(usersInserted(1, users, more, joined));
  await pool.query('vacuum analyze');
}

/** @returns the statement that makes users from one number to another */
export function usersInserted(from: number, to: number, more: Record<string, string> = {}, joined = ''): string {
  const columns: Record<string, string> = { ...COLUMNS, ...more };
  return `insert into core_user (${Object.keys(columns).join(', ')})
     select ${Object.values(columns).join(', ')} from generate_series(${from}, ${to}) i ${joined} order by i`;
}

export const PAGES = 200;
/** Mailings that were sent before, to half of the people each. */
export const SENT_BEFORE = [1, 2];

/**
 * What targeting reads, for so many users: addresses in real zips with their locations, subscriptions to twenty lists, actions (some pages have many, most
 * few), donations, monthly profiles, mailings sent before, a campaign of events all over the country. Everything follows from the user's number.
 */
export async function peopleToTarget(pool: pg.Pool, users: number): Promise<void> {
  await places(pool);
  await pool.query(`
    insert into core_language (name, iso_code) values ('English', 'en'), ('Español', 'es'), ('Deutsch', 'de') on conflict do nothing;
    insert into core_list (name) select 'List ' || n from generate_series(1, 20) n;
    insert into core_page (name, type) select 'page-' || n, 'petition' from generate_series(1, ${PAGES}) n;
    insert into core_mailing (status) select 'completed' from unnest(array[${SENT_BEFORE}]);
  `);
  await manyUsers(
    pool,
    users,
    {
      state: `coalesce(p.state, '')`,
      country: `case when p.zip is null then 'Canada' else 'United States' end`,
      region: `case when p.zip is null then (array['Ontario','Quebec','Alberta'])[1 + i % 3] else p.state end`,
      zip: `coalesce(p.zip, '')`,
      lang_id: `(select id from core_language where name = (array['English','English','Español','Deutsch'])[1 + (i / 7) % 4])`,
    },
    `left join bench_place p on i % 20 > 0 and p.n = i::bigint * 7919 % (select count(*) from bench_place)`,
  );
  await pool.query(`
    insert into core_subscription (user_id, list_id) select id, 1 from core_user where subscription_status = 'subscribed' and id % 9 > 0;
    insert into core_subscription (user_id, list_id) select id, 2 + (hashint4(id) & 15) from core_user where subscription_status = 'subscribed' and (id % 9 = 0 or id % 3 = 0)
      on conflict do nothing;
    insert into core_location (user_id, us_district, us_state_district, us_state_senate, us_county, latitude, longitude, country_code, region_code, lat_lon_precision)
      select u.id, p.state || '_' || lpad((p.n % 12 + 1)::text, 2, '0'), p.state || '_' || lpad((p.n % 60 + 1)::text, 3, '0'),
        p.state || '_' || lpad((p.n % 30 + 1)::text, 3, '0'), 'County ' || p.n % 50, p.latitude, p.longitude, 'US', p.state, 'zip'
      from core_user u join bench_place p on p.zip = u.zip order by u.id;
    insert into core_action (user_id, page_id) select 1 + (n::bigint * 104729 % ${users}), 1 + floor(${PAGES} * power((n % 9973) / 9973.0, 3))::int
      from generate_series(1, ${2 * users}) n;
  `);
  await donations(pool, users);
  for (const mailing of SENT_BEFORE) {
    await pool.query(
      `insert into send_accepted (mailing_id, position, user_id, sent_second)
       select $1, row_number() over (order by id), id, 0 from core_user where (id + $1) % 2 = 0`,
      [mailing],
    );
  }
  await pool.query(`insert into core_blackholedemail (email) select email from core_user where id % 5000 = 0`);
  await events(pool);
  await pool.query('vacuum analyze');
}

/** Real zips, with a number each. */
async function places(pool: pg.Pool): Promise<void> {
  const centroids = zipCentroids();
  await pool.query('create table bench_place (n int primary key, zip text, state text, latitude float8, longitude float8)');
  await pool.query(
    `insert into bench_place select row_number() over (order by zip) - 1, * from unnest($1::text[], $2::text[], $3::float8[], $4::float8[]) as z (zip, state, latitude, longitude)`,
    [
      centroids.map(({ zip }) => zip),
      centroids.map(({ zip }) => centroidOf(zip)?.state ?? ''),
      centroids.map(({ latitude }) => latitude),
      centroids.map(({ longitude }) => longitude),
    ],
  );
  await pool.query('create index on bench_place (zip)');
}

async function donations(pool: pg.Pool, users: number): Promise<void> {
  await pool.query(`
    insert into core_page (name, type) values ('give', 'donation');
    insert into core_orderuserdetail (user_id) select 1 + (n::bigint * 15485863 % ${users}) from generate_series(1, ${Math.ceil(users / 5)}) n;
    insert into core_action (user_id, page_id) select d.user_id, (select id from core_page where name = 'give') from core_orderuserdetail d order by d.id;
    insert into core_order (action_id, user_id, user_detail_id, account_id, total, total_converted, status)
      select a.id, d.user_id, d.id, (select min(id) from core_paymentaccount), d.id % 200 + 5, d.id % 200 + 5, case when d.id % 50 = 0 then 'reversed' else 'completed' end
      from (select id, user_id, row_number() over (order by id) as n from core_orderuserdetail) d
        join (select id, row_number() over (order by id) as n from core_action where page_id = (select id from core_page where name = 'give')) a using (n);
    insert into core_orderrecurring (order_id, action_id, user_id, account_id, recurring_id, exp_date, amount, amount_converted, period, start, status, canceled_at)
      select id, action_id, user_id, account_id, 'r' || id, to_char(now() + (id % 12 - 3) * interval '1 month', 'MMYY'), total, total,
        case when id % 11 = 0 then 'weeks' else 'months' end, '2024-01-01', case when id % 3 = 0 then 'canceled_by_user' else 'active' end,
        case when id % 3 = 0 then now() - id % 90 * interval '1 day' end
      from core_order where id % 5 = 0;
  `);
}

const EVENTS = 500;

async function events(pool: pg.Pool): Promise<void> {
  await pool.query(`
    insert into events_campaign (name) values ('Canvass');
    insert into events_event (campaign_id, title, zip, state, latitude, longitude, starts_at)
      select (select id from events_campaign where name = 'Canvass'), 'Event ' || n, zip, state, latitude, longitude, now() + interval '1 month'
      from bench_place where n % ((select count(*) from bench_place) / ${EVENTS}) = 0;
  `);
}
