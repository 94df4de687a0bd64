import type pg from 'pg';

/** The tables whose rows are counted as they come, and by which columns. */
const COUNTED: Record<string, Record<string, string>> = {
  core_user: {
    state: 'state',
    country: 'country',
    source: 'source',
    subscription_status: 'subscription_status',
    lang_id: 'lang_id',
    erased: `case when email like 'erased-%@erased.invalid' then subscription_status end`,
  },
  core_action: { page_id: 'page_id', source: 'source', status: 'status' },
  core_subscription: { list_id: 'list_id' },
  core_subscriptionhistory: { list_id: 'list_id' },
  core_order: {},
  core_transaction: {},
  core_userfield: {},
  core_actionfield: {},
  core_phone: {},
  core_location: {},
};

const TALLIES = Object.entries(COUNTED).flatMap(([table, columns]) =>
  Object.entries({ '': `''`, ...columns }).map(([facet, column]): [string, string] => [
    `tally of ${table}${facet && ` by ${facet}`}`,
    `select * from (select value, sum(delta)::int as told from core_tally
        where counted = '${table}' and facet = '${facet}' group by 1 having sum(delta) <> 0) a
      full join (select (${column})::text as value, count(*)::int as there from ${table} where ${column} is not null group by 1) b
        using (value) where told is distinct from there`,
  ]),
);

