import type pg from 'pg';
import { ACTED, ACTIVE_PERSON, MAILINGS } from './grown-data.ts';

/** Mails of each mailing beside the large ones. */
const SMALL = 2_000;
const CALLS = 100_000;

/**
 * What the console shows beyond a platform grown large (grown-data.ts), set-wise: mailings in every status, a whip count, uncertain people, an import with errors, a webhook, accounts,
 * and a last year that was like those before.
 * @param mailings how many there are in all
 */
export async function useConsole(pool: pg.Pool, mailings: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`set work_mem = '128MB'; set synchronous_commit = off`);
    for (const statement of statements(mailings)) await client.query(statement);
  } finally {
    client.release(true);
  }
  await pool.query('vacuum analyze');
}

const small = (mailings: number) => `generate_series(${MAILINGS + 1}, ${mailings}) n`;
const END = "now() - interval '2 years'";

const statements = (mailings: number): string[] => [
  // The newest rows, as many as come in a year or two, are of this year and the last.
  ...['core_user', 'core_subscriptionhistory', 'core_transaction'].map(
    (table) => `update ${table} t set created_at = ${END} + (t.id - least_id) * (interval '2 years' / (most_id - least_id + 1))
      from (select max(id)::bigint * 19 / 20 as least_id, max(id) as most_id from ${table}) newest where t.id >= least_id`,
  ),
  `insert into core_mailing (status, query_status, targeting_version_saved, saved_count, expected_send_count, started_at, finished_at, html, notes, custom_fromline, includes, hidden)
     select status, case when status in ('draft', 'model') then 'none' else 'saved' end, 1, ${SMALL}, case when begun then ${SMALL} end,
       case when begun then at end, case when status in ('completed', 'stopped', 'died') then at + interval '1 hour' end,
       '<p>Dear {{ user.first_name|default:"friend" }}</p>' || repeat('<p>There is a vote in {{ user.state }}.</p>' || chr(10), 200), 'note ' || n,
       '"River Alliance" <news@river.example>', '{"lists": [2]}', n % 37 = 0
     from ${small(mailings)}, lateral (select (array['draft', 'draft', 'model', 'stopped', 'died', 'scheduled', 'sending'])[1 + n / 12 % 7] as other) o,
       lateral (select case when n % 12 = 0 then other else 'completed' end as status) s,
       lateral (select status in ('completed', 'stopped', 'died', 'sending') as begun, ${END} + n * interval '1 day' as at) a`,
  `update core_mailing set scheduled_for = now() + interval '1 week' where status = 'scheduled'`,
  `insert into core_mailingsubject (mailing_id, position, text) select n, p, 'A vote on day ' || n || ', {{ user.first_name }}' from ${small(mailings)}, generate_series(0, n % 2) p`,
  `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, finished, accepted)
     select id, 0, 1, ${SMALL}, ${SMALL}, status <> 'sending', ${SMALL} from core_mailing where id > ${MAILINGS} and started_at is not null`,
  `insert into send_tally (mailing_id, shard, place, targeted, accepted, failed, skipped, uncertain)
     select id, 0, 0, ${SMALL}, ${SMALL}, 0, 0, 0 from core_mailing where id > ${MAILINGS} and started_at is not null`,
  `insert into core_trackedtotal (mailing_id, place, opens, total_opens, clicks, total_clicks)
     select id, 0, ${SMALL / 4}, ${SMALL / 3}, ${SMALL / 20}, ${SMALL / 18} from core_mailing where id > ${MAILINGS} and started_at is not null on conflict do nothing`,
  `insert into send_accepted (user_id, mailing_id, position, sent_second)
     select (p::bigint * 479 + id * 31) % (select max(id) from core_user) + 1, id, p, 200000000 + id * 86400 from core_mailing, generate_series(1, ${SMALL}) p
     where id > ${MAILINGS} and started_at is not null order by id, p on conflict do nothing`,
  // Of a few nobody knows.
  `insert into send_exception (mailing_id, position, user_id, shard, state, changed_at, detail)
     select ${ACTED.one}, 3000000 + state * 1000 + n, 5 * n + state, 0, state, now(), 'the connection was lost' from generate_series(1, 200) n, generate_series(2, 4) state`,
  `update send_shard set uncertain = 200, failed = 200, skipped = 200 where mailing_id = ${ACTED.one} and shard = 0`,
  `insert into core_mailinglink (mailing_id, number, url) select m, n, 'https://example.org/' || n from generate_series(1, ${MAILINGS}) m, generate_series(0, 4) n on conflict do nothing`,
  `update core_page set type = 'whipcount' where id = 1`,
  `insert into core_whipcountpage (page_ptr_id) values (1)`,
  `insert into core_whipcountform (page_id) values (1)`,
  `insert into core_target (type, state, seat, first, last, party)
     select 'house', s, s || '_' || lpad(n::text, 2, '0'), 'Ann', 'Member' || n, (array['D', 'R'])[1 + n % 2] from unnest(array['CA', 'NY', 'TX', 'FL', 'WA', 'OR', 'NV', 'AZ', 'OH', 'PA']) s, generate_series(1, 43) n`,
  `insert into core_whipcountactioncalled (whipcountaction_id, page_id, user_id, target_id, response, created_at)
     select a.id, 1, user_id, t.id, (array['supportive', 'opposed', 'uncommitted', 'message'])[1 + a.id % 4], created_at
     from (select * from core_action where page_id = 1 limit ${CALLS}) a, lateral (select id from core_target where id % 400 = a.id % 400 limit 1) t on conflict do nothing`,
  `insert into auth_group (name) select 'group ' || n from generate_series(1, 20) n`,
  `insert into auth_user (username, password, is_staff) select 'organiser' || n, '!', true from generate_series(1, 200) n`,
  `insert into core_auditlog (account_id, username, method, path, status, created_at)
     select 1, 'admin', 'PATCH', '/rest/v1/user/${ACTIVE_PERSON}/', 202, now() - n * interval '1 hour' from generate_series(1, 300) n`,
  `insert into core_upload (page_id, filename, status, line_count, progress, error_count, started_at, finished_at)
     values (2, 'people.csv', 'completed', 50000, 50000, 400, now() - interval '1 hour', now())`,
  `insert into core_uploaderror (upload_id, line, message) select 1, 7 * n, 'email: This is no email address.' from generate_series(1, 400) n`,
  `insert into core_webhook (url, events, secret) values ('https://example.org/told', '["mailing.completed"]', '')`,
  `insert into core_webhookdelivery (webhook_id, event, resource, resource_id, status, attempts, last_status)
     select 1, 'action', 'action', n, 'delivered', 1, 200 from generate_series(1, 50000) n`,
];
