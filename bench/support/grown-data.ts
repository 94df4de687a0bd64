import type pg from 'pg';
import { inLanes, onBareTables } from './bare-tables.ts';
import { usersInserted } from './many-people.ts';

// A platform that has been in use for years, written set-wise: everything follows from the number of a row, so that two runs are alike. For every 5 million
// people there are 10 million actions, 6.7 million rows of history, a million orders, 20 mailings with 20 million mails sent, 7.5 million openings.

/** Lists: nearly everybody subscribed is on the first. */
export const LISTS = 12;
export const PAGES = 200;
export const MAILINGS = 20;
/** Mailings that a hundredth of all actions came of each, one with one subject and one with two. */
export const ACTED = { one: 1, two: 2 };
/** Somebody who did a two-hundredth of everything. */
export const ACTIVE_PERSON = 7;

/** Tables that grow without end: a statement that reads one of these as a whole is a cliff. */
export const LARGE = [
  'core_user',
  'core_action',
  'core_subscription',
  'core_subscriptionhistory',
  'core_order',
  'core_orderuserdetail',
  'core_transaction',
  'core_open',
  'core_click',
  'core_trackedrecipient',
  'core_auditlog',
  'send_accepted',
] as const;

/** Triggers that look for something of each row that comes of a mailing: done set-wise here. */
const OF_ONE = [
  ['core_action', 'core_action_placed'],
  ['core_action', 'core_action_leaves'],
  ['core_order', 'core_order_placed'],
  ['core_transaction', 'core_transaction_placed'],
  ['core_subscriptionhistory', 'core_subscriptionhistory_placed'],
  ['core_subscriptionhistory', 'core_subscriptionhistory_different_user_id_insert'],
] as const;

/** What recipients did with each mailing, as tracking keeps it: for reports and charts. */
const TRACKED = [
  `insert into core_trackedrecipient (mailing_id, user_id, opens, raw_opens)
     select mailing_id, user_id, count(*), count(*) from core_open group by 1, 2 order by 1, 2`,
  `insert into core_trackedtimeline (mailing_id, at, place, opens, total_opens, clicks, total_clicks)
     select mailing_id, date_bin('1 minute', created_at, 'epoch'), 0, sum(opens), sum(opens), sum(1 - opens), sum(1 - opens) from (
       select mailing_id, created_at, 1 as opens from core_open union all select mailing_id, created_at, 0 from core_click) e group by 1, 2`,
];

interface Filling {
  people: number;
  /** Rows from this one on, in thousandths of all; those before are there already. */
  from?: number;
  to?: number;
}

/** All that is below, for so many people, settled as in a platform that has run for long. */
export async function growWhole(pool: pg.Pool, people: number): Promise<void> {
  await grownFrame(pool);
  await grow(pool, { people });
  await settle(pool, people);
}

/** Lists, pages and mailings: what does not grow. */
export async function grownFrame(pool: pg.Pool): Promise<void> {
  await pool.query(`
    insert into core_language (name, iso_code) values ('English', 'en'), ('Español', 'es') on conflict do nothing;
    insert into core_list (name) select 'List ' || n from generate_series(1, ${LISTS}) n;
    insert into core_page (name, title, type) select 'page-' || n, 'Page ' || n, (array['petition', 'signup', 'unsubscribe', 'donation'])[1 + n % 4]
      from generate_series(1, ${PAGES}) n;
    insert into core_mailing (status, query_status, started_at, finished_at, expected_send_count, includes, excludes)
      select 'completed', 'saved', '2024-01-01'::timestamptz + n * interval '1 week', '2024-01-01'::timestamptz + n * interval '1 week' + interval '1 hour', 0,
        '{"lists": [1], "states": ["CA", "NY", "TX"], "has_donated": false}', '{"actions": [3], "mailings": [4]}' from generate_series(1, ${MAILINGS}) n;
    insert into core_mailingsubject (mailing_id, position, text) select id, 0, 'Subject' from core_mailing;
    insert into core_mailingsubject (mailing_id, position, text) values (${ACTED.two}, 1, 'Another');
  `);
}

