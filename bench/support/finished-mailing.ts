import type pg from 'pg';
import { writeTallies } from '../../entities/sending/tally.ts';

/** How many people did what with a mailing; a recipient each. */
export interface CameOfIt {
  opens: number;
  clicks: number;
  actions: number;
  orders: number;
  bounces: number;
}

/** A mailing of two subjects and one link that every user got within three hours, and what came of it in the two days since. @returns its id */
export async function finishedMailing(pool: pg.Pool, came: CameOfIt, shardSize = 10_000): Promise<number> {
  const { rows } = await pool.query(
    `insert into core_mailing (status, started_at, finished_at, expected_send_count)
     values ('completed', now() - interval '2 days 3 hours', now() - interval '2 days', (select count(*) from core_user)) returning id`,
  );
  const id: number = rows[0].id;
  await pool.query(`insert into core_mailingsubject (mailing_id, position, text) values ($1, 0, 'A'), ($1, 1, 'B')`, [id]);
  await pool.query(`insert into core_mailinglink (mailing_id, number, url) values ($1, 0, 'https://a.example/')`, [id]);
  await pool.query(
    `insert into send_ledger (mailing_id, position, user_id, state, changed_at)
     select $1, n, id, 2, now() - interval '2 days 3 hours' + n * interval '3 hours' / many
     from (select id, row_number() over (order by id) as n, count(*) over () as many from core_user) u`,
    [id],
  );
  await pool.query(
    `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, finished, accepted)
     select $1, (f - 1) / $2::int, f, least(f + $2::int - 1, many), least(f + $2::int - 1, many), true, least($2::int, many - f + 1)
     from (select count(*)::int as many from core_user) u, generate_series(1, many, $2::int) f`,
    [id, shardSize],
  );
  await pool.query(writeTallies('true'), [id]);
  for (const [table, column, many] of [
    ['core_open', '', came.opens],
    ['core_click', 'link_number, ', came.clicks],
  ] as const) {
    await pool.query(
      `insert into ${table} (user_id, mailing_id, ${column}machine, created_at)
       select user_id, mailing_id, ${column && '0, '}position % 10 = 0, changed_at + interval '2 days' * power(random(), 3)
       from send_ledger where mailing_id = $1 order by hashint4(position) limit $2`,
      [id, many],
    );
  }
  await pool.query(
    `insert into core_trackedrecipient (mailing_id, user_id, opens, raw_opens, clicks, raw_clicks)
     select mailing_id, user_id, count(*) filter (where o and not machine), count(*) filter (where o), count(*) filter (where not o and not machine), count(*) filter (where not o)
     from (select mailing_id, user_id, machine, true as o from core_open where mailing_id = $1
       union all select mailing_id, user_id, machine, false from core_click where mailing_id = $1) e group by 1, 2`,
    [id],
  );
  await pool.query(
    `insert into core_trackedtotal (mailing_id, place, opens, raw_opens, total_opens, total_raw_opens, clicks, raw_clicks, total_clicks, total_raw_clicks)
     select r.mailing_id, position % 2, count(*) filter (where opens > 0), count(*) filter (where raw_opens > 0), sum(opens), sum(raw_opens),
       count(*) filter (where clicks > 0), count(*) filter (where raw_clicks > 0), sum(clicks), sum(raw_clicks)
     from core_trackedrecipient r join send_ledger using (mailing_id, user_id) where r.mailing_id = $1 group by 1, 2`,
    [id],
  );
  await pool.query(`insert into core_page (name, type) values ('give', 'donation') on conflict do nothing`);
  await pool.query(
    `insert into core_action (user_id, page_id, mailing_id, created_user) select user_id, (select id from core_page where name = 'give'), $1, false
     from send_ledger where mailing_id = $1 order by hashint4(position) limit $2`,
    [id, came.actions],
  );
  await pool.query(
    `with detail as (insert into core_orderuserdetail (user_id) select user_id from core_action where mailing_id = $1 order by id limit $2 returning id, user_id)
     insert into core_order (action_id, user_id, user_detail_id, account_id, total, total_converted, status)
     select a.id, a.user_id, d.id, (select min(id) from core_paymentaccount), 25, 25, 'completed' from detail d join core_action a on a.user_id = d.user_id and a.mailing_id = $1`,
    [id, came.orders],
  );
  await pool.query(
    `insert into core_bounce (user_id, mailing_id, kind) select user_id, $1, (array['hard', 'soft', 'complaint'])[1 + position % 3]
     from send_ledger where mailing_id = $1 order by hashint4(-position) limit $2`,
    [id, came.bounces],
  );
  await pool.query('vacuum analyze');
  return id;
}