/** What is kept of rows beside them, by name: SQL of what is not as the rows have it. */
const SUMS: Record<string, string> = {
  ...Object.fromEntries(TALLIES),

  // An order counts for the mailing its action came from.
  'mailing of an order': `select o.id, o.mailing_id, a.mailing_id as of_action, o.mailing_place, a.mailing_place as place_of_action
    from core_order o join core_action a on a.id = o.action_id
    where (o.mailing_id, o.mailing_place) is distinct from (a.mailing_id, a.mailing_place)`,

  // A line of who left counts for the same mailing as the action they left by.
  'mailing of a leaving': `select h.id, h.mailing_id, a.mailing_id as of_action
    from core_subscriptionhistory h left join core_action a on a.id = h.action
    where h.change like 'unsubscribe%' and h.mailing_id is distinct from a.mailing_id`,

  // Payments are summed by page without a look at orders and actions.
  'page of a payment': `select t.id, t.page_id, a.page_id as of_action, t.recurring
    from core_transaction t join core_order o on o.id = t.order_id join core_action a on a.id = o.action_id
    where t.page_id is distinct from a.page_id or t.recurring <> exists (select from core_orderrecurring r where r.order_id = o.id)`,

  // What pages took in a month.
  'donation months': `select * from (
      select page_id, month, sum(payments)::int as told, sum(recurring)::int as recurring, sum(amount_converted) as amount
      from core_donationtally group by 1, 2 having sum(payments) <> 0) a
    full join (
      select page_id, date_trunc('month', created_at at time zone 'UTC')::date as month, count(*)::int as there,
        count(*) filter (where recurring)::int as recurring_there, sum(amount_converted) as amount_there
      from core_transaction where type = 'sale' and status = 'completed' group by 1, 2) b using (page_id, month)
    where (told, recurring, amount) is distinct from (there, recurring_there, amount_there)`,

  // What callers heard of each target.
  'whip counts': `select * from (
      select page_id, target_id, response, sum(calls)::int as told from core_whipcounttally group by 1, 2, 3 having sum(calls) <> 0) a
    full join (
      select page_id, target_id, core_whipcount_said(response) as response, count(*)::int as there
      from core_whipcountactioncalled group by 1, 2, 3) b using (page_id, target_id, response)
    where told is distinct from there`,

  // The results of a mailing, by subject: who acted, …
  'actions of a mailing': `select * from (
      select mailing_id, place, sum(actions)::int as told, sum(new_users)::int as new_users, sum(leavings)::int as leavings
      from core_mailingtally group by 1, 2 having sum(actions) <> 0) a
    full join (
      select mailing_id, mailing_place as place, count(*)::int as there, count(*) filter (where created_user)::int as new_there,
        count(*) filter (where leaves)::int as leavings_there
      from core_action where mailing_id is not null group by 1, 2) b using (mailing_id, place)
    where (told, new_users, leavings) is distinct from (there, new_there, leavings_there)`,

  // … what they gave, …
  'donations of a mailing': `select * from (
      select mailing_id, place, sum(orders)::int as told, sum(amount) as amount, sum(amount_converted) as converted
      from core_mailingtally group by 1, 2 having sum(orders) <> 0) a
    full join (
      select mailing_id, mailing_place as place, count(*)::int as there, sum(total) as amount_there, sum(total_converted) as converted_there
      from core_order where status = 'completed' and mailing_id is not null group by 1, 2) b using (mailing_id, place)
    where (told, amount, converted) is distinct from (there, amount_there, converted_there)`,

  // … and who left.
  'leavings of a mailing': `select * from (
      select mailing_id, place, sum(unsubscribes)::int as told from core_mailingtally group by 1, 2 having sum(unsubscribes) <> 0) a
    full join (
      select mailing_id, mailing_place as place, count(distinct user_id)::int as there from core_subscriptionhistory
      where mailing_id is not null and change like 'unsubscribe%' group by 1, 2) b using (mailing_id, place)
    where told is distinct from there`,

  // Whose mail came back, and who complained.
  'bounces of a mailing': `select * from (
      select mailing_id, place, sum(bounces_all)::int as told, sum(bounces)::int as bounces, sum(complaints)::int as complaints
      from core_mailingtally group by 1, 2 having sum(bounces_all) <> 0 or sum(complaints) <> 0) a
    full join (
      select mailing_id, mailing_place as place, count(*) filter (where kind in ('hard', 'soft'))::int as there,
        count(distinct user_id) filter (where kind = 'hard')::int as bounces_there, count(distinct user_id) filter (where kind = 'complaint')::int as complaints_there
      from core_bounce where mailing_id is not null group by 1, 2) b using (mailing_id, place)
    where (told, bounces, complaints) is distinct from (there, bounces_there, complaints_there)`,

  // What each recipient did, …
  'openings and clicks of a recipient': `select * from (
      select mailing_id, user_id, opens, raw_opens, clicks, raw_clicks from core_trackedrecipient) a
    full join (
      select mailing_id, user_id, count(*) filter (where not click and not machine)::int as opens_there, count(*) filter (where not click)::int as raw_opens_there,
        count(*) filter (where click and not machine)::int as clicks_there, count(*) filter (where click)::int as raw_clicks_there
      from (select mailing_id, user_id, machine, false as click from core_open union all select mailing_id, user_id, machine, true from core_click) e
      group by 1, 2) b using (mailing_id, user_id)
    where (opens, raw_opens, clicks, raw_clicks) is distinct from (opens_there, raw_opens_there, clicks_there, raw_clicks_there)`,

  // … and all of them, those who are gone among them.
  'openings and clicks of a mailing': `select * from (
      select mailing_id, sum(total_opens)::int as opens, sum(total_clicks)::int as clicks, sum(total_raw_opens) as raw_opens, sum(total_raw_clicks) as raw_clicks,
        sum(opens) as openers, sum(clicks) as clickers from core_trackedtotal group by 1) a
    full join (select mailing_id, sum(total_opens)::int as opens_told, sum(total_clicks)::int as clicks_told, sum(opens) as openers_told, sum(clicks) as clickers_told
      from core_trackedtimeline group by 1) b using (mailing_id)
    full join (select mailing_id, sum(raw_opens) as raw_opens_there, sum(raw_clicks) as raw_clicks_there from core_trackedrecipient group by 1) c using (mailing_id)
    where (coalesce(opens, 0), coalesce(clicks, 0), coalesce(openers, 0), coalesce(clickers, 0))
        <> (coalesce(opens_told, 0), coalesce(clicks_told, 0), coalesce(openers_told, 0), coalesce(clickers_told, 0))
      or raw_opens < raw_opens_there or raw_clicks < raw_clicks_there`,

  // The counters of a shard that is over, …
  'recipients of a shard': `select s.mailing_id, s.shard, s.accepted, a.there, s.failed, s.skipped, s.uncertain, e.*
    from send_shard s,
      lateral (select count(*)::int as there from send_accepted a where a.mailing_id = s.mailing_id and a.position between s.from_position and s.to_position) a,
      lateral (select count(*) filter (where state = 3)::int as failed_there, count(*) filter (where state = 4)::int as skipped_there,
        count(*) filter (where state = 5)::int as uncertain_there from send_exception e where e.mailing_id = s.mailing_id and e.shard = s.shard) e
    where s.finished and (s.accepted, s.failed, s.skipped, s.uncertain) <> (a.there, e.failed_there, e.skipped_there, e.uncertain_there)`,

  // … and by subject.
  'recipients by subject': `select * from (
      select mailing_id, shard, sum(accepted)::int as told, sum(failed)::int as failed, sum(skipped)::int as skipped from send_tally group by 1, 2) t
    join send_shard s using (mailing_id, shard)
    where s.finished and (told, t.failed, t.skipped) <> (s.accepted, s.failed, s.skipped)`,

  // A file of people that is read to its end.
  'lines of an upload': `select u.id, status, line_count, progress, error_count, there
    from core_upload u, lateral (select count(*)::int as there from core_uploaderror e where e.upload_id = u.id) e
    where error_count <> there or status = 'completed' and progress <> line_count`,

  // Whoever is on a list is subscribed, and nobody else.
  'subscription status': `select * from (
      select id, subscription_status as told, exists (select from core_subscription s where s.user_id = u.id) as there from core_user u) a
    where (told = 'subscribed') <> there`,

  // Fields of an event are in its document and in a row each.
  'event fields': `select * from (select id as event_id, jsonb_object_keys(fields) as name from events_event) a
    full join (select event_id, name, id from events_eventfield) b using (event_id, name) where b.id is null`,

  // A donation's action is as far as its order.
  'status of a donation': `select o.id, o.status as there, a.status as told from core_order o join core_action a on a.id = o.action_id
    where a.status <> case when o.status in ('completed', 'reversed') then 'complete' when o.status = 'failed' then 'failed' else 'incomplete' end`,

  // Both are one person's.
  'person of a donation': `select o.id, o.user_id, a.user_id as of_action from core_order o join core_action a on a.id = o.action_id
    where o.user_id <> a.user_id`,

  // A mailing recurs while it has a schedule that is active.
  'schedule of a mailing': `select m.id, m.status as told, r.active as there
    from core_mailing m full join core_recurringschedule r on r.mailing_id = m.id
    where (m.status = 'recurring') is distinct from coalesce(r.active, false)`,

  // A page has one.
  'follow-up of a page': `select page_id, count(*) as there from core_pagefollowup group by 1 having count(*) > 1`,
};

/** All of it at one moment, whoever writes beside. */
const ALL = Object.entries(SUMS)
  .map(
    ([name, sql]) =>
      `select '${name}' as name, count(*)::int as rows, to_jsonb((array_agg(w))[1]) as first from (${sql}) w having count(*) > 0`,
  )
  .join(' union all ');

/** A derived number that is not what the rows say. */
export interface WrongSum {
  name: string;
  rows: number;
  first: Record<string, unknown>;
}

export const wrongSums = async (pool: pg.Pool): Promise<WrongSum[]> => (await pool.query<WrongSum>(ALL)).rows;
