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
    const { rows } = await api.pool.query('select count(*)::int as n from core_user_tally');
    assert.ok(rows[0].n < 9_000, `${rows[0].n} rows: folded on the way`);
  });
});
