import assert from 'node:assert/strict';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { push } from '../../support/donations.ts';
import { become, seedMailing, tally } from '../../support/sending.ts';
import { track } from '../../support/tracking.ts';

/** Columns saved reports of the public platform read, by the tables they read them from. */
const COLUMNS: Record<string, string> = {
  auth_user: 'id username first_name last_name email last_login date_joined is_active is_staff is_superuser',
  summary_user: 'user_id last_open last_click last_mailing_action mailbox_provider',
  summary_mailingmailboxprovider: 'mailbox_provider finished_at recipients',
  summary_usermailing: 'user_id mailing_id created_at opens raw_opens clicks raw_clicks',
  summary_mailing: 'mailing_id finished_at recipients opens total_opens clicks actions unsubscribes orders amount bounces complaints',
  numeric_9999: 'number',
  ...Object.fromEntries(
    ['signup', 'petition', 'unsubscribe', 'donation', 'import', 'whipcount'].map((type) => [`core_${type}action`, 'action_ptr_id']),
  ),
  core_subscriptionchangetype: 'id name',
  core_user_groups: 'user_id usergroup_id',
  core_usergroup: 'id name',
  core_user_page_tags: 'user_id tag_id',
  core_pagefield: 'parent_id name value',
  core_clickurl: 'id url',
  core_eventsignuppage: 'page_ptr_id campaign_id',
  core_eventcreatepage: 'page_ptr_id campaign_id',
  core_eventcreateaction: 'event_id action_ptr_id',
  core_eventsignupaction: 'signup_id action_ptr_id',
  core_event: 'id campaign_id starts_at_utc',
  events_eventfield: 'id parent_id name value',
  core_order_detail: 'id order_id amount',
  core_order_user_detail: 'id email',
  core_useroriginal: 'user_id zip',
  core_subscriptionhistory: 'user_id list_id change_id action_id updated_at',
  core_mailing: 'id progress recurring_schedule_id',
  core_usermailing: 'id user_id mailing_id subject_id',
  core_failedusermailing: 'id user_id mailing_id subject_id created_at reason',
  core_transaction: 'id account test_mode ref_transaction_id',
  core_order: 'id account',
  core_orderrecurring: 'id account',
  core_userfield: 'parent_id name value action_id',
  core_click: 'user_id clickurl_id',
  core_mailingtestgroup: 'title',
  core_action: 'id taf_emails_sent ip_address useragent_id',
  events_event: 'starts_at_utc ends_at_utc plus4 host_is_confirmed is_approved attendee_count note_to_attendees phone notes',
  events_eventsignup: 'page_id attended',
};

