import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';

describe('the counts kept of users', () => {
  let api: TestApi;
  let french: string;
  const total = async (query: string) => (await api.read(`/rest/v1/user/?${query}&_limit=1`)).meta.total_count;
  const FILTERS: Record<string, string> = {
    '': 'true',
    'state=CA': "state = 'CA'",
    'state=': "state = ''",
    'country=Canada': "country = 'Canada'",
    'source=tour': "source = 'tour'",
    'subscription_status=unsubscribed': "subscription_status = 'unsubscribed'",
    'language=1': 'lang_id = 1',
    'state=CA&country=Canada': "state = 'CA' and country = 'Canada'",
  };
  const agree = async (when: string) => {
    for (const [query, where] of Object.entries(FILTERS)) {
      const { rows } = await api.pool.query(`select count(*)::int as n from core_user where ${where}`);
      assert.equal(await total(query), rows[0].n, `${query || 'all'} ${when}`);
    }
  };

  before(async () => {
    api = await startApi();
    french = await api.create('language', { name: 'French', iso_code: 'fr' });
  });
  after(() => api.close());

  it('are those of the table after changes of every kind', async () => {
    await agree('when there is nobody');
    await api.pool.query(`
      insert into core_user (email, state, country, source, lang_id)
      select i || '@example.org', (array['CA', 'NY', ''])[1 + i % 3], (array['Canada', 'France'])[1 + i % 2], 'tour', case when i % 5 = 0 then 1 end
      from generate_series(1, 300) i`);
    await agree('after a load');
    await api.pool.query(`update core_user set state = 'CA', subscription_status = 'unsubscribed' where id % 4 = 0`);
    await agree('after a change of many');
    await api.pool.query('delete from core_user where id % 7 = 0');
    await agree('after a deletion');
    await api.pool.query(`insert into core_user (email, state) values ('2@example.org', 'CA'), ('new@example.org', 'CA')
      on conflict (lower(email)) do update set state = 'TX'`);
    await agree('after an upsert');
    await api.call('DELETE', french);
    await agree('after a language went');
    const client = await api.pool.connect();
    await client.query('begin');
    await client.query(`insert into core_user (email, state) values ('rolled@example.org', 'CA')`);
    await agree('while a change is under way');
    await client.query('rollback');
    client.release();
    await agree('after it was taken back');
    await api.pool.query('truncate core_user cascade');
    await agree('after everybody went');
  });

  it('stay so, and stay few, under thousands of changes at once', async () => {
    const churn = (from: number) => `do $$ begin
      for i in 1..700 loop
        insert into core_user (email, state, country) values (${from} + i || '@example.org', 'CA', 'Canada');
        update core_user set state = 'NY' where email = ${from} + i - 3 || '@example.org';
        delete from core_user where email = ${from} + i - 5 || '@example.org' and i % 2 = 0;
        commit;
      end loop;
    end $$`;
    await Promise.all([0, 10_000, 20_000].map((from) => api.pool.query(churn(from))));
    await agree('after it all');
    const { rows } = await api.pool.query('select count(*)::int as n from core_tally');
    assert.ok(rows[0].n < 9_000, `${rows[0].n} rows: folded on the way`);
  });

  it('are folded in no time also where the statistics are of a moment when there was nothing', async () => {
    const client = await api.pool.connect();
    try {
      for (const [table, columns, fold] of [
        ['core_tally', `(counted, facet, value, delta) select 'core_user', 'state', i % 50, 1`, `core_tally_fold('core_user')`],
        ['core_mailingtally', '(mailing_id, place, actions) select 1, i % 50, 1', 'core_mailingtally_fold(array[1])'],
      ]) {
        const fill = () => client.query(`insert into ${table} ${columns} from generate_series(1, 9000) i`);
        const left = async () => (await client.query(`select count(*)::int as n from ${table}`)).rows[0].n;
        await client.query('begin');
        await client.query(`delete from ${table}`);
        await fill();
        await client.query(`delete from ${table}`);
        await client.query(`analyze ${table}`);
        await fill();
        // By nested loops it is minutes, on any machine.
        await client.query(`set local statement_timeout = '20s'`);
        await client.query(`select ${fold}`);
        assert.equal(await left(), 50, table);
        await client.query('rollback');
      }
    } finally {
      client.release();
    }
  });
});

