import { LEDGER_STATE, PAGE_TYPES, SUBSCRIPTION_CHANGES } from '../../domain/words.ts';

// What reports of the public platform look for under names of its own: tables made of ours, and columns beside ours.

const typeTable = (type: string): [string, string] => [
  `core_${type}action`,
  `select a.id as action_ptr_id from public.core_action a join public.core_page p on p.id = a.page_id where p.type = '${type}'`,
];

const eventPages = (type: string): [string, string] => [
  `core_${type}page`,
  `select e.page_ptr_id, e.campaign_id from public.events_eventpage e join public.core_page p on p.id = e.page_ptr_id where p.type = '${type}'`,
];

const changes = SUBSCRIPTION_CHANGES.map((change, index) => `(${index + 1}, '${change}'::text)`).join(', ');
const changeId = `case change ${SUBSCRIPTION_CHANGES.map((change, index) => `when '${change}' then ${index + 1}`).join(' ')} end`;
const provider = `lower(split_part(u.email, '@', 2)) as mailbox_provider`;

const TRACKED = ['opens', 'raw_opens', 'clicks', 'raw_clicks'];
const TOTALS = [...TRACKED, ...TRACKED.map((name) => `total_${name}`)];
const CAME = ['actions', 'new_users', 'unsubscribes', 'orders', 'bounces', 'bounces_all', 'complaints'];
const AMOUNTS = ['amount', 'amount_converted'];
const sums = (names: string[], type: string) => names.map((name) => `coalesce(sum(${name}), 0)::${type} as ${name}`).join(', ');
const of = (row: string, names: string[]) => names.map((name) => `${row}.${name}`).join(', ');

/** The subject somebody at a position of a mailing had, as results have it. Looked up for those rows alone of whom a report asks for it. */
const subjectId = `(select (array_agg(s.id order by s.position, s.id))[1 + r.position % greatest(count(*), 1)::int] from public.core_mailingsubject s where s.mailing_id = r.mailing_id)`;
const ofRecord = `r.mailing_id::bigint * 4294967296 + r.user_id as id, ${subjectId} as subject_id`;

/** Queries of views that are no table of ours. */
export const REPORT_QUERIES: Readonly<Record<string, string>> = {
  core_usermailing: `select r.user_id, r.mailing_id, r.changed_at as created_at, ${ofRecord} from public.send_record r where r.state = ${LEDGER_STATE.accepted}`,
  // Who was passed over. Who is named no more (a number below 0) is counted elsewhere.
  core_failedusermailing: `select r.user_id, r.mailing_id, r.changed_at as created_at, ${ofRecord}, coalesce(r.detail, '')::text as reason from public.send_record r where r.state = ${LEDGER_STATE.skipped} and r.user_id > 0`,
  ...Object.fromEntries(PAGE_TYPES.map(typeTable)),
  ...Object.fromEntries(['eventcreate', 'eventsignup'].map(eventPages)),
  core_eventcreateaction: 'select id as event_id, action_id as action_ptr_id from public.events_event where action_id is not null',
  core_eventsignupaction: 'select id as signup_id, action_id as action_ptr_id from public.events_eventsignup where action_id is not null',
  core_subscriptionchangetype: `select id, name from (values ${changes}) as change (id, name)`,
  core_clickurl: `select mailing_id::bigint * 65536 + number as id, url from public.core_mailinglink`,
  core_pagefield: `select p.id as parent_id, f.key as name, f.value #>> '{}' as value from public.core_page p, jsonb_each(p.fields) f`,
  core_user_page_tags: `select distinct a.user_id, t.tag_id from public.core_action a join public.core_page_tags t on t.page_id = a.page_id`,
  summary_user: `select u.id as user_id, (select max(o.created_at) from public.core_open o where o.user_id = u.id and not o.machine) as last_open, (select max(c.created_at) from public.core_click c where c.user_id = u.id and not c.machine) as last_click, (select max(a.created_at) from public.core_action a where a.user_id = u.id and a.mailing_id is not null) as last_mailing_action, ${provider} from public.core_user u`,
  // What core_open and core_click say of each recipient and mailing, counted as it came: a join of those with core_usermailing reads every opening there is.
  summary_usermailing: `select r.user_id, r.mailing_id, r.changed_at as created_at, ${TRACKED.map((name) => `coalesce(t.${name}, 0)::int as ${name}`).join(', ')} from public.send_record r left join public.core_trackedrecipient t on t.mailing_id = r.mailing_id and t.user_id = r.user_id where r.state = ${LEDGER_STATE.accepted}`,
  summary_mailing: `select m.id as mailing_id, m.started_at, m.finished_at, s.recipients, ${of('t', TOTALS)}, ${of('c', [...CAME, ...AMOUNTS])} from public.core_mailing m, lateral (select coalesce(sum(accepted), 0)::int as recipients from public.send_shard where mailing_id = m.id) s, lateral (select ${sums(TOTALS, 'int')} from public.core_trackedtotal where mailing_id = m.id) t, lateral (select ${sums(CAME, 'int')}, ${sums(AMOUNTS, 'numeric(20, 2)')} from public.core_mailingtally where mailing_id = m.id) c`,
  summary_mailingmailboxprovider: `select m.id as mailing_id, ${provider}, m.finished_at, count(*)::int as recipients from public.send_record r join public.core_mailing m on m.id = r.mailing_id join public.core_user u on u.id = r.user_id where r.state = ${LEDGER_STATE.accepted} group by 1, 2, 3`,
  // Who is who among the accounts; no hashes.
  auth_user:
    'select id, username, first_name, last_name, email, last_login, date_joined, is_active, is_staff, is_superuser from public.auth_user',
  numeric_9999: `select number from generate_series(0, 9999) as number`,
};

/** Of those that are a table of ours under another name: whose. */
export const OTHER_NAMES: Readonly<Record<string, string>> = {
  core_order_detail: 'core_orderdetail',
  core_order_user_detail: 'core_orderuserdetail',
  core_useroriginal: 'core_user_original',
  core_event: 'events_event',
};

const account = `(select p.name from public.core_paymentaccount p where p.id = t.account_id)`;

/** Columns a view has beside those of its table `t`: what they are, by their names. */
export const REPORT_COLUMNS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  core_subscriptionhistory: { change_id: changeId, action_id: 't.action', updated_at: 't.created_at' },
  core_mailing: {
    progress: '(select coalesce(sum(s.accepted), 0)::int from public.send_shard s where s.mailing_id = t.id)',
    recurring_schedule_id: `(select r.id from public.core_recurringschedule r where r.mailing_id = coalesce(t.recurring_source_mailing_id, t.id))`,
  },
  core_transaction: { account, test_mode: 'false', ref_transaction_id: 't.reversed_id' },
  core_order: { account },
  core_orderrecurring: { account },
  core_userfield: { action_id: 'null::int' },
  core_click: { clickurl_id: 't.mailing_id::bigint * 65536 + t.link_number' },
  core_mailingtestgroup: { title: 't.name' },
  core_action: { taf_emails_sent: '0', useragent_id: 'null::int' },
  events_event: {
    starts_at_utc: 't.starts_at',
    ends_at_utc: 't.ends_at',
    attendee_count: `(select count(*)::int from public.events_eventsignup s where s.event_id = t.id and s.role = 'attendee' and s.status = 'active')`,
    phone: `''::text`,
    notes: `''::text`,
  },
  events_eventfield: {
    parent_id: 't.event_id',
    value: '(select e.fields #>> array[t.name] from public.events_event e where e.id = t.event_id)',
  },
  events_eventsignup: { attended: 'null::boolean' },
};
