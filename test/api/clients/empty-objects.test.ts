import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';
import { donation } from '../../support/donations.ts';

// PHP knows one kind of array: an object in which nothing is comes back from it as an empty list, and a body of nothing is one, too (Guzzle's `'json' => []`).
// Go writes null for a map or a list it has nothing in.

describe('an object in which nothing is, as clients write it', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.create('list', { name: 'News' });
  });
  after(() => api.close());

  /** As json_decode($text, true) and json_encode make it. */
  const throughPhp = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(throughPhp);
    const entries = Object.entries(value);
    return entries.length === 0 ? [] : Object.fromEntries(entries.map(([name, each]) => [name, throughPhp(each)]));
  };

  it('is taken back as it was shown', async () => {
    const page = await api.create('signuppage', { name: 'join', list: 1 });
    const user = await api.create('user', { email: 'ann@example.org' });
    const { id } = (await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'ann@example.org' })).json();
    const mailing = await api.create('mailer', { subjects: ['Hello'], includes: { lists: ['News'] } });
    const campaign = await api.create('eventcampaign', { name: 'walks', title: 'Walks' });
    const event = await api.create('event', { campaign, title: 'Walk' });
    for (const uri of [page, user, `/rest/v1/signupaction/${id}/`, mailing, event]) {
      const shown = await api.read(uri);
      const sent = throughPhp(shown);
      assert.notDeepEqual(sent, shown, uri);
      const answer = await api.call('PATCH', uri, sent as object);
      assert.equal(answer.statusCode, 202, `${uri} ${answer.body}`);
      const { updated_at: before, ...was } = shown;
      const { updated_at: after, ...is } = await api.read(uri);
      assert.deepEqual(is, was);
      assert.ok(after >= before);
    }
  });

  it('says nothing of the targeting, and never takes any of it away', async () => {
    const mailing = await api.create('mailer', { subjects: ['Hello'], includes: { lists: ['News'] }, excludes: [] });
    assert.equal((await api.call('PATCH', mailing, { includes: [], excludes: [] })).statusCode, 202);
    const { includes, excludes, targeting_version: version } = await api.read(mailing);
    assert.deepEqual([includes, excludes, version], [{ lists: ['News'] }, {}, 1]);
    for (const wrong of [['News'], [[]], null, '']) {
      const answer = await api.call('PATCH', mailing, { includes: wrong });
      assert.deepEqual([answer.statusCode, answer.json()], [400, { errors: { includes: ['includes must be an object.'] } }]);
    }
    await api.create('queryreport', { name: 'Three', short_name: 'three', sql: 'select 3' });
    const reports = { includes: { query_reports: [{ short_name: 'three', params: [] }] } };
    assert.equal((await api.call('PATCH', mailing, reports)).statusCode, 202);
    assert.deepEqual((await api.read(mailing)).includes.query_reports, [{ short_name: 'three', params: {} }]);
  });

  it('is a body of nothing', async () => {
    const mailing = await api.create('mailer', { subjects: ['Hello'] });
    assert.equal((await api.call('POST', `${mailing}copy/`, [])).statusCode, 201);
    const user = await api.create('user', { email: 'bob@example.org' });
    assert.equal((await api.call('POST', `${user}logintoken/`, [])).statusCode, 200);
    assert.equal((await api.call('PATCH', user, [])).statusCode, 202);
    assert.deepEqual((await api.call('POST', '/rest/v1/user/', [])).json(), { user: { email: ['This field is required.'] } });
    assert.deepEqual((await api.call('PATCH', mailing, [])).json(), { errors: { body: ['At least one field is required.'] } });
    assert.deepEqual((await api.call('PATCH', user, [[]])).json(), { errors: { body: ['The body must be a JSON object.'] } });
  });

  it('is an object of a push', async () => {
    const push = donation();
    const answer = await api.call('POST', '/rest/v1/donationpush/', { ...push, action: [], user: { ...push.user, fields: [] } });
    assert.equal(answer.statusCode, 200, answer.body);
    const fields = await api.call('POST', '/rest/v1/donationpush/', donation({ action: { fields: [] } }));
    assert.equal(fields.statusCode, 200, fields.body);
    const bare = await api.call('POST', '/rest/v1/donationpush/', { ...push, donationpage: [] });
    assert.deepEqual([bare.statusCode, bare.json()], [400, { donationpage: { name: ['This field is required.'] } }]);
    const wrong = await api.call('POST', '/rest/v1/donationpush/', { ...push, action: ['x'] });
    assert.deepEqual([wrong.statusCode, wrong.json()], [400, { action: { action: ['action must be an object.'] } }]);
  });

  it('may be a null, and a list, too, which is as if it were not sent', async () => {
    const none = { fields: null, phones: null, groups: null };
    const fresh = await api.call('POST', '/rest/v1/user/', { email: 'cy@example.org', ...none });
    assert.equal(fresh.statusCode, 201, fresh.body);
    const user = await api.create('user', { email: 'dee@example.org', fields: { shirt: 'L' }, phones: ['555 0100'] });
    const was = await api.read(user);
    assert.equal((await api.call('PATCH', user, none)).statusCode, 202);
    const is = await api.read(user);
    assert.deepEqual([is.fields, is.phones], [was.fields, was.phones]);
    const { id } = (await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'dee@example.org', action_why: 'x' })).json();
    const action = `/rest/v1/signupaction/${id}/`;
    assert.equal((await api.call('PATCH', action, { fields: null, source: 'web' })).statusCode, 202);
    const { fields, source } = await api.read(action);
    assert.deepEqual([fields, source], [{ why: 'x' }, 'web']);
  });
});