describe('reports people bring along', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await ensureReportRole(api.pool, api.env);
  });
  after(() => api.close());

  const run = async (query: string) => {
    const answer = await api.call('POST', '/rest/v1/report/run/sql/', { query });
    assert.equal(answer.statusCode, 200, `${query}: ${answer.body}`);
    return answer.json();
  };

  for (const [table, columns] of Object.entries(COLUMNS)) {
    it(`find ${table} and its columns`, () => run(`select ${columns.split(' ').join(', ')} from ${table} limit 1`));
  }

  for (const dialect of ['postgresql', 'mysql']) {
    it(`bind what they leave open, however it is written, in the dialect ${dialect}`, async () => {
      const bound = async (query: string, more: object = {}) =>
        api.call('POST', '/rest/v1/report/run/sql/', { query, dialect, x: "o'id", ...more });
      for (const query of ['select {{ x }}', 'select {{x}}', 'select {x}', 'select { x }', "select '{{ x }}'", "select '{ x }'"]) {
        assert.deepEqual((await bound(query)).json(), [["o'id"]], query);
      }
      assert.deepEqual((await bound("select '%{{ x }}%'")).json(), [["%o'id%"]]);
      if (dialect === 'mysql') assert.deepEqual((await bound('select "{{ x }}"')).json(), [["o'id"]]);
      const sorted = await bound('select id from core_user order by {{ x }}');
      assert.match(sorted.json().errors.query[0], /ORDER BY \{\{ x \}\}/);
      assert.deepEqual(Object.keys((await bound('select {{ y }}')).json().errors), ['y']);
    });
  }

  it('find what was done in them', async () => {
    await api.create('list', { name: 'News' });
    await api.create('signuppage', { name: 'join', list: 1, fields: { colour: 'red' } });
    const done = await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'ann@example.org' });
    const { id, user } = done.json();
    const userId = Number(user.split('/')[4]);
    assert.deepEqual(
      await run(
        `select h.user_id, c.name, h.action_id, a.ip_address, s.action_ptr_id from core_subscriptionhistory h join core_subscriptionchangetype c on c.id = h.change_id
         join core_action a on a.id = h.action_id join core_signupaction s on s.action_ptr_id = a.id`,
      ),
      [[userId, 'subscribe', id, '127.0.0.1', id]],
    );
    assert.deepEqual(await run('select name, value from core_pagefield'), [['colour', 'red']]);
  });

  it('net what was given back against the payment it was of', async () => {
    const { order } = await push(api, { order: { amount: '12.00' } });
    assert.equal((await api.call('POST', `${order.resource_uri}reverse/`)).statusCode, 202);
    assert.deepEqual(
      await run(`select t.type, t.status, c.type, c.amount from core_transaction t join core_transaction c on c.ref_transaction_id = t.id`),
      [['sale', 'reversed', 'credit', '12.00']],
    );
  });

  it('take for the last opening and click of somebody those of theirs, not what programs did after them', async () => {
    const mailingId = await seedMailing(api.pool, 2);
    await api.pool.query(`insert into core_mailinglink (mailing_id, number, url) values ($1, 0, 'https://example.org/')`, [mailingId]);
    const [[one], [other]] = await run('select id from core_user order by id limit 2');
    const did = (userId: number, day: number, machine: boolean, link: number | null) => ({
      ...{ userId, mailingId, machine, link },
      at: new Date(Date.UTC(2026, 2, day)),
    });
    const [opened, clicked] = [did(one, 1, false, null), did(one, 2, false, 0)];
    await track(
      api.pool,
      opened,
      clicked,
      did(one, 3, true, null),
      did(one, 4, true, 0),
      did(other, 5, true, null),
      did(other, 6, true, 0),
    );
    const days = `select date(last_open), date(last_click) from summary_user where user_id in (${one}, ${other}) order by user_id`;
    assert.deepEqual(await run(days), [
      ['2026-03-01', '2026-03-02'],
      [null, null],
    ]);
  });

  it('say who was passed over by a mailing, and why, while it is sent and afterwards', async () => {
    const id = await seedMailing(api.pool, 4, { shardSize: 2 });
    await become(api.pool, id, [{ position: 1, state: 4, detail: 'user.city is missing' }], { recorded: true });
    await become(api.pool, id, [{ position: 3, state: 4, detail: 'not subscribed any more' }]);
    const listed = await run(
      `select user_id, reason, created_at is not null from core_failedusermailing where mailing_id = ${id} order by 1`,
    );
    const skipped = await api.read(`/rest/v1/mailer/${id}/skipped/`);
    assert.deepEqual(
      listed,
      skipped.objects.map(({ user, detail }: { user: string; detail: string }) => [Number(user.split('/')[4]), detail, true]),
    );
    assert.deepEqual(
      listed.map(([, reason]: [number, string]) => reason),
      ['user.city is missing', 'not subscribed any more'],
    );
  });

  it('say which of its subjects a mail had, as results do', async () => {
    const id = await seedMailing(api.pool, 7, { shardSize: 4 });
    await api.pool.query('delete from core_mailingsubject where mailing_id = $1', [id]);
    // Numbered against their order, as after a change of subjects.
    for (const [position, text] of [
      [2, 'Three'],
      [1, 'Two'],
      [0, 'One'],
    ] as const)
      await api.pool.query('insert into core_mailingsubject (mailing_id, position, text) values ($1, $2, $3)', [id, position, text]);
    await become(
      api.pool,
      id,
      [1, 2, 3, 4].map((position) => ({ position, state: 2 })),
      { recorded: true },
    );
    await api.pool.query('update send_shard set finished = true, accepted = 4 where mailing_id = $1 and shard = 0', [id]);
    await tally(api.pool, id);
    await become(api.pool, id, [
      { position: 5, state: 2 },
      { position: 6, state: 4, detail: 'user.city is missing' },
    ]);
    const { subjects } = await api.read(`/rest/v1/mailer/${id}/results/`);
    for (const [table, count] of [
      ['core_usermailing', 'recipients'],
      ['core_failedusermailing', 'skipped'],
    ] as const) {
      const counted = await run(
        `select s.text, (select count(*) from ${table} m where m.subject_id = s.id) from core_mailingsubject s where mailing_id = ${id} order by position`,
      );
      assert.deepEqual(
        counted.map(([text, many]: [string, unknown]) => [text, Number(many)]),
        subjects.map((subject: Record<string, unknown>) => [subject['subject'], subject[count]]),
        table,
      );
    }
  });

  it('say how far a mailing is as its documents do, within shards that are not finished, too', async () => {
    const id = await seedMailing(api.pool, 6, { shardSize: 3 });
    await become(
      api.pool,
      id,
      [1, 2, 3].map((position) => ({ position, state: 2 })),
      { recorded: true },
    );
    await api.pool.query('update send_shard set finished = true, accepted = 3 where mailing_id = $1 and shard = 0', [id]);
    await tally(api.pool, id);
    await become(api.pool, id, [{ position: 4, state: 2 }]);
    await api.pool.query('update send_shard set accepted = 1 where mailing_id = $1 and shard = 1', [id]);
    await api.pool.query(`update core_mailing set status = 'stopped', started_at = now() where id = $1`, [id]);
    assert.deepEqual(
      await run(`select progress, recipients from core_mailing m join summary_mailing s on s.mailing_id = m.id where m.id = ${id}`),
      [[4, 4]],
    );
    assert.equal((await api.read(`/rest/v1/mailer/${id}/progress/`)).progress, 4);
  });
});
