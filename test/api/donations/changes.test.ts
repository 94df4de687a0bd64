import assert from 'node:assert/strict';
import { PARTNER_SOURCES } from '../../../core/crm/partner/sources.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { push } from '../../support/donations.ts';

/** As Ruby and Python clients send it: a text of JSON. */
const JSON_BODY = { 'content-type': 'application/json' };

describe('orders, payments and profiles as clients change them', () => {
  let api: TestApi;
  let live: TestApi;
  before(async () => {
    api = await startApi();
    live = await startApi({ API_STATUS_CODES: 'live' });
  });
  after(() => Promise.all([api.close(), live.close()]));

  const send = async (method: string, url: string, body: string | object, on = api) =>
    on.call(method, url, typeof body === 'string' ? body : JSON.stringify(body), JSON_BODY);
  const change = async (url: string, body: object) => {
    const answer = await send('PATCH', url, body);
    assert.equal(answer.statusCode, 202, answer.body);
    assert.equal(answer.body, '');
    return api.read(url);
  };
  const refused = async (method: string, url: string, body: object) => {
    const answer = await send(method, url, body);
    assert.equal(answer.statusCode, 400, answer.body);
    return answer.json();
  };
  const EUROS = { iso_code: 'EUR', per_euro: '1' };

  describe('order', () => {
    it('PATCH and PUT are 202, PUT 204 as live servers answer', async () => {
      const { order } = await push(api);
      for (const method of ['PATCH', 'PUT']) {
        assert.equal((await send(method, order.resource_uri, '{"import_id": "their-own-1"}')).statusCode, 202);
      }
      assert.equal((await api.read(order.resource_uri)).import_id, 'their-own-1');
      assert.equal((await send('PATCH', '/rest/v1/order/987654/', '{}')).statusCode, 404);
      const pushed = await live.call('POST', '/rest/v1/donationpush/', {
        donationpage: { name: 'give' },
        order: { amount: '1.00', card_num: '4111', card_code: '007', exp_date_month: '12', exp_date_year: '2031' },
        user: { email: 'live@example.org', first_name: 'Live' },
      });
      const { resource_uri: uri, transactions } = pushed.json().order;
      for (const each of [uri, transactions[0]]) {
        assert.equal((await send('PUT', each, '{}', live)).statusCode, 204, each);
        assert.equal((await send('PATCH', each, '{}', live)).statusCode, 202, each);
      }
    });

    it('takes total and currency, and converts anew', async () => {
      await api.create('currency', EUROS).catch(() => {});
      await api.create('currency', { iso_code: 'USD', per_euro: '1.25' });
      const { order } = await push(api, { order: { amount: '10.00', orderdetails: [{ candidate: { name: 'Ida' }, amount: '30.00' }] } });
      assert.equal((await change(order.resource_uri, { total: '80.00' })).total_converted, '80.00');
      const euros = await change(order.resource_uri, { currency: 'eur' });
      assert.deepEqual([euros.currency, euros.total_converted], ['EUR', '100.00']);
      for (const filter of ['currency=eur', 'currency=EUR', 'currency__in=gbp,eur'])
        assert.equal((await api.read(`/rest/v1/order/?id=${order.id}&${filter}`)).meta.total_count, 1, filter);
      const detail = await api.read(euros.orderdetails[0]);
      assert.deepEqual([detail.currency, detail.amount, detail.amount_converted], ['EUR', '30.00', '37.50']);
      assert.equal((await change(order.resource_uri, { total: 16 })).total_converted, '20.00', 'a number, as parsons sends them');
      assert.deepEqual(Object.keys((await refused('PATCH', order.resource_uri, { currency: 'XTS' })).order), ['currency']);
      for (const total of ['0.00', '-1', '1.005', 'much', '9999999999999']) {
        assert.deepEqual(Object.keys((await refused('PATCH', order.resource_uri, { total })).order), ['total'], total);
      }
    });

    for (const change of [{ trans_id: 'bank-77' }, { amount: '12.00' }]) {
      it(`takes its credit with it when it was given back by mistake, though its ${Object.keys(change)} was changed since`, async () => {
        const { order } = await push(api, { user: { email: `again-${Object.keys(change)}@example.org` } });
        await api.call('POST', `${order.resource_uri}reverse/`);
        const payment = async (type: string) =>
          (await api.read(`/rest/v1/transaction/?order=${order.resource_uri}&type=${type}`)).objects[0];
        const { resource_uri: sale } = await payment('sale');
        await api.call('PATCH', sale, change);
        await api.call('PATCH', sale, { status: 'completed' });
        assert.equal((await payment('credit')).status, 'reversed');
      });
    }

    it('counts again once it is completed, whatever it stood as since it was reversed', async () => {
      const { order } = await push(api, { user: { email: 'reversed-for-now@example.org' } });
      await api.call('POST', `${order.resource_uri}reverse/`);
      for (const status of ['failed', 'completed']) await api.call('PATCH', order.resource_uri, { status });
      const { objects } = await api.read(`/rest/v1/transaction/?order=${order.resource_uri}&order_by=id`);
      assert.deepEqual(
        objects.map(({ type, status }: { type: string; status: string }) => [type, status]),
        [
          ['sale', 'completed'],
          ['credit', 'reversed'],
        ],
      );
    });

    it('counts again with its payment, which takes its credit with it whatever it stood as since', async () => {
      const { order } = await push(api, { user: { email: 'payment-for-now@example.org' } });
      const payments = async () => {
        const { objects } = await api.read(`/rest/v1/transaction/?order=${order.resource_uri}&order_by=id`);
        return objects.map(({ type, status }: { type: string; status: string }) => [type, status]);
      };
      const sale = order.transactions[0];
      await api.call('POST', `${sale}reverse/`);
      for (const status of ['failed', 'completed']) {
        assert.equal((await api.call('PATCH', sale, { status })).statusCode, 202);
        assert.deepEqual(await payments(), [
          ['sale', status],
          ['credit', 'reversed'],
        ]);
        assert.equal((await api.read(order.resource_uri)).status, status);
      }
    });

    it('is reversed once its payment was given back, by whichever way, whatever else was tried', async () => {
      const back: Record<string, (sale: string) => Promise<{ statusCode: number }>> = {
        reverse: (sale) => api.call('POST', `${sale}reverse/`),
        patch: (sale) => api.call('PATCH', sale, { status: 'reversed' }),
      };
      for (const [way, giveBack] of Object.entries(back)) {
        const { order } = await push(api, { user: { email: `back-by-${way}@example.org` } });
        const attempt = () => api.create('transaction', { order: order.resource_uri, amount: '10.00', status: 'failed' });
        const statuses = async () => [(await api.read(order.resource_uri)).status, (await api.read(order.action)).status];
        await attempt();
        assert.deepEqual(await statuses(), ['completed', 'complete'], way);
        assert.equal((await giveBack(order.transactions[0])).statusCode, 202, way);
        assert.deepEqual(await statuses(), ['reversed', 'complete'], way);
        await attempt();
        assert.deepEqual(await statuses(), ['reversed', 'complete'], `${way}, and tried once more`);
      }
    });

    it('takes created_at, account, payment method and import_id, which is unique', async () => {
      const { order } = await push(api, { order: { donation_import_id: 'held' } });
      await api.create('paymentaccount', { name: 'Processor', processor: 'processor' });
      const changed = await change(order.resource_uri, {
        created_at: '2020-01-02T03:04:05',
        account: 'Processor',
        payment_method: 'paypal',
      });
      assert.deepEqual([changed.created_at, changed.account, changed.payment_method], ['2020-01-02T03:04:05', 'Processor', 'paypal']);
      assert.match((await refused('PATCH', order.resource_uri, { account: 'test' })).order.account[0], /no payment account named test/);
      const { order: other } = await push(api);
      const taken = await send('PATCH', other.resource_uri, { import_id: 'held' });
      assert.equal(taken.statusCode, 409);
      assert.equal(taken.headers.location, `http://platform.test${order.resource_uri}`);
      assert.equal((await change(order.resource_uri, { import_id: '' })).import_id, null);
      assert.equal((await change(other.resource_uri, { import_id: 'held' })).import_id, 'held');
    });

    it('takes a whole object back as it was read, and nothing changes', async () => {
      const { order } = await push(api, {
        order: { recurring_id: 'whole', orderdetails: [{ candidate: { name: 'Ida' }, amount: '1.00' }] },
      });
      const [detail, profile] = [await api.read(order.user_detail), await api.read(order.orderrecurrings[0].resource_uri)];
      const uris = [order.resource_uri, order.transactions[0], profile.resource_uri, detail.resource_uri];
      for (const uri of uris) {
        const { rows: before } = await api.pool.query(`select * from core_${uri.split('/')[3]} where id = $1`, [uri.split('/')[4]]);
        const shown = await api.read(uri);
        for (const method of ['PUT', 'PATCH']) assert.equal((await send(method, uri, shown)).statusCode, 202, uri);
        assert.deepEqual(await api.read(uri), shown);
        const { rows: after } = await api.pool.query(`select * from core_${uri.split('/')[3]} where id = $1`, [uri.split('/')[4]]);
        assert.deepEqual(after, before, uri);
      }
    });

    it('goes to another action of the same person by action or action_id', async () => {
      const { user, order } = await push(api, { user: { email: 'moves@example.org' }, order: { recurring_id: 'moves' } });
      const second = await push(api, { user: { email: 'moves@example.org' } });
      assert.match((await refused('PATCH', order.resource_uri, { action_id: second.id })).order.action[0], /order of its own/);
      await change(second.order.resource_uri, { status: 'incomplete' });
      assert.equal((await api.call('DELETE', second.order.resource_uri)).statusCode, 204);
      assert.equal((await change(order.resource_uri, { action_id: second.id })).action, second.resource_uri);
      assert.equal((await api.read(order.orderrecurrings[0].resource_uri)).action, second.resource_uri);
      assert.equal((await api.read(second.resource_uri)).status, 'complete');
      const other = await push(api, { user: { email: 'else@example.org' } });
      assert.match((await refused('PATCH', order.resource_uri, { action: other.resource_uri })).order.action[0], /somebody else/);
      assert.equal((await api.read(order.resource_uri)).user, user);
    });

    it('DELETE is 204 of an incomplete one and 400 of any other', async () => {
      const { order, resource_uri } = await push(api, { order: { orderdetails: [{ candidate: { name: 'Ida' }, amount: '1.00' }] } });
      const answer = await api.call('DELETE', order.resource_uri);
      assert.equal(answer.statusCode, 400);
      assert.match(answer.json().order.status[0], /Only an incomplete order can be deleted; this one is completed/);
      await change(order.resource_uri, { status: 'incomplete' });
      assert.equal((await api.call('DELETE', order.resource_uri)).statusCode, 204);
      for (const uri of [order.resource_uri, order.orderdetails[0].resource_uri, order.user_detail, ...order.transactions]) {
        assert.equal((await api.call('GET', uri)).statusCode, 404, uri);
      }
      assert.deepEqual([(await api.read(resource_uri)).status, (await api.read(resource_uri)).order], ['incomplete', null]);
      assert.equal((await api.call('DELETE', order.resource_uri)).statusCode, 404);
    });

    it('names its details, profile and transactions by URIs that answer', async () => {
      const { order, resource_uri } = await push(api, {
        order: { recurring_id: 'uris', orderdetails: [{ candidate: { name: 'Ida' }, amount: '1.00' }] },
      });
      const shown = await api.read(order.resource_uri);
      assert.deepEqual(shown.orderdetails, [order.orderdetails[0].resource_uri]);
      assert.deepEqual(shown.orderrecurrings, [order.orderrecurrings[0].resource_uri]);
      assert.deepEqual((await api.read(resource_uri)).order.orderrecurrings, shown.orderrecurrings);
      for (const uri of [...shown.orderdetails, ...shown.orderrecurrings, ...shown.transactions]) {
        assert.equal((await api.read(uri)).order, order.resource_uri);
      }
      const { objects } = await api.read(`/rest/v1/order/?id=${order.id}`);
      assert.deepEqual(objects, [shown]);
    });
  });

  describe('transaction', () => {
    it('is added by POST as parsons sends it', async () => {
      const { order } = await push(api);
      const answer = await send(
        'POST',
        '/rest/v1/transaction/',
        `{"account": "Default Import Stub", "amount": 1, "amount_converted": 1, "currency": "USD", "failure_code": "", "failure_description": "", "failure_message": "", "order": "${order.resource_uri}", "status": "completed", "success": true, "test_mode": false, "trans_id": "abc123", "type": "sale"}`,
      );
      assert.equal(answer.statusCode, 201, answer.body);
      const made = await api.read(String(answer.headers.location).replace('http://platform.test', ''));
      assert.deepEqual(
        [made.amount, made.amount_converted, made.account, made.order, made.trans_id, made.type, made.status, made.success, made.test_mode],
        ['1.00', '1.00', 'Default Import Stub', order.resource_uri, 'abc123', 'sale', 'completed', true, false],
      );
      assert.equal((await api.read(order.resource_uri)).transactions.length, 2);
      assert.deepEqual(Object.keys((await refused('POST', '/rest/v1/transaction/', {})).transaction).sort(), ['amount', 'order']);
      for (const wrong of [
        { order: 987_654 },
        { amount: 0 },
        { account: 'none' },
        { status: 'paid' },
        { type: 'gift' },
        { currency: 'XTS' },
      ]) {
        const { transaction } = await refused('POST', '/rest/v1/transaction/', { order: order.resource_uri, amount: '1.00', ...wrong });
        assert.deepEqual(Object.keys(transaction), Object.keys(wrong));
      }
    });

    it('PATCH and PUT take status, trans_id and failure; success stays what it was unless given', async () => {
      const { order } = await push(api);
      const [uri] = order.transactions;
      const said = { failure_code: '51', failure_description: 'declined', failure_message: 'No funds' };
      const failed = await change(uri, { status: 'failed', trans_id: 'ch_1', ...said });
      assert.equal(failed.success, true);
      assert.equal(failed.test_mode, false);
      assert.deepEqual([failed.status, failed.trans_id, failed.failure_code, failed.failure_message], ['failed', 'ch_1', '51', 'No funds']);
      assert.equal((await change(uri, { success: false })).success, false);
      assert.equal((await send('PUT', uri, { status: 'completed', success: true })).statusCode, 202);
      assert.deepEqual([(await api.read(uri)).status, (await api.read(uri)).success], ['completed', true]);
      assert.equal((await change(uri, { account: 'Default Import Stub', amount: '5.00' })).amount_converted, '5.00');
      assert.deepEqual(Object.keys((await refused('PATCH', uri, { type: 'credit' })).transaction), ['type']);
    });
  });

  describe('orderrecurring', () => {
    it('PATCH and PUT take status, recurring_id, period, amount, exp_date and card_num', async () => {
      const { order } = await push(api, { order: { recurring_id: 'before' } });
      const uri = (await api.read(order.resource_uri)).orderrecurrings[0];
      assert.equal((await change(uri, { amount: '1.00' })).amount_converted, '1.00', 'as parsons sends it');
      const changed = await change(uri, {
        status: 'canceled_by_user',
        recurring_id: 'after',
        recurring_period: 'weeks',
        amount: 2.5,
        exp_date: '0133',
        card_num: '4111111111114242',
      });
      assert.deepEqual(
        [changed.status, changed.recurring_id, changed.period, changed.amount, changed.exp_date, changed.card_num],
        ['canceled_by_user', 'after', 'weeks', '2.50', '0133', '4242'],
      );
      assert.equal((await send('PUT', uri, { ...changed, recurring_period: 'months' })).statusCode, 202);
      assert.equal((await api.read(uri)).period, 'months');
      for (const wrong of [{ status: 'gone' }, { recurring_period: 'moons' }, { amount: 'x' }, { exp_date: '1330' }, { account: 'none' }]) {
        assert.deepEqual(Object.keys((await refused('PATCH', uri, wrong)).orderrecurring), Object.keys(wrong));
      }
      const { order: other } = await push(api, { order: { recurring_id: 'other' } });
      const taken = await send('PATCH', other.orderrecurrings[0].resource_uri, { recurring_id: 'after' });
      assert.equal(taken.statusCode, 409);
      assert.equal(taken.headers.location, `http://platform.test${uri}`);
      assert.deepEqual(taken.json(), { errors: { recurring_id: ["Conflict on unique key 'recurring_id' for value 'after'"] } });
    });

    it('is canceled when its status says so, and goes on when it does again', async () => {
      const { order } = await push(api, { order: { recurring_id: 'ends' } });
      const { id, resource_uri: uri } = order.orderrecurrings[0];
      const canceledAt = async () =>
        (await api.pool.query('select canceled_at from core_orderrecurring where id = $1', [id])).rows[0].canceled_at;
      await change(uri, { status: 'canceled_by_processor' });
      assert.ok(await canceledAt());
      await change(uri, { status: 'active' });
      assert.equal(await canceledAt(), null);
    });
  });

  it('orderuserdetail: GET, and PATCH is 202', async () => {
    const { order } = await push(api, { user: { city: 'Ghent' } });
    const detail = await api.read(order.user_detail);
    assert.deepEqual([detail.first_name, detail.city], ['Dora', 'Ghent']);
    assert.equal((await send('PATCH', order.user_detail, '{"first_name": "new name"}')).statusCode, 202, 'as parsons sends it');
    assert.deepEqual(await api.read(order.user_detail), {
      ...detail,
      first_name: 'new name',
      updated_at: (await api.read(order.user_detail)).updated_at,
    });
  });

  it('complete and completed are the same word coming in, of orders, payments and actions', async () => {
    const { order, resource_uri } = await push(api);
    await change(order.resource_uri, { status: 'pending' });
    assert.equal((await change(order.resource_uri, { status: 'complete' })).status, 'completed');
    assert.equal((await change(order.transactions[0], { status: 'complete' })).status, 'completed');
    assert.equal((await change(resource_uri, { status: 'completed' })).status, 'complete');
    assert.equal((await api.read(`/rest/v1/order/?status=complete&id=${order.id}`)).meta.total_count, 1);
    assert.equal((await api.read(`/rest/v1/transaction/?status__in=complete,failed&order=${order.id}`)).meta.total_count, 1);
    const { order: monthly } = await push(api, { order: { recurring_id: 'either-word' } });
    const paid = await send('POST', '/rest/v1/recurringpaymentpush/', '{"recurring_id": "either-word", "status": "complete"}');
    assert.equal(paid.statusCode, 201, paid.body);
    assert.equal((await api.read(`/rest/v1/transaction/?order=${monthly.id}&status=completed`)).meta.total_count, 2);
    assert.equal((await api.read(`/rest/v1/donationaction/?status=completed&id=${resource_uri.split('/')[4]}`)).meta.total_count, 1);
  });

  it('are found by the name of their account', async () => {
    const { order } = await push(api, { order: { recurring_id: 'by-account' } });
    await api.create('paymentaccount', { name: 'Other stub' });
    await push(api, { order: { recurring_id: 'by-other-account', payment_account: 'Other stub' } });
    const found = async (resource: string, account: string): Promise<number[]> =>
      (await api.read(`/rest/v1/${resource}/?_limit=100&account=${encodeURIComponent(account)}`)).objects.map(
        ({ id }: { id: number }) => id,
      );
    for (const [resource, uri] of [
      ['transaction', order.transactions[0]],
      ['order', order.resource_uri],
      ['orderrecurring', order.orderrecurrings[0].resource_uri],
    ]) {
      const id = Number(uri.split('/')[4]);
      assert.ok((await found(resource, 'Default Import Stub')).includes(id), resource);
      assert.equal((await found(resource, 'Other stub')).length, 1, resource);
      assert.deepEqual(await found(resource, 'No such account'), []);
    }
  });

  it('an order that is paid later waits for the partner system then, and not before', async () => {
    const action = await push(api, { user: { email: 'partner@example.org' } });
    await api.create('partnerusermap', { user_id: Number(action.user.split('/')[4]), partner_contact_id: 5 });
    const { waiting } = PARTNER_SOURCES.find(({ kind }) => kind === 'order')!;
    const isWaiting = async () => (await api.pool.query(waiting, [action.order.id - 1, 1])).rows.some(({ id }) => id === action.order.id);
    await change(action.order.resource_uri, { status: 'pending' });
    assert.equal(await isWaiting(), false);
    await change(action.order.resource_uri, { status: 'completed' });
    assert.equal(await isWaiting(), true);
  });
});
