import { deepEqual, equal } from 'node:assert/strict';
import { setTimeout as later } from 'node:timers/promises';
import { newConnection } from '../../db/driver.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { idIn, makeReady } from '../support/mailings.ts';
import { insertPeople } from '../support/people.ts';
import { untilWaiting } from '../support/sessions.ts';

describe('two changes that come opposite ways', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await insertPeople(
      api.pool,
      [1, 2].map((id) => ({ id, email: `${id}@example.org`, lists: [] })),
    );
    await api.create('signuppage', { name: 'join' });
    await api.create('eventcampaign', { name: 'walks', title: 'Walks' });
    for (const id of [1, 2]) {
      await api.create('action', { page: 'join', email: `${id}@example.org` });
      await api.create('event', { campaign: '/rest/v1/eventcampaign/1/', creator: `/rest/v1/user/${id}/`, title: 'A walk' });
    }
  });
  after(() => api.close());

  /**
   * @param held SQL of what somebody else holds when the request comes
   * @param wanted SQL of what they want when it waits for them: the request must not have it
   */
  async function beside(held: string, wanted: string, request: () => ReturnType<TestApi['call']>): Promise<number> {
    const other = newConnection(api.databaseUrl);
    await other.connect();
    try {
      await other.query('begin');
      await other.query(held);
      const asked = request();
      await untilWaiting(api.pool);
      await other.query(`set local lock_timeout = '300ms'`);
      await other.query(wanted);
      await other.query('commit');
      return (await asked).statusCode;
    } finally {
      await other.end();
    }
  }

  const person = (id: number) => `/rest/v1/user/${id}/`;
  const MOVED: [string, string, object, string][] = [
    ['phone', 'user', { user: person(2), phone: '212 555 0100' }, 'core_user'],
    ['userfield', 'parent', { parent: person(2), name: 'hat', value: '57' }, 'core_user'],
    ['usergeofield', 'user', { user: person(2), name: 'ward', value: '7' }, 'core_user'],
    ['event', 'creator', { campaign: '/rest/v1/eventcampaign/1/', creator: person(2), title: 'Another walk' }, 'core_user'],
    ['eventsignup', 'user', { user: person(2), event: '/rest/v1/event/2/' }, 'core_user'],
    ['eventfield', 'event', { event: '/rest/v1/event/2/', name: 'parking', value: 'none' }, 'events_event'],
    ['actionfield', 'parent', { parent: '/rest/v1/action/2/', name: 'shift', value: 'late' }, 'core_action'],
  ];
  for (const [resource, owner, body, table] of MOVED)
    it(`do not wait for each other where a ${resource} is given to somebody else`, async () => {
      const uri = await api.create(resource, body);
      const held = (id: number) => `select from ${table} where id = ${id} for update`;
      const given = String((body as Record<string, unknown>)[owner]).replace('/2/', '/1/');
      equal(await beside(held(1), held(2), () => api.call('PATCH', uri, { [owner]: given })), 202);
      deepEqual(
        String((await api.read(uri))[owner])
          .split('/')
          .at(-2),
        '1',
      );
    });

  it('do not where a mailing gets a schedule', async () => {
    const mailing = await makeReady(api, {});
    const held = `select from core_mailing where id = ${idIn(mailing)} for`;
    const status = await beside(`${held} no key update`, `${held} update`, () =>
      api.call('POST', '/rest/v1/recurringschedule/', { mailing }),
    );
    equal(status, 201);
    equal((await api.read(mailing)).status, 'recurring');
  });

  it('do not where a mailing gets a schedule by an account that is deleted', async () => {
    const mailing = await makeReady(api, {});
    const held = 'select from auth_user where id = 1 for update';
    const wanted = `select from core_mailing where id = ${idIn(mailing)} for update`;
    equal(await beside(held, wanted, () => api.call('POST', '/rest/v1/recurringschedule/', { mailing })), 201);
  });

  it('do not where a list is deleted that somebody has left by a mailing, and they go as well', async () => {
    const list = await api.create('list', { name: 'News' });
    await api.pool.query(
      `insert into core_subscriptionhistory (user_id, list_id, change, mailing_id, mailing_place) values (1, $1, 'unsubscribe', 1, 0)`,
      [idIn(list)],
    );
    const lines = 'select from core_subscriptionhistory where user_id = 1 for update';
    equal(await beside('select from core_user where id = 1 for update', lines, () => api.call('DELETE', list)), 204);
  });

  it('do not where a field of an event is renamed, and its campaign goes', async () => {
    const uri = await api.create('eventfield', { event: '/rest/v1/event/1/', name: 'stairs', value: 'none' });
    const other = newConnection(api.databaseUrl);
    await other.connect();
    try {
      await other.query('begin; select from events_campaign where id = 1 for update');
      // Whoever takes the campaign comes to its events, and may not be waited for by whoever holds one.
      const asked = api.call('PATCH', uri, { name: 'steps' });
      deepEqual(await Promise.race([asked.then(({ statusCode }) => statusCode), later(3_000, 'it waits')]), 202);
    } finally {
      await other.end();
    }
    deepEqual((await api.read(uri)).name, 'steps');
    deepEqual((await api.read('/rest/v1/event/1/')).fields.steps, 'none');
  });

  it('do not where a field of an event is given to one, and was given to another meanwhile', async () => {
    await api.create('event', { campaign: '/rest/v1/eventcampaign/1/', creator: person(1), title: 'A third walk' });
    const uri = await api.create('eventfield', { event: '/rest/v1/event/1/', name: 'shade', value: 'trees' });
    const [mover, third] = [newConnection(api.databaseUrl), newConnection(api.databaseUrl)];
    await Promise.all([mover.connect(), third.connect()]);
    try {
      const hold = (id: number) => `select from events_event where id = ${id} for update`;
      await mover.query(`begin; ${hold(1)}; ${hold(2)}`);
      await third.query('begin');
      const held = third.query(hold(2));
      const asked = api.call('PATCH', uri, { event: '/rest/v1/event/3/' });
      await untilWaiting(api.pool, 2);
      await mover.query(`
        update events_eventfield set event_id = 2 where id = ${idIn(uri)};
        update events_event set fields = fields || '{"shade": "trees"}' where id = 2;
        update events_event set fields = fields - 'shade' where id = 1;
        commit`);
      await held;
      await untilWaiting(api.pool);
      await third.query(`set local lock_timeout = '300ms'`);
      await third.query(hold(3));
      await third.query('commit');
      equal((await asked).statusCode, 202);
    } finally {
      await Promise.all([mover.end(), third.end()]);
    }
    deepEqual((await api.read(uri)).event, '/rest/v1/event/3/');
    deepEqual(await Promise.all([1, 2, 3].map(async (id) => (await api.read(`/rest/v1/event/${id}/`)).fields.shade)), [
      undefined,
      undefined,
      'trees',
    ]);
  });
});
