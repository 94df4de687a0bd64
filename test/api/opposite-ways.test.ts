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
   * @param many so many requests wait
   */
  async function beside(held: string, wanted: string, request: () => Promise<{ statusCode: number }>, many = 1): Promise<number> {
    const other = newConnection(api.databaseUrl);
    await other.connect();
    try {
      await other.query('begin');
      await other.query(held);
      const asked = request();
      await untilWaiting(api.pool, many);
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

  describe('where a page goes by which people left', () => {
    const left = async (name: string) => {
      const page = await api.create('unsubscribepage', { name, list: await api.create('list', { name }) });
      const mailing = idIn(await api.create('mailer', { subjects: ['Hello'], html: '<p>Hello</p>' }));
      await api.create('action', { page: 'join', email: '1@example.org', lists: [(await api.read(page)).list] });
      await api.create('action', { page: name, email: '1@example.org', mailing_id: mailing });
      return page;
    };
    const heldPerson = 'select from core_user where id = 1 for update';

    it('do not beside a merge, which takes people before what they did', async () => {
      const page = await left('leave-merged');
      const actions = `select from core_action where page_id = ${idIn(page)} for update`;
      equal(await beside(heldPerson, actions, () => api.call('DELETE', page)), 204);
    });

    it('do not beside a merge where very much was done there', async () => {
      const page = await left('leave-much');
      await api.pool.query('insert into core_action (user_id, page_id) select 2, $1 from generate_series(1, 1000)', [idIn(page)]);
      const actions = `select from core_action where page_id = ${idIn(page)} for update`;
      equal(await beside(heldPerson, actions, () => api.call('DELETE', page)), 204);
    });

    it('do not beside an action on it', async () => {
      const page = await left('leave-late');
      let acted: ReturnType<TestApi['call']> | undefined;
      const status = await beside(
        heldPerson,
        `select from core_page where id = ${idIn(page)} for key share`,
        async () => {
          acted = api.call('POST', '/rest/v1/action/', { page: 'leave-late', email: '1@example.org' });
          await untilWaiting(api.pool);
          return api.call('DELETE', page);
        },
        2,
      );
      equal(status, 204);
      equal((await acted!).statusCode, 201);
    });

    it('do not beside somebody who leaves by a link', async () => {
      const page = await left('unsubscribe-from-mail');
      await api.create('action', { page: 'join', email: '1@example.org', lists: [(await api.read(page)).list] });
      const link = `/unsubscribe/?akid=${(await api.read('/rest/v1/user/1/')).token}`;
      let gone: ReturnType<TestApi['call']> | undefined;
      const status = await beside(
        heldPerson,
        `select from core_page where id = ${idIn(page)} for key share`,
        async () => {
          gone = api.call('POST', link);
          await untilWaiting(api.pool);
          return api.call('DELETE', page);
        },
        2,
      );
      equal(status, 204);
      equal((await gone!).statusCode, 200);
    });

    it('do not beside the DELETE of its list', async () => {
      const page = await left('leave-list');
      const { list } = await api.read(page);
      await api.create('action', { page: 'join', email: '1@example.org', lists: [list] });
      const held = `select from core_page where id = ${idIn(page)} for update`;
      equal(await beside(held, 'select from core_user where id = 1 for no key update', () => api.call('DELETE', list)), 204);
    });
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