describe('the counts kept of actions and subscriptions', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('are those of the tables after changes of every kind', async () => {
    const filters: Record<string, [table: string, where: string]> = {
      order: ['core_order', 'true'],
      transaction: ['core_transaction', 'true'],
      userfield: ['core_userfield', 'true'],
      actionfield: ['core_actionfield', 'true'],
      phone: ['core_phone', 'true'],
      location: ['core_location', 'true'],
      action: ['core_action', 'true'],
      'action/?status=incomplete': ['core_action', `status = 'incomplete'`],
      'action/?source=tour': ['core_action', `source = 'tour'`],
      'action/?page=1': ['core_action', 'page_id = 1'],
      signupaction: ['core_action', 'page_id in (select id from core_page where type = $$signup$$)'],
      petitionaction: ['core_action', 'page_id in (select id from core_page where type = $$petition$$)'],
      subscription: ['core_subscription', 'true'],
      'subscription/?list=2': ['core_subscription', 'list_id = 2'],
      subscriptionhistory: ['core_subscriptionhistory', 'true'],
      'subscriptionhistory/?list=1': ['core_subscriptionhistory', 'list_id = 1'],
    };
    const agree = async (when: string) => {
      for (const [path, [table, where]] of Object.entries(filters)) {
        const { rows } = await api.pool.query(`select count(*)::int as n from ${table} where ${where}`);
        assert.equal((await api.read(`/rest/v1/${path}`)).meta.total_count, rows[0].n, `${path} ${when}`);
      }
    };
    await agree('when there is nothing');
    for (const name of ['News', 'Alerts']) await api.create('list', { name });
    await api.create('signuppage', { name: 'join', list: '/rest/v1/list/1/' });
    await api.create('petitionpage', { name: 'other', list: '/rest/v1/list/1/' });
    await api.pool.query(`insert into core_user (email) select i || '@example.org' from generate_series(1, 200) i`);
    await api.pool.query(`
      insert into core_action (user_id, page_id, source, status)
      select id, 1 + id % 2, (array['tour', 'web'])[1 + id % 2], (array['complete', 'incomplete', 'failed'])[1 + id % 3] from core_user`);
    await api.pool.query('insert into core_subscription (user_id, list_id) select id, 1 + id % 2 from core_user');
    await api.pool.query(
      `insert into core_subscriptionhistory (user_id, list_id, change) select id, 1 + id % 2, 'subscribe' from core_user`,
    );
    await api.pool.query(`
      insert into core_userfield (parent_id, name) select id, 'shirt' from core_user;
      insert into core_actionfield (parent_id, name) select id, 'why' from core_action;
      insert into core_phone (user_id, phone) select id, '1' from core_user;
      insert into core_location (user_id) select id from core_user`);
    await agree('after a load');
    const more = { user_shirt: 'L', action_why: 'it', zip: '94110', country: 'United States' };
    await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'new@example.org', source: 'tour', ...more });
    await api.call('PATCH', '/rest/v1/user/5/', { zip: '10001', country: 'United States', fields: { shirt: ['M', 'S'] }, phones: [] });
    await api.pool.query(`
      insert into core_orderuserdetail (user_id) select 1 from generate_series(1, 9);
      insert into core_order (action_id, user_id, user_detail_id, account_id, total, total_converted)
        select id, 1, id, (select min(id) from core_paymentaccount), 5, 5 from core_orderuserdetail;
      insert into core_transaction (type, order_id, account_id, amount, amount_converted) select 'sale', id, account_id, 5, 5 from core_order`);
    await agree('after an action');
    await api.pool.query(`update core_action set source = 'web', page_id = 1 where id % 4 = 0`);
    await agree('after a change of many');
    await api.call('PATCH', '/rest/v1/action/1/', { status: 'incomplete' });
    await agree('after a change of one');
    await api.call('DELETE', '/rest/v1/user/3/');
    await agree('after somebody went');
    await api.call('DELETE', '/rest/v1/list/2/');
    filters['subscription/?list=1'] = ['core_subscription', 'list_id = 1'];
    delete filters['subscription/?list=2'];
    await agree('after a list went');
    await api.call('DELETE', '/rest/v1/page/2/');
    await agree('after a page went');
  });
});
