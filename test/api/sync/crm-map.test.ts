import assert from 'node:assert/strict';
import { eraseUser } from '../../../core/people/erase.ts';
import { inOneTransaction } from '../../../db/transaction.ts';
import { UnavailableError } from '../../../domain/errors.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { untilWaiting } from '../../support/sessions.ts';

describe('the CRM mappings', () => {
  let api: TestApi;

  before(async () => {
    api = await startApi({ CRM_KIND: 'http', CRM_URL: 'http://127.0.0.1:9/' });
    await api.pool.query(`insert into core_user (id, email) select g, 'person' || g || '@example.org' from generate_series(1, 20) g`);
  });
  after(() => api.close());
  afterEach(async () => {
    api.workflows.starts = [];
    api.workflows.signals = [];
    api.workflows.failure = null;
    await api.pool.query('delete from core_crmmap');
  });

  const add = async (userId: unknown) => {
    const answer = await api.call('POST', '/rest/v1/crmmap/', { user_id: userId });
    assert.equal(answer.statusCode, 201, answer.body);
    assert.equal(answer.body, '');
    return String(answer.headers.location).replace('http://platform.test', '');
  };
  const idOf = (uri: string) => Number(/(\d+)\/$/.exec(uri)?.[1]);

  it('adds a user and has them sent at once', async () => {
    const uri = await add(1);
    const map = await api.read(uri);
    const { id, created_at, updated_at, ...rest } = map;
    assert.equal(uri, `/rest/v1/crmmap/${id}/`);
    assert.match(created_at, /^\d{4}-/);
    assert.match(updated_at, /^\d{4}-/);
    assert.deepEqual(rest, {
      resource_uri: uri,
      user: '/rest/v1/user/1/',
      user_id: 1,
      crm_id: null,
      match_type: null,
      status: 'pending',
      last_sync_at: null,
      last_error: '',
    });
    assert.equal(api.workflows.starts[0]?.workflowId, `crm-${id}-sync`);
    assert.deepEqual(api.workflows.starts[0]?.input, { mapId: id });
    assert.deepEqual(api.workflows.signals, [{ workflowId: `crm-${id}-sync`, message: 'sync', args: [] }]);
  });

  it('takes a form', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await api.call('POST', '/rest/v1/crmmap/', 'user_id=5', form);
    assert.equal(answer.statusCode, 201, answer.body);
    assert.equal((await api.call('POST', '/rest/v1/crmmap/', 'user_id=5', form)).statusCode, 409);
    for (const body of ['user_id=', 'user_id=x', 'user_id=1&user_id=2', 'other=1']) {
      const refused = await api.call('POST', '/rest/v1/crmmap/', body, form);
      assert.deepEqual([refused.statusCode, Object.keys(refused.json().errors)], [400, ['crmmap']], body);
    }
  });

  it('takes the id as digits, and a URI', async () => {
    assert.equal((await api.read(await add('2'))).user_id, 2);
    assert.equal((await api.read(await add('/rest/v1/user/3/'))).user_id, 3);
  });

  it('answers a second request for the same user with the mapping that is there', async () => {
    const uri = await add(1);
    const again = await api.call('POST', '/rest/v1/crmmap/', { user_id: '1' });
    assert.equal(again.statusCode, 409);
    assert.equal(again.headers.location, `http://platform.test${uri}`);
    assert.deepEqual(again.json(), { errors: { crmmap: 'User 1 has a mapping already.' } });
  });

  it('makes one mapping of twenty requests at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.call('POST', '/rest/v1/crmmap/', { user_id: 5 })));
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, ...Array(19).fill(409)]);
    assert.equal((await api.read('/rest/v1/crmmap/')).meta.total_count, 1);
  });

  it('says what cannot be used under crmmap', async () => {
    for (const wrong of [undefined, null, 99, '99', 'x', '', 0, -1, 1.5, 2147483648, '99999999999999', [1], {}, true, '1\0']) {
      const answer = await api.call('POST', '/rest/v1/crmmap/', { user_id: wrong });
      assert.equal(answer.statusCode, 400, JSON.stringify(wrong));
      assert.equal(typeof answer.json().errors.crmmap, 'string');
    }
    for (const body of [[], 'x', 5]) assert.equal((await api.call('POST', '/rest/v1/crmmap/', body)).statusCode >= 400, true);
    assert.equal((await api.call('POST', '/rest/v1/crmmap/')).statusCode, 400);
    assert.deepEqual(api.workflows.starts, []);
  });

  it('takes no erased user in', async () => {
    await api.pool.query(`insert into core_erasure (user_id, status) values (18, 'complete')`);
    const answer = await api.call('POST', '/rest/v1/crmmap/', { user_id: 18 });
    assert.deepEqual([answer.statusCode, answer.json()], [400, { errors: { crmmap: 'User 18 was erased.' } }]);
  });

  it('syncs and disconnects on request', async () => {
    const uri = await add(1);
    for (const action of ['sync_user', 'disconnect_user', 'sync_user/', 'disconnect_user/']) {
      const answer = await api.call('POST', `${uri}${action}`, undefined, { 'content-type': 'application/json' });
      assert.deepEqual([answer.statusCode, answer.body], [202, '']);
      assert.equal((await api.read(uri)).status, action.startsWith('sync') ? 'pending' : 'disconnected');
    }
    assert.equal(api.workflows.signals.length, 5);
    const { rows } = await api.pool.query('select wanted, done, urgent, ending from core_crmmap');
    assert.deepEqual(rows, [{ wanted: 5, done: 0, urgent: true, ending: 'disconnected' }]);
  });

  it('disconnects once: a second request changes nothing', async () => {
    const uri = await add(1);
    for (let n = 0; n < 3; n++) assert.equal((await api.call('POST', `${uri}disconnect_user/`)).statusCode, 202);
    const { rows } = await api.pool.query('select wanted from core_crmmap');
    assert.equal(rows[0].wanted, 2);
  });

  it('takes nobody in who is erased while it waits for that', async () => {
    const { rows } = await api.pool.query(`with gone as (insert into core_user (id, email) values (99, 'going@example.org') returning id)
      insert into core_erasure (user_id) select id from gone returning id, user_id`);
    const [{ id, user_id }] = rows;
    const { sent } = await inOneTransaction(api.pool, async (sql) => {
      await eraseUser(sql, id, 'secret');
      const answer = api.call('POST', '/rest/v1/crmmap/', { user_id });
      await untilWaiting(api.pool);
      return { sent: answer };
    });
    const answer = await sent;
    assert.deepEqual([answer.statusCode, answer.body], [400, JSON.stringify({ errors: { crmmap: `User ${user_id} was erased.` } })]);
  });

  it('takes an erased or deleted user into the sync no more', async () => {
    const uri = await add(1);
    await api.pool.query(`update core_crmmap set status = 'disconnected', ending = 'erased' where id = $1`, [idOf(uri)]);
    const erased = await api.call('POST', `${uri}sync_user/`);
    assert.deepEqual([erased.statusCode, erased.json()], [400, { errors: { crmmap: 'The user of this mapping is gone.' } }]);
    const other = await add(19);
    await api.pool.query('delete from core_user where id = 19');
    assert.equal((await api.call('POST', `${other}sync_user/`)).statusCode, 400);
    assert.deepEqual([(await api.read(other)).user, (await api.read(other)).user_id], [null, null]);
  });

  it('finds mappings by user, status and contact, and offers nothing else', async () => {
    const uri = await add(7);
    await add(8);
    await api.pool.query(`update core_crmmap set status = 'failed', last_error = 'no', crm_id = 'abc' where id = $1`, [idOf(uri)]);
    for (const filter of [
      'user=7',
      'user_id=7',
      'user=/rest/v1/user/7/',
      'status=failed',
      'crm_id=abc',
      'user__email=person7@example.org',
    ]) {
      const found = await api.read(`/rest/v1/crmmap/?${filter}`);
      assert.deepEqual(
        found.objects.map((each: { resource_uri: string }) => each.resource_uri),
        [uri],
        filter,
      );
    }
    for (const method of ['PATCH', 'PUT', 'DELETE']) assert.equal((await api.call(method, uri, {})).statusCode, 405, method);
    for (const wrong of ['999', 'x', '0', '2147483648']) {
      assert.equal((await api.call('GET', `/rest/v1/crmmap/${wrong}/`)).statusCode, 404);
      assert.equal((await api.call('POST', `/rest/v1/crmmap/${wrong}/sync_user/`)).statusCode, 404);
      assert.equal((await api.call('POST', `/rest/v1/crmmap/${wrong}/disconnect_user/`)).statusCode, 404);
    }
  });

  it('takes the request when the workflow service is away: the row says what there is to do', async () => {
    api.workflows.failure = new UnavailableError('away');
    const uri = await add(9);
    assert.equal((await api.call('POST', `${uri}sync_user/`)).statusCode, 202);
    const { rows } = await api.pool.query('select wanted, done, urgent from core_crmmap');
    assert.deepEqual(rows, [{ wanted: 2, done: 0, urgent: true }]);
  });

  it('is asked for with credentials and the grant', async () => {
    assert.equal((await api.call('POST', '/rest/v1/crmmap/', { user_id: 1 }, { authorization: '' })).statusCode, 401);
  });
});

describe('the CRM sync switched off', () => {
  let api: TestApi;

  before(async () => {
    api = await startApi();
    await api.pool.query(`insert into core_user (id, email) values (1, 'a@example.org')`);
    await api.pool.query('insert into core_crmmap (id, user_id) values (1, 1)');
  });
  after(() => api.close());

  it('refuses every request and says so under crmmap', async () => {
    for (const path of ['', '1/sync_user/', '1/disconnect_user/']) {
      const answer = await api.call('POST', `/rest/v1/crmmap/${path}`, { user_id: 1 });
      assert.deepEqual([answer.statusCode, answer.json()], [400, { errors: { crmmap: 'The CRM sync is switched off.' } }]);
    }
    assert.equal((await api.read('/rest/v1/crmmap/')).meta.total_count, 1);
  });
});
