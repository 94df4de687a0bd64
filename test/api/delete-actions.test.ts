import assert from 'node:assert/strict';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { push } from '../support/donations.ts';

const TYPES = ['signup', 'petition', 'unsubscribe', 'import'];

describe('DELETE of actions', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.create('list', { name: 'News' });
    for (const type of TYPES) await api.create(`${type}page`, { name: `${type}-page`, list: '/rest/v1/list/1/' });
  });
  after(() => api.close());

  const acts = async (page: string, more: object = {}) => {
    const answer = await api.call('POST', '/rest/v1/action/', { page, email: 'ada@example.org', ...more });
    assert.equal(answer.statusCode, 201, answer.body);
    return answer.json();
  };
  const counted = async (uri: string) => (await api.read(uri)).meta.total_count;

  it('is 204 by /action/ and by each typed resource, and lists and counts follow', async () => {
    for (const type of TYPES) {
      const [kept, first, second] = [await acts(`${type}-page`), await acts(`${type}-page`), await acts(`${type}-page`)];
      for (const uri of [`/rest/v1/action/${first.action_id}/`, `/rest/v1/${type}action/${second.action_id}/`]) {
        assert.equal((await api.call('DELETE', uri)).statusCode, 204, uri);
        assert.equal((await api.call('GET', uri)).statusCode, 404);
        assert.equal((await api.call('DELETE', uri)).statusCode, 404);
      }
      const { objects } = await api.read(`/rest/v1/${type}action/`);
      assert.deepEqual(
        objects.map(({ id }: { id: number }) => id),
        [kept.action_id],
      );
      const page = (await api.read(`/rest/v1/${type}page/?name=${type}-page`)).objects[0];
      assert.equal(await counted(page.actions), 1);
    }
    const other = await acts('signup-page');
    assert.equal((await api.call('DELETE', `/rest/v1/petitionaction/${other.action_id}/`)).statusCode, 404, 'of another type');
  });

  it('takes its fields and reports of targets along; lists stay, and their history names no action', async () => {
    const action = await acts('signup-page', { email: 'new@example.org', action_color: 'red' });
    const { rows: users } = await api.pool.query(`select id from core_user where email = 'new@example.org'`);
    assert.equal((await api.call('DELETE', `/rest/v1/action/${action.action_id}/`)).statusCode, 204);
    const { rows } = await api.pool.query('select count(*)::int as count from core_actionfield where parent_id = $1', [action.action_id]);
    assert.equal(rows[0].count, 0);
    assert.equal((await api.read(`/rest/v1/user/${users[0].id}/`)).subscription_status, 'subscribed');
    const { rows: history } = await api.pool.query('select change, action from core_subscriptionhistory where user_id = $1', [users[0].id]);
    assert.deepEqual(history, [{ change: 'subscribe', action: null }]);
  });

  it('goes with the page, too: lists stay, and their history names no action', async () => {
    const mailing = Number((await api.create('mailer', { subjects: ['Hello'], html: '<p>Hello</p>' })).split('/')[4]);
    const pages = [
      await api.create('signuppage', { name: 'short-lived', list: '/rest/v1/list/1/' }),
      await api.create('unsubscribepage', { name: 'short-leave', list: '/rest/v1/list/1/' }),
    ];
    const person = { email: 'by-page@example.org', mailing_id: mailing };
    await acts('short-lived', person);
    await acts('short-leave', person);
    const history = async () =>
      (await api.read('/rest/v1/subscriptionhistory/?user__email=by-page@example.org&order_by=id')).objects as {
        change: string;
        action: string;
      }[];
    for (const { action } of await history()) await api.read(action);
    const left = async () => (await api.read(`/rest/v1/mailer/${mailing}/results/`)).totals.unsubscribes;
    assert.equal(await left(), 1);
    for (const page of pages) assert.equal((await api.call('DELETE', page)).statusCode, 204);
    assert.deepEqual(
      (await history()).map(({ change, action }) => [change, action]),
      [
        ['subscribe', null],
        ['unsubscribe', null],
      ],
    );
    assert.equal(await left(), 0);
  });

  it('goes with others of a page a part at a time, so that whoever acts there waits for none of them; none goes where the page stays', async () => {
    const page = await api.create('petitionpage', { name: 'much-signed' });
    const id = Number(page.split('/')[4]);
    await acts('much-signed', { email: 'signs-much@example.org' });
    await api.pool.query(
      `insert into core_action (user_id, page_id) select user_id, page_id from core_action, generate_series(1, 2500) where page_id = $1`,
      [id],
    );
    await api.pool.query(`
      create table parts (many int);
      create function note_part() returns trigger language plpgsql as $$ begin insert into parts select count(*) from gone; return null; end $$;
      create trigger note_part after delete on core_action referencing old table as gone for each statement execute function note_part()`);
    const many = async () => (await api.pool.query('select many from parts')).rows.map((row) => row.many);

    const needing = { subjects: ['Hello'], html: '<p>Hello</p>', landing_page: page };
    const mailing = Number((await api.create('mailer', needing)).split('/')[4]);
    await api.pool.query(`update core_mailing set status = 'scheduled' where id = $1`, [mailing]);
    assert.equal((await api.call('DELETE', page)).statusCode, 400);
    assert.equal((await api.call('DELETE', `/rest/v1/signuppage/${id}/`)).statusCode, 404, 'of another type');
    assert.deepEqual(await many(), []);
    await api.pool.query(`update core_mailing set status = 'draft' where id = $1`, [mailing]);
    assert.equal((await api.call('DELETE', page)).statusCode, 204);
    assert.deepEqual(await many(), [1000, 1000, 501]);
  });

  it('goes with no page somebody gave on, which is refused without a try', async () => {
    const given = await push(api, { donationpage: { name: 'much-given' } });
    // What a number was drawn for is known also where it was rolled back.
    await api.pool.query(`
      create sequence tried;
      create function note_try() returns trigger language plpgsql as $$ begin perform nextval('tried'); return old; end $$;
      create trigger note_try before delete on core_action for each row execute function note_try()`);
    const answer = await api.call('DELETE', given.page);
    assert.equal(answer.statusCode, 400);
    assert.match(answer.body, /there is at least one order that refers to it/);
    assert.equal((await api.pool.query('select is_called from tried')).rows[0].is_called, false);
  });

  it('results of a mailing follow', async () => {
    const mailing = await api.create('mailer', { subjects: ['Hello'], html: '<p>Hello</p>', fromline: '"News" <news@example.org>' });
    const id = Number(mailing.split('/')[4]);
    const action = await acts('signup-page', { email: 'of-mail@example.org', mailing_id: id });
    const results = async () => (await api.read(`/rest/v1/mailer/${id}/results/`)).totals;
    assert.deepEqual([(await results()).actions, (await results()).new_users], [1, 1]);
    await api.call('DELETE', `/rest/v1/action/${action.action_id}/`);
    assert.deepEqual([(await results()).actions, (await results()).new_users], [0, 0]);
  });

  it('of a donation takes the order with all its parts along, and needs donation:manage for that', async () => {
    const pushed = async () =>
      push(api, { order: { recurring_id: String(Math.random()), orderdetails: [{ candidate: { name: 'Ida' }, amount: '1.00' }] } });
    const [first, second] = [await pushed(), await pushed()];
    const grants = ['action:delete', 'action:read'];
    const group = await api.create('authgroup', { name: 'Actions', grants });
    await api.create('authuser', { username: 'hand', password: 'a-long-password-1', groups: [group] });
    const hand = { authorization: basic({ username: 'hand', password: 'a-long-password-1' }) };
    assert.equal((await api.call('DELETE', first.resource_uri, undefined, hand)).statusCode, 403);
    assert.equal((await api.call('GET', first.order.resource_uri)).statusCode, 200);
    const plain = await acts('signup-page');
    assert.equal((await api.call('DELETE', `/rest/v1/action/${plain.action_id}/`, undefined, hand)).statusCode, 204);
    const uris = [first.resource_uri, `/rest/v1/action/${second.id}/`];
    for (const [index, { order }] of [first, second].entries()) {
      assert.equal((await api.call('DELETE', uris[index]!)).statusCode, 204);
      const parts = [order.user_detail, order.orderdetails[0].resource_uri, order.orderrecurrings[0].resource_uri, ...order.transactions];
      for (const uri of [uris[index]!, order.resource_uri, ...parts]) assert.equal((await api.call('GET', uri)).statusCode, 404, uri);
    }
  });
});
