import { deepEqual, equal } from 'node:assert/strict';
import { ERASE_OPTIONS } from '../../core/people/belongings.ts';
import { eraseUser } from '../../core/people/erase.ts';
import { mergeUsers } from '../../core/people/merge.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { akid } from '../../domain/akid.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { push } from '../support/donations.ts';
import { idIn } from '../support/mailings.ts';

/** Where it is shown whose something is, or who is named beside, under which name; and its table. */
const SHOWN = {
  action: ['user', 'core_action'],
  petitionaction: ['referring_user', 'core_action'],
  order: ['user', 'core_order'],
  orderrecurring: ['user', 'core_orderrecurring'],
  subscription: ['user', 'core_subscription'],
  event: ['creator', 'events_event'],
  eventsignup: ['user', 'events_eventsignup'],
  phone: ['user', 'core_phone'],
  location: ['user', 'core_location'],
  usergeofield: ['user', 'core_usergeofield'],
  partnerusermap: ['user_id', 'core_partnerusermap'],
} as const;

// Clients that keep in step ask for that alone, and add up by whose it is.
describe('what has changed since a time', () => {
  let api: TestApi;
  let people = 0;

  before(async () => {
    api = await startApi();
    await api.create('list', { name: 'News' });
    await api.create('petitionpage', { name: 'sign' });
    await api.create('event', { campaign: await api.create('campaign', { name: 'canvass' }) });
  });
  after(() => api.close());

  /** Somebody with one of everything, all of it of long ago. */
  async function somebody(): Promise<string> {
    const email = `ann${++people}@example.org`;
    const user = await api.create('user', { email, zip: '10001', country: 'United States', phones: [{ phone: `212555010${people}` }] });
    await push(api, { user: { email }, order: { recurring_id: email } });
    const friend = { page: 'sign', email: `friend-of-${email}`, referring_akid: akid(api.env.SECRET_KEY, null, idIn(user)) };
    equal((await api.call('POST', '/rest/v1/action/', friend)).statusCode, 201);
    await api.create('subscription', { user, list: '/rest/v1/list/1/' });
    await api.create('event', { campaign: '/rest/v1/campaign/1/', creator: user });
    await api.create('eventsignup', { event: '/rest/v1/event/1/', user });
    await api.create('usergeofield', { user, name: 'ward', value: '7' });
    await api.create('partnerusermap', { user_id: idIn(user), partner_contact_id: people });
    for (const [, table] of Object.values(SHOWN)) await api.pool.query(`update ${table} set updated_at = '2020-01-01'`);
    return user;
  }

  const changedOf = async (resource: string, field: string): Promise<unknown[]> =>
    (await api.read(`/rest/v1/${resource}/?updated_at__gt=2024-01-01T00:00:00`)).objects.map(
      (each: Record<string, unknown>) => each[field],
    );

  it('has all that is somebody else’s by a merge', async () => {
    const [going, staying] = [await somebody(), await api.create('user', { email: 'bob@example.org' })];
    for (const [resource, [field]] of Object.entries(SHOWN)) deepEqual(await changedOf(resource, field), [], resource);
    const wish = { primary_user: staying, users: [going], address_user: going, source_user: staying };
    const asked = await api.call('POST', '/rest/v1/usermerge/', wish);
    equal(asked.statusCode, 201, asked.body);
    await inOneTransaction(api.pool, (sql) => mergeUsers(sql, idIn(String(asked.headers.location))));
    for (const [resource, [field]] of Object.entries(SHOWN)) {
      const now = resource === 'partnerusermap' ? idIn(staying) : staying;
      // The donation, and what the friend did.
      const both = resource === 'action' ? [staying, await friend()] : [now];
      deepEqual(await changedOf(resource, field), both, resource);
    }
  });

  it('and all that named somebody who was deleted', async () => {
    const user = await somebody();
    equal((await api.call('DELETE', user)).statusCode, 204);
    for (const resource of ['petitionaction', 'event'] as const) deepEqual(await changedOf(resource, SHOWN[resource][0]), [null], resource);
  });

  it('and all that an erasure takes something from', async () => {
    const email = 'eve@example.org';
    const user = await api.create('user', { email });
    const event = await api.create('event', { campaign: '/rest/v1/campaign/1/', creator: user, fields: { door: 'blue' } });
    const signup = await api.create('eventsignup', { event: '/rest/v1/event/1/', user, fields: { food: 'none' } });
    const act = async (more: object) => (await api.call('POST', '/rest/v1/action/', { page: 'sign', email, ...more })).json().resource_uri;
    const [fielded, plain] = [await act({ action_why: 'because' }), await act({})];
    const given = await push(api, { user: { email }, order: { recurring_id: email } });
    const failed = { recurring_id: email, status: 'failed', failure_message: 'Card of Eve' };
    const attempt = (await api.call('POST', '/rest/v1/recurringpaymentpush/', failed)).headers.location;
    const targets = [await api.create('target', { type: 'senate' }), await api.create('target', { type: 'senate' })];
    const group = await api.create('congresstargetgroup', { name: 'Both', type: 'senate', targets });
    await api.create('whipcountpage', { name: 'call', target_groups: [group] });
    const said = { [`response-${idIn(targets[0]!)}`]: 'Her aide knows Eve', [`response-${idIn(targets[1]!)}`]: 'opposed' };
    equal((await api.call('POST', '/rest/v1/action/', { page: 'call', email, ...said })).statusCode, 201);
    const { objects: calls } = await api.read('/rest/v1/whipcountactioncalled/?response=Her aide knows Eve');
    // An address taken away once is none any more.
    await api.pool.query(`update core_action set ip_address = null where id <> $1`, [idIn(plain)]);
    const read: Record<string, string[]> = {
      petitionaction: [fielded, plain],
      donationaction: [],
      event: [event],
      eventsignup: [signup],
      orderuserdetail: [given.order.user_detail],
      transaction: [String(attempt).slice(api.env.BASE_URL.length)],
      // A stance names nobody and stays.
      whipcountactioncalled: [calls[0].resource_uri],
    };
    const tables = [
      'core_action',
      'events_event',
      'events_eventsignup',
      'core_orderuserdetail',
      'core_transaction',
      'core_whipcountactioncalled',
    ];
    for (const table of tables) await api.pool.query(`update ${table} set updated_at = '2020-01-01'`);
    const { rows } = await api.pool.query('insert into core_erasure (user_id, options) values ($1, $2) returning id', [
      idIn(user),
      JSON.stringify(ERASE_OPTIONS),
    ]);
    await inOneTransaction(api.pool, (sql) => eraseUser(sql, rows[0].id, 'secret'));
    for (const [resource, uris] of Object.entries(read)) deepEqual(await changedOf(resource, 'resource_uri'), uris, resource);
  });

  const friend = async () => (await api.read(`/rest/v1/user/?email=friend-of-ann${people}@example.org`)).objects[0].resource_uri;
});
