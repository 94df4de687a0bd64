import assert from 'node:assert/strict';
import { akid } from '../../domain/akid.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { become, putInSet } from '../support/sending.ts';

describe('users', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('need an email and no more, and are on no list', async () => {
    const uri = await api.create('user', { email: ' Ann@Example.org ' });
    const user = await api.read(uri);
    const id = user.id;
    assert.deepEqual(
      [user.email, user.subscription_status, user.lang, user.fields, user.first_name, user.plus4],
      ['Ann@Example.org', 'never', null, {}, '', ''],
    );
    assert.equal(user.token, akid(api.env.SECRET_KEY, null, id));
    assert.equal(user.actions, `/rest/v1/action/?user=${id}`);
    assert.equal(user.logintoken, `/rest/v1/user/${id}/logintoken/`);
    for (const name of ['actions', 'subscriptions', 'subscriptionhistory']) {
      assert.equal((await api.read(user[name])).meta.total_count, 0);
    }
    assert.equal((await api.call('POST', '/rest/v1/user/', { first_name: 'x' })).statusCode, 400);
  });

  it('have an email nobody else has, in whatever case', async () => {
    const uri = await api.create('user', { email: 'case@example.org' });
    for (const email of ['case@example.org', 'CASE@Example.ORG']) {
      const answer = await api.call('POST', '/rest/v1/user/', { email });
      assert.equal(answer.statusCode, 409);
      assert.equal(answer.headers.location, `http://platform.test${uri}`);
      assert.deepEqual(answer.json(), { errors: { email: [`Conflict on unique key 'email' for value '${email}'`] } });
    }
    const other = await api.create('user', { email: 'other@example.org' });
    assert.equal((await api.call('PATCH', other, { email: 'Case@example.org' })).statusCode, 409);
    assert.equal((await api.call('PATCH', uri, { email: 'CASE@example.org' })).statusCode, 202);
    assert.equal((await api.read(uri)).email, 'CASE@example.org');
  });

  it('keep their status, whatever a client writes', async () => {
    const uri = await api.create('user', { email: 'status@example.org', subscription_status: 'subscribed' });
    await api.call('PATCH', uri, { subscription_status: 'bounced', first_name: 'x' });
    const user = await api.read(uri);
    assert.deepEqual([user.subscription_status, user.first_name], ['never', 'x']);
  });

  it('have custom fields, of which a change touches only those named', async () => {
    const uri = await api.create('user', {
      email: 'fields@example.org',
      fields: { shirt: 'L', colors: ['red', 'blue'], age: 44, vip: true },
    });
    const read = async () => (await api.read(uri)).fields;
    assert.deepEqual(await read(), { shirt: 'L', colors: ['red', 'blue'], age: '44', vip: 'true' });
    const { updated_at } = await api.read(uri);
    await api.pool.query(`update core_user set updated_at = updated_at - interval '1 hour'`);
    await api.call('PATCH', uri, { fields: { colors: ['green', 'red', 'green'], shirt: '' } });
    assert.deepEqual(await read(), { shirt: '', colors: ['green', 'red', 'green'], age: '44', vip: 'true' });
    assert.ok((await api.read(uri)).updated_at >= updated_at, 'a change of fields is a change of the user');
    await api.call('PATCH', uri, { fields: { colors: [], vip: null } });
    assert.deepEqual(await read(), { shirt: '', age: '44' });
    await api.call('PATCH', uri, { first_name: 'x' });
    assert.deepEqual(await read(), { shirt: '', age: '44' });
    for (const fields of [
      { a: { b: 1 } },
      { a: [['x']] },
      { '': 'x' },
      { a: 'nul\0' },
      { 'nul\0': 'x' },
      'text',
      ['x'],
      { ['x'.repeat(256)]: 1 },
    ]) {
      const answer = await api.call('PATCH', uri, { fields, first_name: 'never' });
      assert.equal(answer.statusCode, 400, `${JSON.stringify(fields)}: ${answer.body}`);
      assert.deepEqual(Object.keys(answer.json().user), ['fields']);
    }
    assert.equal((await api.read(uri)).first_name, 'x', 'nothing is kept of a refused change');
    const { objects } = await api.read('/rest/v1/alloweduserfield/?name__in=shirt,colors,age,vip');
    assert.equal(objects.length, 4);
  });

  it('take no undeclared custom field where the setting is strict', async () => {
    const strict = await startApi({ STRICT_USER_FIELDS: 'true' });
    try {
      const refused = await strict.call('POST', '/rest/v1/user/', { email: 'a@example.org', fields: { shirt: 'L', hat: 'M' } });
      assert.deepEqual(refused.json(), { user: { fields: ['No custom user field is declared as shirt, hat.'] } });
      assert.equal((await strict.read('/rest/v1/user/')).meta.total_count, 0);
      await strict.create('alloweduserfield', { name: 'shirt' });
      await strict.create('user', { email: 'a@example.org', fields: { shirt: 'L' } });
      await strict.create('signuppage', { name: 'join' });
      const body = { page: 'join', email: 'b@example.org', user_shirt: 'L', user_hat: 'M', user_shoes: 'S' };
      const action = await strict.call('POST', '/rest/v1/action/', body);
      const undeclared = ['hat', 'shoes'].map((name) => [`user_${name}`, [`No custom user field is declared as ${name}.`]]);
      assert.deepEqual([action.statusCode, action.json()], [400, { errors: Object.fromEntries(undeclared) }]);
    } finally {
      await strict.close();
    }
  });

  it('keep a custom field that is declared no more, and lose it, where the setting is strict; it takes no other value', async () => {
    const strict = await startApi({ STRICT_USER_FIELDS: 'true' });
    try {
      for (const name of ['shirt', 'hat']) await strict.create('alloweduserfield', { name });
      const uri = await strict.create('user', { email: 'a@example.org', fields: { shirt: ['L', 'M'], hat: 'S' } });
      assert.equal((await strict.call('DELETE', '/rest/v1/alloweduserfield/shirt/')).statusCode, 204);
      const whole = await strict.read(uri);
      const change = async (fields: object) => (await strict.call('PATCH', uri, { ...whole, fields })).statusCode;
      assert.equal(await change(whole.fields), 202, 'as it was read');
      for (const fields of [{ shirt: 'XL' }, { hat: 'M', shirt: ['M', 'L'] }, { shoes: 'S' }, { shoes: null }])
        assert.equal(await change(fields), 400, JSON.stringify(fields));
      assert.deepEqual((await strict.read(uri)).fields, whole.fields);
      assert.equal(await change({ shirt: null, hat: 'M' }), 202);
      assert.deepEqual((await strict.read(uri)).fields, { hat: 'M' });
      assert.equal(await change({ shirt: 'L' }), 400);
    } finally {
      await strict.close();
    }
  });

  it('go with all that hangs on them', async () => {
    const list = await api.create('list', { name: 'Hanging' });
    await api.create('signuppage', { name: 'hanging', list });
    const { action_id } = (
      await api.call('POST', '/rest/v1/action/', { page: 'hanging', email: 'gone@example.org', user_a: 'b', action_c: 'd' })
    ).json();
    const [user] = (await api.read('/rest/v1/user/?email=gone@example.org')).objects;
    await api.pool.query(`insert into core_mailing (status) values ('completed'), ('sending')`);
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, failed, finished)
       select id, 0, 1, 1, 1, 1, status = 'completed' from core_mailing`,
    );
    for (const { id } of (await api.pool.query<{ id: number }>('select id from core_mailing')).rows) {
      await putInSet(api.pool, id, [user.id]);
      await become(api.pool, id, [{ position: 1, state: 3, detail: '550 <gone@example.org>' }]);
    }
    assert.equal((await api.call('DELETE', user.resource_uri)).statusCode, 204);
    assert.equal((await api.call('GET', user.resource_uri)).statusCode, 404);
    assert.equal((await api.call('GET', `/rest/v1/action/${action_id}/`)).statusCode, 404);
    const left = await api.pool.query(
      `select (select count(*) from core_subscription where user_id = $1)::int + (select count(*) from core_subscriptionhistory where user_id = $1)::int
         + (select count(*) from core_userfield where parent_id = $1)::int + (select count(*) from core_actionfield where parent_id = $2)::int as n,
         (select count(*) from send_record where user_id = $1 or detail is not null)::int as named, (select count(*) from send_record)::int as mails`,
      [user.id, action_id],
    );
    assert.deepEqual(left.rows[0], { n: 0, named: 0, mails: 2 }, 'the sums of what was sent must come out, without their name');
    await api.create('user', { email: 'gone@example.org' });
  });
});

describe('subscriptions', () => {
  let api: TestApi;
  let user: string;
  let news: string;
  let alerts: string;
  const status = async () => (await api.read(user)).subscription_status;
  const history = async () =>
    (await api.read(`/rest/v1/subscriptionhistory/?user=${encodeURIComponent(user)}`)).objects.map(
      (each: { change: string; list: string }) => [each.change, each.list],
    );
  before(async () => {
    api = await startApi();
    user = await api.create('user', { email: 'ann@example.org' });
    news = await api.create('list', { name: 'News' });
    alerts = await api.create('list', { name: 'Alerts' });
  });
  after(() => api.close());

  it('move the status and leave a history', async () => {
    const first = await api.create('subscription', { user, list: news });
    assert.equal(await status(), 'subscribed');
    const second = await api.create('subscription', { user, list: alerts });
    assert.equal((await api.call('DELETE', first)).statusCode, 204);
    assert.equal(await status(), 'subscribed');
    assert.equal((await api.call('DELETE', second)).statusCode, 204);
    assert.equal(await status(), 'unsubscribed');
    assert.deepEqual(await history(), [
      ['subscribe_api', news],
      ['subscribe_api', alerts],
      ['unsubscribe_admin', news],
      ['unsubscribe_admin', alerts],
    ]);
  });

  it('are there once: a second one is a conflict that names the first', async () => {
    const first = await api.create('subscription', { user, list: news });
    const answers = await Promise.all(Array.from({ length: 5 }, () => api.call('POST', '/rest/v1/subscription/', { user, list: news })));
    for (const answer of answers) {
      assert.deepEqual([answer.statusCode, answer.headers.location], [409, `http://platform.test${first}`]);
    }
    assert.equal((await api.call('PATCH', first, { list: alerts })).statusCode, 405);
  });

  it('end with their list, and the status of who was on no other with them', async () => {
    assert.equal(await status(), 'subscribed');
    const both = await api.create('user', { email: 'both@example.org' });
    for (const list of [news, alerts]) await api.create('subscription', { user: both, list });
    assert.equal((await api.call('DELETE', news)).statusCode, 204);
    assert.equal(await status(), 'unsubscribed');
    assert.equal((await api.read(both)).subscription_status, 'subscribed');
  });

  it('agree with the status when the same person comes and goes many times at once', async () => {
    await api.create('signuppage', { name: 'come', list: alerts });
    await api.create('unsubscribepage', { name: 'go' });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        api.call('POST', '/rest/v1/action/', { page: index % 2 ? 'come' : 'go', email: 'ann@example.org' }),
      ),
    );
    assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [201]);
    const { meta } = await api.read(`/rest/v1/subscription/?user=${encodeURIComponent(user)}`);
    assert.equal(await status(), meta.total_count > 0 ? 'subscribed' : 'unsubscribed');
    const changes = (
      await api.read(`/rest/v1/subscriptionhistory/?list=${encodeURIComponent(alerts)}&user=${encodeURIComponent(user)}&_limit=100`)
    ).objects;
    const kinds = changes.map((each: { change: string }) => each.change.startsWith('sub'));
    assert.ok(
      kinds.every((each: boolean, index: number) => index === 0 || each !== kinds[index - 1]),
      'comings and goings take turns',
    );
  });

  it('are told apart from addresses that are never mailed', async () => {
    const uri = await api.create('blackholedemail', { email: 'Trap@Example.org' });
    assert.equal((await api.read(uri)).email, 'trap@example.org');
    const again = await api.call('POST', '/rest/v1/blackholedemail/', { email: 'TRAP@example.org' });
    assert.deepEqual([again.statusCode, again.headers.location], [409, `http://platform.test${uri}`]);
    assert.equal((await api.read('/rest/v1/blackholedemail/?email=TRAP@EXAMPLE.ORG')).meta.total_count, 1);
  });

  it('are the same in capitals of every alphabet, wherever these are made small', async () => {
    // In JavaScript the last Σ of a word becomes another letter than in the database, and İ becomes two.
    for (const email of ['ΝΙΚΟΣ@example.org', 'İLKER@example.org']) {
      const uri = await api.create('user', { email });
      const asked = encodeURIComponent(email);
      for (const filter of [`email=${asked}`, `email__in=${asked}`])
        assert.deepEqual(await uris(`/rest/v1/user/?${filter}`), [uri], filter);
      const never = await api.create('blackholedemail', { email });
      assert.deepEqual(await uris(`/rest/v1/blackholedemail/?email=${asked}`), [never]);
      const [row] = (
        await api.pool.query(
          `select (select count(*)::int from core_user u join core_blackholedemail b on b.email = lower(u.email) where u.email = $1) as unwanted`,
          [email],
        )
      ).rows;
      assert.deepEqual(row, { unwanted: 1 }, `mailed all the same: ${email}`);
      const mailing = await api.create('mailer', { subjects: ['Hello'], excludes: { users: [email] } });
      assert.deepEqual((await api.read(mailing)).excludes.users, [uri]);
    }
  });

  const uris = async (url: string): Promise<string[]> =>
    (await api.read(url)).objects.map(({ resource_uri }: { resource_uri: string }) => resource_uri);
});
