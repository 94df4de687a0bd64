import { deepEqual, equal } from 'node:assert/strict';
import { leaveAllLists } from '../../core/people/leaving.ts';
import type { Sql } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { akid } from '../../domain/akid.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { idIn } from '../support/mailings.ts';
import { untilWaiting } from '../support/sessions.ts';

describe('a link to unsubscribe by that is used several times at once', () => {
  let api: TestApi;

  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('is one person who leaves once', async () => {
    const list = await api.create('list', { name: 'Readers' });
    await api.create('signuppage', { name: 'join', list });
    const joined = await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'twice@example.org' });
    const id = idIn(joined.json().user);
    const open = { authorization: '', 'content-type': 'application/x-www-form-urlencoded' };
    const { answers } = await inOneTransaction(api.pool, async (sql) => {
      await sql('select from core_user where id = $1 for update', [id]);
      const url = `/unsubscribe/?akid=${akid(api.env.SECRET_KEY, null, id)}`;
      const sent = [1, 2, 3].map(() => api.call('POST', url, 'List-Unsubscribe=One-Click', open));
      await untilWaiting(api.pool, sent.length);
      return { answers: Promise.all(sent) };
    });
    deepEqual(
      (await answers).map(({ statusCode }) => statusCode),
      [200, 200, 200],
    );
    const of = async (table: string, what: string) =>
      (await api.pool.query(`select count(*)::int as n from ${table} where user_id = ${id} and ${what}`)).rows[0].n;
    equal(await of('core_subscription', 'true'), 0);
    equal(await of('core_action', `source = 'mail'`), 1);
    equal(await of('core_subscriptionhistory', `change = 'unsubscribe_email'`), 1);
  });

  it('is good where the page of those who left is deleted just then', async () => {
    const list = await api.create('list', { name: 'Listeners' });
    await api.create('signuppage', { name: 'listen', list });
    const joined = await api.call('POST', '/rest/v1/action/', { page: 'listen', email: 'listener@example.org' });
    const id = idIn(joined.json().user);
    let deleted = 0;
    await inOneTransaction(api.pool, (sql) => {
      const deleting: Sql = async (text, values) => {
        if (/core_page where name/.test(text) && deleted++ === 0)
          await api.pool.query(`delete from core_page where name = 'unsubscribe-from-mail'`);
        return sql(text, values);
      };
      return leaveAllLists(deleting, id, null, null);
    });
    equal((await api.read(`/rest/v1/user/${id}/`)).subscription_status, 'unsubscribed');
  });
});
