import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RebuildError } from '../../../core/targeting/rebuild-error.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { buildSet, idIn, READY } from '../../support/mailings.ts';
import { untilWaiting } from '../../support/sessions.ts';

describe('somebody who is left out by something that is deleted', () => {
  let api: TestApi;
  let list: string;
  before(async () => {
    api = await startApi();
    list = await api.create('list', { name: 'News' });
    for (const email of ['ann@example.org', 'bob@example.org']) {
      await api.create('subscription', { user: await api.create('user', { email }), list });
    }
  });
  after(() => api.close());

  const gone = {
    lists: () => api.create('list', { name: 'Not these' }),
    tags: () => api.create('tag', { name: 'not-these' }),
    languages: () => api.create('language', { name: 'Dutch', iso_code: 'nl' }),
    actions: () => api.create('signuppage', { name: 'not-these' }),
    campaigns: () => api.create('campaign', { name: 'not-these', title: 'Not these' }),
    target_groups: () => api.create('congresstargetgroup', { name: 'not these', type: 'congress', targets: [] }),
  };

  for (const [field, make] of Object.entries(gone)) {
    it(`is not mailed all the same: ${field}`, async () => {
      const uri = await make();
      const mailing = await api.create('mailer', { ...READY, includes: { lists: [list] }, excludes: { [field]: [uri] } });
      assert.equal(await buildSet(api, mailing), 2);
      assert.equal((await api.call('DELETE', uri)).statusCode, 204);
      const said = new RegExp(`^excludes: ${field} refers to what was deleted since: ${idIn(uri)}\\.`);
      await assert.rejects(buildSet(api, mailing), (error: RebuildError) => said.test(error.messages.join()));
      const counted = await api.call('GET', `${mailing}audience/`);
      assert.equal(counted.statusCode, 400, counted.body);
      assert.match(counted.json().errors.targeting[0], said);
      assert.equal((await api.call('PATCH', mailing, { excludes: { [field]: [] } })).statusCode, 202);
      assert.equal(await buildSet(api, mailing), 2);
      assert.equal((await api.read(`${mailing}audience/`)).people, 2);
    });
  }

  it('is not mailed where it is deleted while the users are being built', async () => {
    const uri = await gone.tags();
    const mailing = await api.create('mailer', { ...READY, includes: { lists: [list] }, excludes: { tags: [uri] } });
    const client = await api.pool.connect();
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(7236903, $1)', [idIn(mailing)]);
    const refused = assert.rejects(buildSet(api, mailing), /tags refers to what was deleted since/);
    while (!(await api.pool.query(`select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`)).rowCount)
      await sleep(5);
    assert.equal((await api.call('DELETE', uri)).statusCode, 204);
    await client.query('commit');
    client.release();
    await refused;
    const { rows } = await api.pool.query('select from send_set where mailing_id = $1', [idIn(mailing)]);
    assert.equal(rows.length, 0, 'nothing of it stays');
  });

  it('is not mailed where a part of what is deleted is gone already', async () => {
    const page = await gone.actions();
    const many = await gone.lists();
    await api.pool.query(
      'insert into core_action (page_id, user_id) select $1, min(u.id) from core_user u, generate_series(1, 1001) n group by n',
      [idIn(page)],
    );
    await api.pool.query(
      `insert into core_subscriptionhistory (list_id, user_id, change) select $1, min(u.id), 'subscribe' from core_user u, generate_series(1, 5000) n group by n`,
      [idIn(many)],
    );
    const mailing = await api.create('mailer', { ...READY, excludes: { actions: [page] } });
    const other = await api.create('mailer', { ...READY, excludes: { lists: [many] } });
    const client = await api.pool.connect();
    await client.query('begin; select from core_action where id = (select max(id) from core_action) for update');
    const deleted = api.call('DELETE', page);
    await untilWaiting(api.pool);
    await assert.rejects(buildSet(api, mailing), /actions refers to what was deleted since/);
    await client.query('commit');
    client.release();
    assert.equal((await deleted).statusCode, 204);
    await api.call('DELETE', many);
    await assert.rejects(buildSet(api, other), /lists refers to what was deleted since/);
  });
});