/** People and what they did, as many as there are between `from` and `to` thousandths; with the last of them, what tracking makes of it. */
export async function grow(pool: pg.Pool, { people, from = 0, to = 1000 }: Filling): Promise<void> {
  const part = (share: number) => {
    const all = Math.round(people * share);
    return `generate_series(${Math.round((all * from) / 1000) + 1}, ${Math.round((all * to) / 1000)})`;
  };
  const someone = (prime: number) => `(1 + n::bigint * ${prime} % ${Math.round((people * to) / 1000)})::int`;
  const at = (minutes: number) => `'2020-01-01'::timestamptz + n * interval '${(3_000_000 / (people * minutes)).toFixed(6)} minutes'`;
  // What goes into a table in the transaction that emptied it goes past the log.
  const into = (table: string, ...statements: string[]) => [...(from === 0 ? [`truncate ${table}`] : []), ...statements].join(';\n');
  const acting = [
    into('core_user', usersInserted(Math.round((people * from) / 1000) + 1, Math.round((people * to) / 1000))),
    into(
      'core_action',
      `insert into core_action (user_id, page_id, leaves, mailing_id, mailing_place, source, status, created_user, created_at, updated_at)
         select case when n % 200 = 0 then ${ACTIVE_PERSON} else ${someone(104729)} end, page_id, page_id % 4 = 2,
           case when n % 100 = 0 then ${ACTED.one} when n % 100 = 1 then ${ACTED.two} when n % 10 = 3 then 3 + n / 10 % ${MAILINGS - 2} end,
           case when n % 100 = 1 then n / 100 % 2 else 0 end, 'source' || n % 50,
           case when n % 300 = 0 then 'incomplete' else 'complete' end, n % 20 = 0, ${at(2)}, ${at(2)} + (n % 7) * interval '1 hour'
         from ${part(2)} n, lateral (select 1 + floor(${PAGES} * power((n % 9973) / 9973.0, 3))::int as page_id) p`,
    ),
    into(
      'core_orderuserdetail',
      `insert into core_orderuserdetail (user_id, created_at, updated_at) select ${someone(15485863)}, ${at(0.2)}, ${at(0.2)} from ${part(0.2)} n`,
    ),
    into(
      'core_order',
      `with acted as (select id, user_id, mailing_id, mailing_place, created_at, row_number() over (order by id) as n from core_action a
           where id % 10 = 0 and not exists (select from core_order where action_id = a.id)),
         given as (select id, row_number() over (order by id) as n from core_orderuserdetail d where not exists (select from core_order where user_detail_id = d.id))
       insert into core_order (action_id, mailing_id, mailing_place, user_id, user_detail_id, account_id, total, total_converted, status, created_at, updated_at)
         select a.id, a.mailing_id, case when a.mailing_id is not null then a.mailing_place end, a.user_id, g.id, (select min(id) from core_paymentaccount), 5 + n % 100, 5 + n % 100, case when n % 50 = 0 then 'reversed' else 'completed' end,
           a.created_at, a.created_at from acted a join given g using (n)`,
    ),
    into(
      'core_transaction',
      `insert into core_transaction (type, order_id, page_id, account_id, amount, amount_converted, created_at, updated_at)
         select 'sale', o.id, page_id, account_id, total, total_converted, o.created_at, o.updated_at from core_order o join core_action a on a.id = action_id
         where not exists (select from core_transaction where order_id = o.id)`,
    ),
    into(
      'core_subscriptionhistory',
      `insert into core_subscriptionhistory (user_id, list_id, change, created_at)
         select ${someone(7919)}, 1 + n % ${LISTS}, case when n % 5 = 0 then 'unsubscribe_admin' else 'subscribe_import' end, ${at(1.34)} from ${part(1.34)} n`,
      `insert into core_subscriptionhistory (user_id, list_id, change, action, mailing_id, mailing_place, created_at)
         select user_id, 1 + id % ${LISTS}, case when page_id % 4 = 2 then 'unsubscribe' else 'subscribe' end, id,
           case when page_id % 4 = 2 then mailing_id end, case when page_id % 4 = 2 then mailing_place end, created_at from core_action
         where id % 4 = 0 and id > coalesce((select max(action) from core_subscriptionhistory), 0)`,
    ),
    'delete from core_mailingtally',
    `insert into core_mailingtally (mailing_id, place, actions, new_users, leavings)
       select mailing_id, mailing_place, count(*), count(*) filter (where created_user), count(*) filter (where leaves)
       from core_action where mailing_id is not null group by 1, 2`,
    `insert into core_mailingtally (mailing_id, place, unsubscribes)
       select mailing_id, mailing_place, count(distinct user_id) from core_subscriptionhistory where mailing_id is not null group by 1, 2`,
    `insert into core_mailingtally (mailing_id, place, orders, amount, amount_converted)
       select mailing_id, mailing_place, count(*), sum(total), sum(total_converted) from core_order
       where mailing_id is not null and status = 'completed' group by 1, 2`,
  ];
  const opening = [
    into(
      'core_open',
      `insert into core_open (user_id, mailing_id, created_at)
         select ${someone(31)}, 1 + n % ${MAILINGS}, '2024-01-01'::timestamptz + (1 + n % ${MAILINGS}) * interval '1 week' + (n % 100000) * interval '1 second' from ${part(1.5)} n`,
    ),
    into(
      'core_click',
      `insert into core_click (user_id, mailing_id, link_number, created_at)
         select ${someone(37)}, 1 + n % ${MAILINGS}, n % 5, '2024-01-01'::timestamptz + (1 + n % ${MAILINGS}) * interval '1 week' + (n % 100000) * interval '1 second' from ${part(0.3)} n`,
    ),
    ...(to === 1000 ? TRACKED : []),
  ];
  const alone = [
    into(
      'core_subscription',
      `insert into core_subscription (user_id, list_id, created_at, updated_at)
         select n, 1, ${at(1)}, ${at(1)} from ${part(1)} n where n % 10 < 7`,
      `insert into core_subscription (user_id, list_id, created_at, updated_at)
         select n, 2 + n % ${LISTS - 1}, ${at(1)}, ${at(1)} from ${part(1)} n where n % 10 between 5 and 7`,
    ),
    // Mailing by mailing, in the order of positions, as shards are recorded.
    into(
      'send_accepted',
      ...Array.from({ length: MAILINGS }, (_, index) => index + 1).map(
        (m) => `insert into send_accepted (user_id, mailing_id, position, sent_second)
         select n, ${m}, (n + 4) / 5, 126230400 + ${m} * 604800 + n::bigint * 3600 / ${people} from ${part(1)} n where (n + ${m}) % 5 = 0 order by n`,
      ),
    ),
    into(
      'core_auditlog',
      `insert into core_auditlog (account_id, username, method, path, status, created_at)
         select 1, 'admin', 'POST', '/rest/v1/user/', 201, ${at(0.2)} from ${part(0.2)} n`,
    ),
  ];
  const clients = [await pool.connect(), await pool.connect()] as const;
  const [client] = clients;
  try {
    for (const each of clients)
      await each.query(`set maintenance_work_mem = '450MB'; set work_mem = '128MB'; set synchronous_commit = off`);
    await onBareTables(clients, LARGE, async () => {
      for (const [table, name] of OF_ONE) await client.query(`alter table ${table} disable trigger ${name}`);
      await inLanes(clients, [acting, opening, ...alone.map((statements) => [statements])]);
      for (const [table, name] of OF_ONE) await client.query(`alter table ${table} enable trigger ${name}`);
    });
  } finally {
    for (const each of clients) each.release(true);
  }
}

