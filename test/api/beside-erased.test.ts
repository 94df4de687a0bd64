import assert from 'node:assert/strict';
import { ERASE_OPTIONS } from '../../core/people/belongings.ts';
import { eraseUser } from '../../core/people/erase.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { donation } from '../support/donations.ts';
import { erase } from '../support/erasing.ts';
import { idIn, makeReady } from '../support/mailings.ts';
import { insertPeople } from '../support/people.ts';
import { untilWaiting } from '../support/sessions.ts';

describe('what stood beside somebody erased', () => {
  let api: TestApi;
  let uri: string;
  let id: number;
  let refused: object;
  const beside: Record<string, string> = {};

  before(async () => {
    api = await startApi();
    const list = await api.create('list', { name: 'News' });
    await api.create('signuppage', { name: 'join', list });
    await api.create('donationpage', { name: 'give', list });
    uri = await api.create('user', { email: 'beside@example.org' });
    id = idIn(uri);
    refused = { 0: `User ${id} was erased.` };
    const acted = await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'beside@example.org', action_why: 'Ann' });
    beside['action'] = `/rest/v1/action/${acted.json().id}/`;
    const given = await api.call('POST', '/rest/v1/donationpush/', donation({ user: { email: 'beside@example.org', first_name: 'Ann' } }));
    beside['orderuserdetail'] = given.json().order.user_detail;
    beside['order'] = given.json().order.resource_uri;
    const campaign = await api.create('campaign', { name: 'tour' });
    beside['event'] = await api.create('event', { campaign, creator: uri, fields: { host: 'Ann' } });
    beside['eventsignup'] = await api.create('eventsignup', { user: uri, event: beside['event'], fields: { diet: 'Ann' } });
    beside['usergeofield'] = await api.create('usergeofield', { user: uri, name: 'ward', value: '5' });
    const options = JSON.stringify(ERASE_OPTIONS.filter((option) => option !== 'user_fields'));
    const { rows } = await api.pool.query('insert into core_erasure (user_id, options) values ($1, $2) returning id', [id, options]);
    await inOneTransaction(api.pool, (sql) => eraseUser(sql, rows[0].id, 'secret'));
  });

  after(() => api.close());

  for (const [resource, change, field] of [
    ['orderuserdetail', { first_name: 'Ann' }, 'first_name'],
    ['orderuserdetail', { email: 'beside@example.org' }, 'email'],
    ['action', { fields: { why: 'Ann' } }, 'fields'],
    ['event', { fields: { host: 'Ann' } }, 'fields'],
    ['eventsignup', { fields: { diet: 'Ann' } }, 'fields'],
    ['usergeofield', { value: '6' }, 'user'],
  ] as const) {
    it(`has none of it written back into ${resource} (${field}); as it was read it can be sent back`, async () => {
      const before = await api.read(beside[resource]!);
      const { resource_uri: at } = before;
      const name = at.split('/')[3];
      const answer = await api.call('PATCH', at, change);
      assert.deepEqual([answer.statusCode, answer.json()], [400, { [name]: { [field]: Object.values(refused) } }]);
      assert.equal((await api.call('PUT', at, before)).statusCode, 202);
      const { updated_at: _, ...now } = await api.read(at);
      const { updated_at: __, ...then } = before;
      assert.deepEqual(now, then);
    });
  }

  it('has nothing new written beside it', async () => {
    for (const [resource, body, field] of [
      ['actionfield', { parent: beside['action'], name: 'why', value: 'Ann' }, 'parent'],
      ['eventsignup', { user: uri, event: beside['event'], role: 'host', fields: { diet: 'Ann' } }, 'fields'],
      ['event', { campaign: '/rest/v1/campaign/1/', creator: uri, fields: { host: 'Ann' } }, 'fields'],
    ] as const) {
      const answer = await api.call('POST', `/rest/v1/${resource}/`, body);
      assert.deepEqual([answer.statusCode, answer.json()], [400, { [resource]: { [field]: Object.values(refused) } }]);
    }
  });

  it('is named by no row of a merge file', async () => {
    for (const [column, key] of [
      ['user_id', String(id)],
      ['akid', (await api.read(uri)).token],
    ]) {
      const form = new FormData();
      form.set('name', `by ${column}`);
      form.set('file', new Blob([`${column},name\n${key},Ann\n`]), 'people.csv');
      const sent = new Response(form);
      const made = await api.call('POST', '/rest/v1/mergefile/', Buffer.from(await sent.arrayBuffer()), {
        'content-type': sent.headers.get('content-type')!,
      });
      assert.equal(made.statusCode, 201, made.body);
      const { row_count, error } = await api.read(String(made.headers.location).slice(api.env.BASE_URL.length));
      assert.deepEqual([row_count, error], [0, '1 of 1 rows name nobody.']);
    }
  });

  it('has no words kept of what a processor says of its payments', async () => {
    const words = { failure_code: '51', failure_description: 'Ann has no money', failure_message: 'Ann has no money' };
    const made = await api.create('transaction', { order: beside['order'], amount: '1.00', status: 'failed', ...words });
    const shown = async () => {
      const { failure_code, failure_description, failure_message } = await api.read(made);
      return [failure_code, failure_description, failure_message];
    };
    assert.deepEqual(await shown(), ['51', '', '']);
    assert.equal((await api.call('PATCH', made, words)).statusCode, 202);
    assert.deepEqual(await shown(), ['51', '', '']);
    const recurring = { ...donation({ user: { email: 'monthly@example.org', first_name: 'Ann' } }) };
    Object.assign(recurring.order, { recurring_id: 'r-erased', recurring_period: 'months' });
    const pushed = await api.call('POST', '/rest/v1/donationpush/', recurring);
    assert.equal(pushed.statusCode, 200, pushed.body);
    await erase(api.pool, idIn(pushed.json().user));
    const payment = await api.call('POST', '/rest/v1/recurringpaymentpush/', {
      recurring_id: 'r-erased',
      success: false,
      status: 'failed',
      ...words,
    });
    assert.equal(payment.statusCode, 201, payment.body);
    const { failure_message } = await api.read(String(payment.headers.location).slice(api.env.BASE_URL.length));
    assert.equal(failure_message, '');
  });

  it('may be corrected where the erasure left it: details of orders, fields of actions', async () => {
    const given = await api.call('POST', '/rest/v1/donationpush/', donation({ user: { email: 'kept@example.org', first_name: 'An' } }));
    await erase(api.pool, idIn(given.json().user));
    assert.equal((await api.call('PATCH', given.json().order.user_detail, { first_name: 'Ann' })).statusCode, 202);
    assert.equal((await api.call('PATCH', given.json().resource_uri, { fields: { thanked: 'yes' } })).statusCode, 202);
  });
});

