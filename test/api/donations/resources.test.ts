import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';
import { push } from '../../support/donations.ts';

describe('the resources of donations', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  const refused = async (method: string, url: string, body?: unknown) => {
    const answer = await api.call(method, url, body);
    assert.equal(answer.statusCode, 400, answer.body);
    return answer.json();
  };

  it('have a collection, a schema and details', async () => {
    const { order } = await push(api, {
      order: { recurring_id: 'seen', orderdetails: [{ candidate: { name: 'Ann' }, amount: '1.00' }] },
    });
    for (const name of [
      'order',
      'orderdetail',
      'orderuserdetail',
      'orderrecurring',
      'transaction',
      'paymentaccount',
      'candidate',
      'donationpage',
      'donationaction',
    ]) {
      const { meta, objects } = await api.read(`/rest/v1/${name}/`);
      assert.ok(meta.total_count > 0, name);
      assert.deepEqual(await api.read(objects[0].resource_uri), objects[0]);
      const schema = await api.read(`/rest/v1/${name}/schema/`);
      assert.deepEqual(Object.keys(schema.fields).sort(), Object.keys(objects[0]).sort());
    }
    for (const name of ['product', 'donationform', 'currency']) assert.ok((await api.read(`/rest/v1/${name}/schema/`)).fields);
    const parts = await api.read(order.resource_uri);
    for (const method of ['PATCH', 'DELETE']) assert.equal((await api.call(method, parts.orderdetails[0], {})).statusCode, 405);
  });

  it('show what a user gave, and filter by money, time and person', async () => {
    const action = await push(api, {
      user: { email: 'filter@example.org' },
      order: { amount: '77.50', created_at: '2021-05-06T07:08:09', donation_import_id: 'filter', recurring_id: 'filter' },
    });
    const user = await api.read(action.user);
    for (const [list, uri] of [
      [user.orders, action.order.resource_uri],
      [user.orderrecurrings, action.order.orderrecurrings[0].resource_uri],
    ]) {
      assert.deepEqual(
        (await api.read(list)).objects.map(({ resource_uri }: { resource_uri: string }) => resource_uri),
        [uri],
      );
    }
    for (const query of [
      'import_id=filter',
      'total=77.50',
      'total=77.5',
      'total__range=77,78',
      'total__gt=77.49',
      'created_at__lt=2022-01-01',
      'user__email=FILTER@example.org',
      `action=${action.id}`,
      `action=${action.resource_uri}`,
    ]) {
      const { objects } = await api.read(`/rest/v1/order/?${query}`);
      assert.deepEqual(
        objects.map(({ id }: { id: number }) => id),
        [action.order.id],
        query,
      );
    }
    assert.equal((await api.read(`/rest/v1/transaction/?order=${action.order.id}&type=recurring_order_create`)).meta.total_count, 1);
    assert.equal((await api.read('/rest/v1/orderrecurring/?recurring_id=filter&status=active')).meta.total_count, 1);
    for (const query of ['total=lots', 'total__gt=1e5', 'secret=1', 'created_at__gte=soon'])
      await refused('GET', `/rest/v1/order/?${query}`);
  });

  it('of pages and their forms are made and changed', async () => {
    const { objects } = await api.read('/rest/v1/paymentaccount/?name=Default Import Stub');
    const stub = objects[0].resource_uri;
    const page = await api.create('donationpage', { name: 'made-here', title: 'Here' });
    assert.equal((await api.read(page)).payment_account, stub, 'a page pushes can use at once');
    const other = await api.create('paymentaccount', { name: 'Other', processor: 'processor', currency: 'EUR' });
    assert.equal((await api.call('PATCH', page, { payment_account: other, title: 'There' })).statusCode, 202);
    const changed = await api.read(page);
    assert.deepEqual([changed.payment_account, changed.title], [other, 'There']);
    await api.call('PATCH', page, { title: 'Only' });
    assert.equal((await api.read(page)).payment_account, other, 'what is not sent stays');
    assert.equal((await api.call('PATCH', page, { payment_account: null })).statusCode, 202);
    assert.equal((await api.read(page)).payment_account, null);
    assert.ok((await refused('PATCH', page, { payment_account: '/rest/v1/paymentaccount/99999/' })).donationpage.payment_account);
    assert.match((await refused('POST', '/rest/v1/donationpage/', { name: 'made-here' })).donationpage.name[0], /already exists/);

    const candidate = await api.create('candidate', { name: 'Cleo' });
    const product = await api.create('product', { name: 'Mug', price: '12.50' });
    const form = await api.create('donationform', { page, candidates: [candidate], products: [product], ask_text: 'Give' });
    const made = await api.read(form);
    assert.deepEqual([made.page, made.candidates, made.products], [page, [candidate], [product]]);
    assert.equal((await api.read(product)).price, '12.50');
    for (const price of [12.5, '12.555', '-1', 'x']) assert.ok((await refused('PATCH', product, { price })).product.price);
    const taken = await api.call('POST', '/rest/v1/candidate/', { name: 'Cleo' });
    assert.equal(taken.statusCode, 409);
    assert.equal(taken.headers.location, `http://platform.test${candidate}`);
  });

  it('of rates are read and set', async () => {
    const uri = await api.create('currency', { iso_code: 'CHF', per_euro: '0.9432', rate_date: '2026-11-20' });
    const rate = await api.read(uri);
    assert.deepEqual([rate.iso_code, rate.per_euro, rate.rate_date], ['CHF', '0.9432000000', '2026-11-20']);
    for (const per_euro of ['0', '-1', 1.5, 'x', '0.00'])
      assert.ok((await refused('PATCH', uri, { per_euro })).currency.per_euro, String(per_euro));
    assert.ok((await refused('POST', '/rest/v1/currency/', { iso_code: 'francs', per_euro: '1' })).currency.iso_code);
  });

  it('that are deleted take along what the partner system said of them when it refused their contributions', async () => {
    const donations = [];
    for (const name of ['one', 'two', 'left']) {
      donations.push(await push(api, { user: { email: `${name}@example.org` }, order: { recurring_id: `refused-${name}` } }));
    }
    await api.pool.query(`
      insert into partner_intent (kind, local_id, error) select 'order', id, '400: Dora of Ghent is barred' from core_order
        union all select 'transaction', id, '400: Dora of Ghent is barred' from core_transaction`);
    const of = ({ order }: { order: { id: number; transactions: string[] } }) => [
      ['order', order.id],
      ['transaction', Number(order.transactions[0]!.split('/')[4])],
    ];
    const [one, two, left] = donations;
    assert.equal((await api.call('DELETE', one.user)).statusCode, 204);
    assert.equal((await api.call('DELETE', two.resource_uri)).statusCode, 204);
    const { rows } = await api.pool.query('select kind, local_id from partner_intent');
    const kept = (donation: typeof one) => of(donation).map(([kind, id]) => rows.some((row) => row.kind === kind && row.local_id === id));
    assert.deepEqual(
      [kept(one), kept(two), kept(left)],
      [
        [false, false],
        [false, false],
        [true, true],
      ],
    );
  });

  it('that money stands on cannot be deleted, and those of a user go with the user', async () => {
    const { order, page, user } = await push(api, {
      donationpage: { name: 'kept' },
      user: { email: 'gone@example.org' },
      order: { recurring_id: 'gone', orderdetails: [{ candidate: { name: 'Dan' }, amount: '1.00' }] },
    });
    assert.match(JSON.stringify(await refused('DELETE', page)), /one order that refers/);
    assert.match(JSON.stringify(await refused('DELETE', page.replace('donationpage', 'page'))), /one order that refers/);
    assert.match(JSON.stringify(await refused('DELETE', order.orderdetails[0].candidate)), /one orderdetail that refers/);
    const { objects } = await api.read('/rest/v1/paymentaccount/?name=Default Import Stub');
    assert.match(JSON.stringify(await refused('DELETE', objects[0].resource_uri)), /that refers to it/);
    assert.equal((await api.call('DELETE', user)).statusCode, 204);
    for (const uri of [order.resource_uri, order.user_detail, order.orderrecurrings[0].resource_uri, ...order.transactions]) {
      assert.equal((await api.call('GET', uri)).statusCode, 404, uri);
    }
    assert.equal((await api.call('DELETE', page)).statusCode, 204);
  });
});
