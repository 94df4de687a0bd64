import { equal } from 'node:assert/strict';
import { runListDeletion } from '../../core/people/list-deletion.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { idIn } from '../support/mailings.ts';
import { untilWaiting } from '../support/sessions.ts';

/** More than one part of each. */
const [PEOPLE, DELIVERIES, SIGNUPS, MEMBERS] = [1500, 20_000, 2500, 6000];
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('deleting what very much hangs on', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  const value = async (statement: string) => Object.values((await api.pool.query(statement)).rows[0])[0];

  /** A DELETE that comes to wait for somebody who holds one of the last rows of what goes along; what has to go on meanwhile is looked at then. */
  async function waitingFor(held: string, deleted: string | (() => Promise<unknown>), look: () => Promise<unknown>) {
    const deletion = typeof deleted === 'string' ? async () => equal((await api.call('DELETE', deleted)).statusCode, 204) : deleted;
    const { answer } = await inOneTransaction(api.pool, async (sql) => {
      await sql(`${held} for update`);
      const sent = deletion();
      await untilWaiting(api.pool, 1, sent);
      await look();
      return { answer: sent };
    });
    await answer;
  }

  it('holds few of the people who have a language at a time', async () => {
    const path = await api.create('language', { name: 'Español', iso_code: 'es' });
    await api.pool.query(
      `insert into core_user (email, lang_id) select 'p' || n || '@example.org', $1 from generate_series(1, ${PEOPLE}) n`,
      [idIn(path)],
    );
    await waitingFor('select id from core_user where id = (select max(id) from core_user)', path, () =>
      api.pool.query('select id from core_user where id = (select min(id) from core_user) for update nowait'),
    );
    equal(await value('select count(*)::int from core_user where lang_id is null'), PEOPLE);
  });

  it('holds few of the people on a list at a time', async () => {
    const list = idIn(await api.create('list', { name: 'Everybody' }));
    await api.pool.query(
      `with u as (insert into core_user (email) select 'l' || n || '@example.org' from generate_series(1, ${PEOPLE}) n returning id)
       insert into core_subscription (user_id, list_id) select id, $1 from u`,
      [list],
    );
    const job = await api.pool.query('insert into core_listdeletion (list_id, people) values ($1, $2) returning id', [list, PEOPLE]);
    const deletion = () => runListDeletion({ pool: api.pool, log: api.app.log }, job.rows[0].id, () => true);
    const one = (which: 'min' | 'max') => `select id from core_user where id = (select ${which}(id) from core_user where email like 'l%')`;
    await waitingFor(one('max'), deletion, () => api.pool.query(`${one('min')} for update nowait`));
    equal(await value('select count(*)::int from core_subscription'), 0);
  });

  it('holds no group of people while they go out of it', async () => {
    const group = await api.create('usergroup', { name: 'Volunteers' });
    await api.pool.query(
      `with u as (insert into core_user (email) select 'g' || n || '@example.org' from generate_series(1, ${MEMBERS}) n returning id)
       insert into core_user_groups (user_id, usergroup_id) select id, $1 from u`,
      [idIn(group)],
    );
    await waitingFor('select user_id from core_user_groups where user_id = (select min(user_id) from core_user_groups)', group, () =>
      api.pool.query('select id from core_usergroup where id = $1 for key share nowait', [idIn(group)]),
    );
    equal(await value('select count(*)::int from core_user_groups'), 0);
  });

  it('keeps nothing from being told to a webhook meanwhile', async () => {
    const path = await api.create('webhook', { url: 'https://example.org/hook', events: ['action'], secret: SECRET });
    await api.create('petitionpage', { name: 'sign' });
    await api.pool.query(
      `insert into core_webhookdelivery (webhook_id, event, resource, resource_id) select $1, 'action', 'action', n from generate_series(1, ${DELIVERIES}) n`,
      [idIn(path)],
    );
    await waitingFor('select id from core_webhookdelivery where id = (select max(id) from core_webhookdelivery)', path, async () => {
      await api.pool.query('select id from core_webhook for key share nowait');
      const signed = await api.call('POST', '/rest/v1/action/', { page: 'sign', email: 'ada@example.org' });
      equal(signed.statusCode, 201, signed.body);
    });
    equal(await value('select count(*)::int from core_webhookdelivery'), 0);
  });

  it('holds no page on which people sign up for events while what its actions did is taken back', async () => {
    const campaign = await api.create('campaign', { name: 'walks', title: 'Walks' });
    const page = await api.create('eventsignuppage', { name: 'come', campaign });
    const event = await api.create('event', { campaign, title: 'A walk' });
    await api.pool.query(`insert into core_user (email) select 'c' || n || '@example.org' from generate_series(1, ${SIGNUPS}) n`);
    await api.pool.query(`insert into core_action (user_id, page_id) select id, $1 from core_user where email like 'c%'`, [idIn(page)]);
    await api.pool.query(
      'insert into events_eventsignup (user_id, event_id, page_id, action_id) select user_id, $2, page_id, id from core_action where page_id = $1 order by id',
      [idIn(page), idIn(event)],
    );
    await api.pool.query('vacuum analyze core_action, events_eventsignup');
    await waitingFor(
      'select id from events_eventsignup where id = (select id from events_eventsignup order by id offset 1500 limit 1)',
      page,
      () => api.pool.query('select id from core_page where id = $1 for key share nowait', [idIn(page)]),
    );
    equal(await value('select count(*)::int from events_eventsignup'), 0);
  });

  it('holds neither a campaign nor its events while those who come to them go', async () => {
    const campaign = await api.create('campaign', { name: 'marches', title: 'Marches' });
    await api.pool.query(
      `with e as (insert into events_event (campaign_id) select $1 from generate_series(1, 1500) returning id),
         u as (insert into core_user (email) select 'm' || n || '@example.org' from generate_series(1, ${SIGNUPS}) n returning id)
       insert into events_eventsignup (user_id, event_id) select u.id, (select max(id) from e) from u`,
      [idIn(campaign)],
    );
    await waitingFor('select id from events_eventsignup where id = (select max(id) from events_eventsignup)', campaign, async () => {
      await api.pool.query('select id from events_campaign where id = $1 for key share nowait', [idIn(campaign)]);
      await api.pool.query('select id from events_event where campaign_id = $1 for update nowait', [idIn(campaign)]);
    });
    equal(await value('select (select count(*) from events_event) + (select count(*) from events_eventsignup) - 1'), '0');
  });
});
