import { deepEqual, equal, match } from 'node:assert/strict';
import { addEventField } from '../../core/events/event-fields.ts';
import { deleteList } from '../../core/people/list-deletion.ts';
import { subscribe, unsubscribe } from '../../core/people/subscribing.ts';
import type { Sql } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { donation } from '../support/donations.ts';
import { idIn, READY } from '../support/mailings.ts';
import { untilWaiting } from '../support/sessions.ts';

describe('what comes in while something it leads to is being deleted', () => {
  let api: TestApi;
  let list: string;

  before(async () => {
    api = await startApi();
  });
  after(() => api.close());
  beforeEach(async () => {
    list = await api.create('list', { name: 'News' });
    await api.create('signuppage', { name: 'join', list });
    await api.create('donationpage', { name: 'give', list });
  });
  afterEach(async () => {
    await api.pool.query('delete from core_order; delete from core_action; delete from core_page; delete from core_list');
  });

  /** Sends a request that comes to wait for a deletion, which is then committed. @param remove what it returns is done while the request waits */
  async function meanwhile(
    remove: (sql: Sql) => Promise<unknown>,
    url: string,
    body?: object,
    method = body ? 'POST' : 'DELETE',
    headers: Record<string, string> = {},
  ) {
    const { sent } = await inOneTransaction(api.pool, async (sql) => {
      const then = await remove(sql);
      const answer = api.call(method, url, body, headers);
      await untilWaiting(api.pool);
      if (typeof then === 'function') await then();
      return { sent: answer };
    });
    return sent;
  }

  it('is an action all the same, where it is the list of the page', async () => {
    const answer = await meanwhile((sql) => deleteList(sql, idIn(list)), '/rest/v1/action/', { page: 'join', email: 'ann@example.org' });
    equal(answer.statusCode, 201, answer.body);
    const { user, subscribed_user } = answer.json();
    deepEqual([subscribed_user, (await api.read(user)).subscription_status], [false, 'never']);
  });

  it('is a donation all the same, where it is the list of the page', async () => {
    const answer = await meanwhile((sql) => deleteList(sql, idIn(list)), '/rest/v1/donationpush/', donation());
    equal(answer.statusCode, 200, answer.body);
    deepEqual([answer.json().subscribed_user, answer.json().order.total], [false, '10.00']);
  });

  it('is refused with the reason, where it is the page or a list that was named', async () => {
    const named = { page: 'join', email: 'ben@example.org', lists: [idIn(list)] };
    const unlisted = await meanwhile((sql) => deleteList(sql, idIn(list)), '/rest/v1/action/', named);
    deepEqual([unlisted.statusCode, unlisted.json()], [400, { errors: { lists: [`There is no list ${idIn(list)}.`] } }]);
    const paged = await meanwhile((sql) => sql(`delete from core_page where name = 'join'`), '/rest/v1/action/', {
      page: 'join',
      email: 'ben@example.org',
    });
    deepEqual([paged.statusCode, paged.json()], [400, { page: 'There is no page named join.' }]);
  });

  it('is a field of an event that is gone then', async () => {
    const campaign = await api.create('eventcampaign', { name: 'c', title: 'C', public_create_page: true, public_search_page: true });
    const event = await api.create('event', { campaign, title: 'A picnic' });
    const field = { event, name: 'parking', value: 'none' };
    const answer = await meanwhile((sql) => sql('delete from events_event where id = $1', [idIn(event)]), '/rest/v1/eventfield/', field);
    deepEqual([answer.statusCode, answer.json()], [400, { eventfield: { event: ['event refers to nothing.'] } }]);
  });

  it('is a field that the event has by then', async () => {
    const campaign = await api.create('eventcampaign', { name: 'd', title: 'D' });
    const event = await api.create('event', { campaign, title: 'A picnic' });
    const theirs = (sql: Sql) => addEventField(sql, { event: idIn(event), name: 'parking', value: 'theirs' });
    const answer = await meanwhile(theirs, '/rest/v1/eventfield/', { event, name: 'parking', value: 'mine' });
    deepEqual([answer.statusCode, (await api.read(event)).fields], [409, { parking: 'theirs' }]);
  });

  it('is a DELETE of an action whose order goes by a DELETE of its own', async () => {
    const action = (await api.call('POST', '/rest/v1/donationpush/', donation())).json();
    const answer = await meanwhile((sql) => sql('delete from core_order where id = $1', [action.order.id]), action.resource_uri);
    equal(answer.statusCode, 204, answer.body);
    equal((await api.call('GET', action.resource_uri)).statusCode, 404);
  });

  it('is a DELETE of a subscription, which holds it from nobody while it waits for its person', async () => {
    const user = await api.create('user', { email: 'leaving@example.org' });
    const subscription = await api.create('subscription', { user, list });
    const leave = async (sql: Sql) => {
      await sql('select from core_user where id = $1 for no key update', [idIn(user)]);
      return () => sql('select from core_subscription where id = $1 for update nowait', [idIn(subscription)]);
    };
    equal((await meanwhile(leave, subscription)).statusCode, 204);
  });

  it('is a DELETE of a list, which holds it from nobody while it waits for those who are on it', async () => {
    const user = await api.create('user', { email: 'member@example.org' });
    const late = idIn(await api.create('user', { email: 'late@example.org' }));
    await api.create('subscription', { user, list });
    const leave = async (sql: Sql) => {
      await sql('select from core_user where id = any($1) for no key update', [[idIn(user), late]]);
      return async () => {
        await sql('select from core_list where id = $1 for key share nowait', [idIn(list)]);
        await unsubscribe(sql, { userIds: [idIn(user)], listIds: [idIn(list)], change: 'unsubscribe_email' });
        await subscribe(sql, { userIds: [late], listIds: [idIn(list)], change: 'subscribe_api' });
      };
    };
    equal((await meanwhile(leave, list)).statusCode, 204);
    const { rows } = await api.pool.query(
      `select subscription_status, (select count(*)::int from core_subscription s where s.user_id = u.id) as lists from core_user u where id = any($1)`,
      [[idIn(user), late]],
    );
    deepEqual(rows, [
      { subscription_status: 'unsubscribed', lists: 0 },
      { subscription_status: 'unsubscribed', lists: 0 },
    ]);
  });

  describe('is a mailing with something that is gone then', () => {
    const kinds: Record<string, [string, object, string, string]> = {
      tag: ['core_tag', { name: 'gone' }, 'tags', 'there is no tag'],
      emailwrapper: ['core_emailwrapper', { name: 'Gone', template: '{{ content }}' }, 'emailwrapper', 'there is no emailwrapper'],
    };
    for (const [resource, [table, body, field, said]] of Object.entries(kinds)) {
      const given = async () => {
        const uri = await api.create(resource, body);
        const remove = (sql: Sql) => sql(`delete from ${table} where id = $1`, [idIn(uri)]);
        return { remove, fields: { [field]: field === 'tags' ? [uri] : uri } };
      };
      it(`which is said, where it is made or changed: a ${resource}`, async () => {
        const mailing = await api.create('mailer', READY);
        for (const [method, url, more] of [
          ['POST', '/rest/v1/mailer/', READY],
          ['PATCH', mailing, {}],
        ] as [string, string, object][]) {
          const { remove, fields } = await given();
          const answer = await meanwhile(remove, url, { ...more, ...fields }, method);
          equal(answer.statusCode, 400);
          match(answer.json().errors[field][0], new RegExp(said));
        }
      });
      it(`which is copied without it: a ${resource}`, async () => {
        const { remove, fields } = await given();
        const mailing = await api.create('mailer', { ...READY, ...fields });
        const answer = await meanwhile(remove, `${mailing}copy/`, {});
        equal(answer.statusCode, 201, answer.body);
        deepEqual((await api.read(`/rest/v1/mailer/${idIn(String(answer.headers.location))}/`))[field], resource === 'tag' ? [] : null);
      });
    }
  });

  it('is one of several that are named, and is gone then', async () => {
    const target = await api.create('target', { type: 'house', last: 'Gone' });
    const group = await api.create('congresstargetgroup', { name: 'house', type: 'congress', targets: [] });
    const remove = (sql: Sql) => sql('delete from core_target where id = $1', [idIn(target)]);
    const answer = await meanwhile(remove, group, { targets: [target] }, 'PATCH');
    deepEqual(answer.json(), { congresstargetgroup: { targets: [`targets refers to nothing: there is no target ${idIn(target)}.`] } });
  });

  it('is a login token of somebody who is gone then', async () => {
    const user = await api.create('user', { email: 'token@example.org' });
    const remove = (sql: Sql) => sql('delete from core_user where id = $1', [idIn(user)]);
    equal((await meanwhile(remove, `${user}logintoken/`, {})).statusCode, 404);
  });

  it('is a file for a page that is gone then', async () => {
    const page = await api.create('importpage', { name: 'gone' });
    const remove = (sql: Sql) => sql('delete from core_page where id = $1', [idIn(page)]);
    const part = (about: string, text: string) => `--b\r\nContent-Disposition: form-data; ${about}\r\n\r\n${text}\r\n`;
    const form = `${part('name="page"', 'gone')}${part('name="upload"; filename="a.csv"', 'email\nann@example.org\n')}--b--\r\n`;
    const sent = { 'content-type': 'multipart/form-data; boundary=b' };
    const answer = await meanwhile(remove, '/rest/v1/upload/', Buffer.from(form), 'POST', sent);
    deepEqual([answer.statusCode, answer.json()], [400, { upload: { page: ['page refers to nothing.'] } }]);
  });

  for (const [resource, table, body, field, said] of [
    ['fromline', 'core_fromline', { from_line: '"Eve" <eve@example.org>' }, 'email_from_line', 'from this from line.'],
    ['emailwrapper', 'core_emailwrapper', { name: 'Letter', template: '{{ content }}' }, 'email_wrapper', 'in this wrapper.'],
  ] as const) {
    it(`is a DELETE of what a page begins to confirm actions in: a ${resource}`, async () => {
      const uri = await api.create(resource, body);
      const page = await api.create('signuppage', { name: `by_${resource}`, followup: { email_subject: 'Thanks', [field]: uri } });
      const begin = (sql: Sql) => sql('update core_pagefollowup set send_email = true where page_id = $1', [idIn(page)]);
      const answer = await meanwhile(begin, uri);
      deepEqual(answer.json(), { [resource]: { id: [`Page by_${resource} sends its confirmations ${said}`] } });
      equal((await api.read(page)).followup[field], uri);
      await api.call('PATCH', page, { followup: { send_email: false } });
      equal((await api.call('DELETE', uri)).statusCode, 204);
    });

    it(`is a change or a DELETE of the default, which holds it from nobody while another becomes it: a ${resource}`, async () => {
      const uri = await api.create(resource, { ...body, is_default: true });
      const other = async (sql: Sql) => {
        await sql(`lock table ${table} in share row exclusive mode`);
        return () => sql(`select from ${table} where id = $1 for update nowait`, [idIn(uri)]);
      };
      equal((await meanwhile(other, uri, { ...body, is_default: true }, 'PATCH')).statusCode, 202);
      equal((await meanwhile(other, uri)).statusCode, 204);
    });
  }

  describe('is what a webhook hears of', () => {
    let webhook: string;
    let user: string;
    before(async () => {
      user = await api.create('user', { email: 'heard@example.org' });
    });
    beforeEach(async () => {
      const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
      webhook = await api.create('webhook', { url: 'https://hook.example.org/', events: ['unsubscribe', 'action'], secret });
    });
    afterEach(() => api.call('DELETE', webhook));

    const deleted = (sql: Sql) => sql('delete from core_webhook where id = $1', [idIn(webhook)]);
    const stopped = async (sql: Sql) => {
      // As who changes it does.
      await sql('select from core_webhook where id = $1 for update', [idIn(webhook)]);
      await sql('update core_webhook set active = false where id = $1', [idIn(webhook)]);
    };

    for (const [what, change] of Object.entries({ deleted, stopped })) {
      it(`and is done, and nobody is told of it: an action while it is ${what}`, async () => {
        const answer = await meanwhile(change, '/rest/v1/action/', { page: 'join', email: 'heard@example.org' });
        deepEqual([answer.statusCode, (await api.read('/rest/v1/webhookdelivery/')).objects], [201, []]);
      });
      it(`and is done, and nobody is told of it: a DELETE of a subscription while it is ${what}`, async () => {
        const answer = await meanwhile(change, await api.create('subscription', { user, list }));
        deepEqual([answer.statusCode, answer.body, (await api.read('/rest/v1/webhookdelivery/')).objects], [204, '', []]);
      });
    }
  });

  describe('is something of somebody', () => {
    let user: string;
    const of: Record<string, string> = {};
    before(async () => {
      user = await api.create('user', { email: 'owner@example.org' });
      of['phone'] = await api.create('phone', { user, phone: '202 555 0100' });
      of['userfield'] = await api.create('userfield', { parent: user, name: 'shoe', value: '42' });
      of['usergeofield'] = await api.create('usergeofield', { user, name: 'ward', value: '5' });
      const campaign = await api.create('campaign', { name: 'tour' });
      of['event'] = await api.create('event', { campaign, creator: user, fields: { host: 'Ann' } });
      of['eventfield'] = (await api.read(`/rest/v1/eventfield/?event=${idIn(of['event'])}`)).objects[0].resource_uri;
      of['eventsignup'] = await api.create('eventsignup', { user, event: of['event'] });
    });
    beforeEach(async () => {
      const monthly = donation({ user: { email: 'owner@example.org' }, order: { recurring_id: 'monthly' } });
      const given = (await api.call('POST', '/rest/v1/donationpush/', monthly)).json();
      of['order'] = given.order.resource_uri;
      of['orderrecurring'] = given.order.orderrecurrings[0].resource_uri;
      const paid = await api.call('POST', '/rest/v1/recurringpaymentpush/', { recurring_id: 'monthly' });
      of['transaction'] = String(paid.headers.location).slice(api.env.BASE_URL.length);
      of['action'] = given.resource_uri;
      of['orderuserdetail'] = given.order.user_detail;
      of['actionfield'] = await api.create('actionfield', { parent: of['action'], name: 'why', value: 'Ann' });
    });

    for (const [resource, table, change] of [
      ['phone', 'core_phone', { source: 'me' }],
      ['userfield', 'core_userfield', { value: '43' }],
      ['usergeofield', 'core_usergeofield', { value: '6' }],
      ['event', 'events_event', { fields: { host: 'Ben' } }],
      ['eventfield', 'events_eventfield', { value: 'Bob' }],
      ['eventsignup', 'events_eventsignup', { fields: { diet: 'none' } }],
      ['action', 'core_action', { fields: { why: 'Ben' } }],
      ['actionfield', 'core_actionfield', { value: 'Bob' }],
      ['orderuserdetail', 'core_orderuserdetail', { first_name: 'Ben' }],
      ['order', 'core_order', { status: 'reversed' }],
      ['transaction', 'core_transaction', { status: 'failed', failure_message: 'no money' }],
    ] as [string, string, object][])
      it(`that is changed, which holds it from nobody while it waits for them: ${resource}`, async () => {
        const whose = async (sql: Sql) => {
          await sql('select from core_user where id = $1 for update', [idIn(user)]);
          return () => sql(`select from ${table} where id = $1 for update nowait`, [idIn(of[resource]!)]);
        };
        equal((await meanwhile(whose, of[resource]!, change, 'PATCH')).statusCode, 202);
      });

    for (const [what, table, method, url, body] of [
      ['a payment that is changed', 'core_transaction', 'PATCH', () => of['transaction'], { status: 'failed' }],
      ['a profile that is canceled', 'core_orderrecurring', 'POST', () => `${of['orderrecurring']}cancel/`, {}],
      ['a profile that is paid', 'core_orderrecurring', 'POST', () => '/rest/v1/recurringpaymentpush/', { recurring_id: 'monthly' }],
      ['an action that is deleted', 'core_action', 'DELETE', () => of['action'], undefined],
    ] as [string, string, string, () => string, object | undefined][])
      it(`or of their donation, which holds it from nobody while it waits for the order: ${what}`, async () => {
        const resource = table.slice('core_'.length);
        const whose = async (sql: Sql) => {
          await sql('select from core_order where id = $1 for update', [idIn(of['order']!)]);
          return () => sql(`select from ${table} where id = $1 for update nowait`, [idIn(of[resource]!)]);
        };
        const { statusCode } = await meanwhile(whose, url(), body, method);
        equal(Math.floor(statusCode / 100), 2);
      });

    for (const [resource, what] of [
      ['eventfield', () => ({ event: of['event'], name: 'parking', value: 'none' })],
      ['actionfield', () => ({ parent: of['action'], name: 'when', value: 'now' })],
    ] as [string, () => object][])
      it(`to which a value is added, which holds it from nobody while it waits for them: ${resource}`, async () => {
        const whose = async (sql: Sql) => {
          await sql('select from core_user where id = $1 for update', [idIn(user)]);
          return async () => {
            await sql('select from events_event where id = $1 for update nowait', [idIn(of['event']!)]);
            await sql('select from core_action where id = $1 for update nowait', [idIn(of['action']!)]);
          };
        };
        equal((await meanwhile(whose, `/rest/v1/${resource}/`, what())).statusCode, 201);
      });
  });

  for (const resource of ['userfield', 'actionfield', 'eventfield', 'phone', 'action'])
    it(`is a DELETE of what is somebody's, which holds it from nobody while it waits for them: ${resource}`, async () => {
      const email = `${resource}@example.org`;
      const given = (await api.call('POST', '/rest/v1/donationpush/', donation({ user: { email, first_name: 'Ann' } }))).json();
      const campaign = await api.create('campaign', { name: email });
      const event = await api.create('event', { campaign, creator: given.user });
      const [table, url] = await {
        userfield: async () => ['core_userfield', await api.create('userfield', { parent: given.user, name: 'shoe', value: '42' })],
        actionfield: async () => [
          'core_actionfield',
          await api.create('actionfield', { parent: given.resource_uri, name: 'a', value: 'b' }),
        ],
        eventfield: async () => ['events_eventfield', await api.create('eventfield', { event, name: 'a', value: 'b' })],
        phone: async () => ['core_phone', await api.create('phone', { user: given.user, phone: '202 555 0100' })],
        action: async () => ['core_action', given.resource_uri],
      }[resource]!();
      const whose = async (sql: Sql) => {
        await sql('select from core_user where id = $1 for update', [idIn(given.user)]);
        return () => sql(`select from ${table} where id = $1 for update nowait`, [idIn(url)]);
      };
      equal((await meanwhile(whose, url)).statusCode, 204);
    });
});
