import assert from 'node:assert/strict';
import pg from 'pg';
import { BELONGINGS, ERASE_OPTIONS } from '../../core/people/belongings.ts';
import { eraseUser } from '../../core/people/erase.ts';
import { FREE_TEXTS, forgetInTexts } from '../../core/people/free-texts.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { createDatabase } from '../support/database.ts';
import { rowsRead } from '../support/rows-read.ts';

const MANY = 2000;
const EMAIL = `O'Zed+"x\\y".(1)@Example.org`;

/** Texts that need not be looked at when somebody is erased, by the reason. A table alone is all of its columns. */
const LEFT: Record<string, string[]> = {
  'words of ours, of a fixed list or made by us': [
    ...['core_action.status', 'core_action.taken_with', 'core_backgroundtask.status', 'core_backgroundtask.format', 'core_bounce.kind'],
    ...[
      'core_bounce.code',
      'core_bounce.report_id',
      'core_crmmap.ending',
      'core_crmmap.match_type',
      'core_crmmap.status',
      'core_crmmap.held_by',
      'core_crmmap.round',
      ...['user', 'order', 'transaction'].map((kind) => `core_partner${kind}map.round`),
    ],
    ...[
      'core_crmmap.crm_id',
      'core_erasure',
      'core_mailing.status',
      'core_mailing.query_status',
      'core_mailingnotice.kind',
      'core_mailingnotice.status',
    ],
    ...['core_mergefile.status', 'core_order.status', 'core_order.payment_method', 'core_orderdetail', 'core_orderrecurring.status'],
    ...[
      'core_orderrecurring.period',
      'core_subscriptionhistory',
      'core_transaction.type',
      'core_transaction.status',
      'core_transactionalmailing.kind',
    ],
    ...[
      'core_transactionalmailing.status',
      'core_upload.status',
      'core_user.subscription_status',
      'core_usermerge',
      'core_recurringcopy',
      'core_listdeletion',
    ],
    ...[
      'core_recurringschedule',
      'events_event.status',
      'events_eventsignup.role',
      'events_eventsignup.status',
      'partner_intent.kind',
      'partner_intent.held_by',
    ],
    ...[
      'core_whipcountpage.hosted_with',
      'core_whipcounttally',
      'schema_migration',
      'send_pace',
      'push_key',
      'core_auditlog',
      'core_tally',
      'dkim_key',
      'secret_mark',
      'targeting_going',
    ],
    'sender_check.domain',
    'core_webhookdelivery',
  ],
  'written by staff about their pages, mailings and reports': [
    ...['auth_group', 'auth_user', 'auth_consolesession', 'core_alloweduserfield', 'core_candidate', 'core_cmsform', 'core_donationform'],
    ...['core_emailwrapper', 'core_fromline', 'core_language', 'core_list', 'core_mailing', 'core_mailinglink', 'core_mailingsubject'],
    ...[
      'core_mailingtestgroup',
      'core_mergefile.lookup_column',
      'core_mergefile.name',
      'core_mergefile.columns',
      'core_page',
      'core_pagefollowup',
    ],
    ...[
      'core_paymentaccount',
      'core_product',
      'core_snippet',
      'core_tag',
      'core_targetgroup',
      'core_whipcountform',
      'core_whipcountoverride',
    ],
    ...[
      'core_whipcountpage',
      'core_multilingualcampaign',
      'core_usergroup',
      'events_campaign',
      'reports_queryreport',
      'core_webhook',
      'core_upload.columns',
      'core_crmmap.fields_sent',
      'core_mailingproof.proof_users',
    ],
  ],
  'data everybody may have': ['core_currency', 'core_target', 'geo_zipplace'],
  'numbers of money, kept by law and naming nobody': [
    ...[
      'core_order.currency',
      'core_order.card_num_last_four',
      'core_order.import_id',
      'core_orderrecurring.currency',
      'core_orderrecurring.card_num',
    ],
    ...['core_orderrecurring.exp_date', 'core_orderrecurring.recurring_id', 'core_transaction.currency', 'core_transaction.failure_code'],
    'core_transaction.trans_id',
  ],
  'an event’s own, shown to those who come; its fields go': ['events_event', 'events_eventfield'],
  'an action’s way to us; its fields and its address on the network go': ['core_action.source', 'core_action.opq_id'],
  'an answer of a donor that was refused, looked up by its address': ['core_donationattempt.page'],
  'addresses that must never be mailed stay for that': ['core_blackholedemail'],
  'lines of a file that is being imported: what staff bring in is there for minutes, a day at most': [
    'core_uploadblock',
    'core_uploaddraft',
  ],
  'numbers of people and places': [
    'send_set.user_ids',
    'send_log.accepted',
    'send_log.positions',
    'send_log.states',
    'send_reached.words',
    'send_reached.members',
  ],
  'gone with the erasure by code of its own': [
    ...[
      'core_mailingproof.reviewers',
      'report_cache',
      'report_file',
      'core_backgroundtask.statement',
      'core_backgroundtask.emails',
      'core_backgroundtask.short_name',
    ],
    ...['core_user', 'send_log.details', 'send_exception.detail', 'send_run', 'send_earlier_run'],
  ],
};