const SHARD = 10_000;

/** Counters of the shards and totals of openings, as sending and tracking leave them; the planner's figures as they are after a while. */
export async function settle(pool: pg.Pool, people: number): Promise<void> {
  const mailed = Math.floor(people / 5);
  const last = `least((s + 1) * ${SHARD}, ${mailed})`;
  const shards = `core_mailing m, generate_series(0, ${Math.ceil(mailed / SHARD) - 1}) s`;
  const counted = [
    `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, finished, accepted)
       select id, s, s * ${SHARD} + 1, ${last}, ${last}, true, ${last} - s * ${SHARD} from ${shards} on conflict do nothing`,
    `insert into send_tally (mailing_id, shard, place, targeted, accepted, failed, skipped, uncertain)
       select id, s, 0, ${last} - s * ${SHARD}, ${last} - s * ${SHARD}, 0, 0, 0 from ${shards} on conflict do nothing`,
    `insert into core_trackedtotal (mailing_id, place, opens, total_opens) select id, 0, ${Math.round(people / 20)}, ${Math.round(people / 15)} from core_mailing
       on conflict do nothing`,
  ];
  const sent = `insert into send_timeline (mailing_id, shard, at, accepted)
    select mailing_id, (position - 1) / ${SHARD}, to_timestamp(1577836800 + sent_second::float8), count(*) from send_accepted group by 1, 2, 3 on conflict do nothing`;
  const clients = [await pool.connect(), await pool.connect()] as const;
  try {
    await inLanes(clients, [[sent], counted]);
    const { rows } = await pool.query<{ name: string }>(`select oid::regclass::text as name from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace order by pg_relation_size(oid) desc`);
    await inLanes(
      clients,
      rows.map(({ name }) => [`vacuum analyze ${name}`]),
    );
  } finally {
    for (const each of clients) each.release();
  }
}