describe('what is written beside somebody while they are being erased, where nothing stood', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.create('donationpage', { name: 'give' });
    await api.create('campaign', { name: 'tour' });
  });
  after(() => api.close());

  /** What a request is answered that comes when the erasure has done all, and is about to commit. */
  async function whileErased(user: string, ask: () => ReturnType<TestApi['call']>) {
    const { rows } = await api.pool.query('insert into core_erasure (user_id, options) values ($1, $2) returning id', [
      idIn(user),
      JSON.stringify(ERASE_OPTIONS),
    ]);
    const { answer } = await inOneTransaction(api.pool, async (sql) => {
      await eraseUser(sql, rows[0].id, 'secret');
      const asked = ask();
      await untilWaiting(api.pool, 1, asked);
      return { answer: asked };
    });
    return answer;
  }

  let people = 0;
  for (const [what, method, writing] of [
    ['a field of an event', 'PATCH', ({ event }) => [event, { fields: { host: 'Ann' } }]],
    ['a field of a signup', 'PATCH', ({ eventsignup }) => [eventsignup, { fields: { diet: 'Ann' } }]],
    ['fields of an action', 'PATCH', ({ action }) => [action, { fields: { why: 'Ann' } }]],
    ['a field of an action', 'POST', ({ action }) => ['/rest/v1/actionfield/', { parent: action, name: 'why', value: 'Ann' }]],
  ] as [string, 'PATCH' | 'POST', (beside: Record<string, string>) => [string, object]][])
    it(`is refused: ${what}`, async () => {
      const email = `ann${++people}@example.org`;
      const given = await api.call('POST', '/rest/v1/donationpush/', donation({ user: { email, first_name: 'Ann' } }));
      const { user, resource_uri: action } = given.json();
      const event = await api.create('event', { campaign: '/rest/v1/campaign/1/', creator: user });
      const eventsignup = await api.create('eventsignup', { user, event });
      const [at, body] = writing({ event, eventsignup, action });
      const answer = await whileErased(user, () => api.call(method, at, body));
      assert.equal(answer.statusCode, 400, answer.body);
      assert.match(answer.body, /was erased/);
      for (const each of [event, eventsignup, action]) assert.deepEqual((await api.read(each)).fields, {});
    });

  it('is no request for proofs to them, who reviewed the mailing', async () => {
    const user = await api.create('user', { email: 'reviewing@example.org' });
    await api.create('list', { name: 'News' });
    await insertPeople(api.pool, [{ id: 900, email: 'reader@example.org', lists: [1] }]);
    const mailing = await makeReady(api, { reviewers: [user] });
    const answer = await whileErased(user, () => api.call('POST', `${mailing}proofs/`, { proofs: 1 }));
    const { rows } = await api.pool.query('select reviewers from core_mailingproof');
    assert.deepEqual([answer.statusCode, rows], [400, []]);
  });

  it('is left out: that a donation of theirs was refused, which their akid alone says', async () => {
    const user = await api.create('user', { email: 'refused@example.org' });
    const akid = (await api.read(user)).token;
    const push = donation({ user: { akid, email: undefined, first_name: 'Ann' }, order: { currency: 'XXX' } });
    const answer = await whileErased(user, () => api.call('POST', '/rest/v1/donationpush/', push));
    const { rows } = await api.pool.query('select email, name from core_donationattempt');
    assert.deepEqual([answer.statusCode, rows], [400, [{ email: '', name: '' }]]);
  });

  it('is no request for proofs to them, who are named as a reviewer after they were erased', async () => {
    const user = await api.create('user', { email: 'named@example.org' });
    await erase(api.pool, idIn(user));
    const mailing = await makeReady(api, { reviewers: [user] });
    const asked = () => api.call('POST', `${mailing}proofs/`, { proofs: 1 });
    assert.equal((await asked()).statusCode, 400);
    assert.equal((await api.call('PATCH', mailing, { reviewers: [user, '/rest/v1/user/900/'] })).statusCode, 202);
    assert.equal((await asked()).statusCode, 201);
    const { rows } = await api.pool.query('select reviewers from core_mailingproof where mailing_id = $1', [idIn(mailing)]);
    assert.deepEqual(rows, [{ reviewers: ['reader@example.org'] }]);
  });

  it('is no copy of a mailing that names them as its reviewer', async () => {
    const user = await api.create('user', { email: 'copied@example.org' });
    const mailing = await api.create('mailer', { subjects: ['Hello'], reviewers: [user] });
    const answer = await whileErased(user, () => api.call('POST', `${mailing}copy/`));
    assert.equal(answer.statusCode, 201, answer.body);
    assert.deepEqual((await api.read(String(answer.headers.location).slice(api.env.BASE_URL.length))).reviewers, []);
  });

  it('is left out: what a processor says of a payment', async () => {
    const given = await api.call('POST', '/rest/v1/donationpush/', donation({ user: { email: 'paying@example.org', first_name: 'Ann' } }));
    const { user, order } = given.json();
    const made = await api.create('transaction', { order: order.resource_uri, amount: '1.00', status: 'failed' });
    const answer = await whileErased(user, () => api.call('PATCH', made, { failure_message: 'Ann has no money' }));
    assert.deepEqual([answer.statusCode, (await api.read(made)).failure_message], [202, '']);
  });
});