describe('what others wrote about people', () => {
  let pool: pg.Pool;

  before(async () => {
    pool = new pg.Pool({ connectionString: await createDatabase(), max: 2 });
  });
  after(() => pool.end());

  it('is known of every column that holds text: erased with its user, looked through, or left for a reason', async () => {
    const { rows } = await pool.query<{ table: string; at: string }>(
      `select c.table_name as table, c.table_name || '.' || c.column_name as at from information_schema.columns c
       join information_schema.tables t using (table_schema, table_name)
       where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type in ('text', 'jsonb', 'json', 'character varying', 'ARRAY') order by 2`,
    );
    const known = new Set([...FREE_TEXTS.map(({ table, column }) => `${table}.${column}`), ...Object.values(LEFT).flat()]);
    for (const { table, erase } of BELONGINGS) {
      if (typeof erase === 'string') continue;
      if ('delete' in erase) known.add(table);
      else for (const column of Object.keys(erase.set)) known.add(`${table}.${column}`);
    }
    assert.deepEqual(
      rows.filter(({ table, at }) => !known.has(at) && !known.has(table)).map(({ at }) => at),
      [],
    );
  });

  it('is looked through without the many of whom nothing was said', async () => {
    await pool.query(`insert into core_user (email) select 'p' || n || '@example.org' from generate_series(1, ${MANY}) n`);
    await pool.query('insert into core_crmmap (user_id) select id from core_user');
    await pool.query(`insert into core_transactionalmailing (user_id, status) select id, 'sent' from core_user`);
    for (const [table, column] of [
      ['core_crmmap', 'last_error'],
      ['core_transactionalmailing', 'detail'],
    ] as const) {
      await pool.query(`update ${table} set ${column} = '550 <ada@example.org>' where id % 1000 = 0`);
      await pool.query(`vacuum analyze ${table}`);
      const rows = await rowsRead(pool, table, () => inOneTransaction(pool, (sql) => forgetInTexts(sql, ['ada@example.org'])));
      assert.ok(rows < 50, `${rows} rows of ${table}`);
      assert.equal((await pool.query(`select from ${table} where ${column} = '550 <…>'`)).rowCount, MANY / 1000);
    }
    await pool.query('delete from core_crmmap; delete from core_user');
  });

  it('is none of an address that what JSON writes for a sign would begin', async () => {
    const told = ['line\n@example.org, \u001f@example.org, C:\\n@example.org, <n@example.org>'];
    for (const [email, left] of [
      ['n@example.org', 'line\n@example.org, \u001f@example.org, C:\\…, <…>'],
      ['u001f@example.org', told[0]],
      ['1f@example.org', told[0]],
    ] as const) {
      await pool.query(`insert into core_backgroundtask (statement, errors) values ('{}', $1)`, [JSON.stringify(told)]);
      await inOneTransaction(pool, (sql) => forgetInTexts(sql, [email]));
      assert.deepEqual((await pool.query('delete from core_backgroundtask returning errors')).rows, [{ errors: [left] }], email);
    }
  });

  it('is looked through in a moment where the address stands in it thousands of times', async () => {
    const told = ['n@example.org\n'.repeat(15_000)];
    await pool.query(`insert into core_backgroundtask (statement, errors) values ('{}', $1)`, [JSON.stringify(told)]);
    await inOneTransaction(pool, async (sql) => {
      await sql(`set local statement_timeout = '3s'`);
      await forgetInTexts(sql, ['n@example.org']);
    });
    const { rows } = await pool.query('delete from core_backgroundtask returning errors');
    assert.deepEqual(rows, [{ errors: ['…\n'.repeat(15_000)] }]);
  });

  it('loses the address of whoever is erased, and nothing else', async () => {
    const texts = (n: number) => `550 <${EMAIL.toUpperCase()}>, ${EMAIL}: no. <other${n}@example.org>`;
    const id = async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows[0]?.id as number;
    const user = await id('insert into core_user (email) values ($1) returning id', [EMAIL]);
    const other = await id(`insert into core_user (email) values ('other@example.org') returning id`);
    const page = await id(`insert into core_page (name, type) values ('p', 'import') returning id`);
    const mailing = await id('insert into core_mailing default values returning id');
    await pool.query(`insert into core_mailingnotice (mailing_id, kind) values ($1, 'died')`, [mailing]);
    await pool.query(`insert into core_mailingproof (mailing_id, reviewers, proofs) values ($1, '[]', 1)`, [mailing]);
    await pool.query('insert into core_mailingrebuild (mailing_id, targeting_version) values ($1, 1)', [mailing]);
    await pool.query(`insert into core_backgroundtask (statement) values ('{}')`);
    const upload = await id('insert into core_upload (page_id) values ($1) returning id', [page]);
    await pool.query('insert into core_uploaderror (upload_id, line) values ($1, 1)', [upload]);
    await pool.query('insert into core_mergefile default values');
    await pool.query(`insert into core_bounce (user_id, kind) values ($1, 'soft')`, [other]);
    await pool.query('insert into core_transactionalmailing (user_id) values ($1)', [other]);
    await pool.query('insert into core_crmmap (user_id) values ($1)', [other]);
    await pool.query(`insert into partner_intent (kind, local_id) values ('user', $1)`, [other]);
    await pool.query(`insert into sender_check (domain, passed, items) values ('example.org', false, '[]')`);
    for (const [n, { table, column, json }] of FREE_TEXTS.entries()) {
      const { rowCount } = await pool.query(`update ${table} set ${column} = $1`, [json ? JSON.stringify([texts(n)]) : texts(n)]);
      assert.equal(rowCount, 1, table);
    }
    const job = await id('insert into core_erasure (user_id, options) values ($1, $2) returning id', [user, JSON.stringify(ERASE_OPTIONS)]);
    await inOneTransaction(pool, (sql) => eraseUser(sql, job, 'secret'));
    for (const [n, { table, column, json }] of FREE_TEXTS.entries()) {
      const { rows } = await pool.query(`select ${column} as left from ${table}`);
      const left = `550 <…>, …: no. <other${n}@example.org>`;
      assert.deepEqual(rows, [{ left: json ? [left] : left }], `${table}.${column}`);
    }
  });
});
