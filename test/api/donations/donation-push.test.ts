import assert from 'node:assert/strict';
import { eraseUser } from '../../../core/people/erase.ts';
import { inOneTransaction } from '../../../db/transaction.ts';
import { akid } from '../../../domain/akid.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { counted, donation, push } from '../../support/donations.ts';

describe('donationpush', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.pool.query(`insert into core_currency (iso_code, per_euro) values ('USD', 1.1), ('GBP', 0.8)`);
    await api.pool.query(
      `insert into core_paymentaccount (name, processor, currency) values ('Second Stub', 'import_stub', 'USD'), ('Card Processor', 'processor', 'USD')`,
    );
  });
  after(() => api.close());

  let people = 0;
  const somebody = () => ({ email: `donor${++people}@example.org`, first_name: 'Dora', last_name: 'Donor' });
  const refused = async (more: Parameters<typeof donation>[0]) => {
    const before = await counted(api);
    const answer = await api.call('POST', '/rest/v1/donationpush/', donation({ user: somebody(), ...more }));
    assert.equal(answer.statusCode, 400, answer.body);
    assert.deepEqual(await counted(api), before, 'a refused push left something');
    return answer.json();
  };

  describe('the answer', () => {
    it('is the donation action with its order', async () => {
      const user = somebody();
      const action = await push(api, {
        user,
        order: { trans_id: 'T1', donation_import_id: 'first' },
        action: { fields: { color: 'red', sizes: ['s', 'm'] } },
      });
      assert.deepEqual(Object.keys(action).sort(), [
        'akid',
        'created_at',
        'created_user',
        'fields',
        'id',
        'ip_address',
        'is_forwarded',
        'link',
        'mailing',
        'opq_id',
        'order',
        'page',
        'referring_mailing',
        'referring_user',
        'resource_uri',
        'source',
        'status',
        'subscribed_user',
        'taf_emails_sent',
        'type',
        'updated_at',
        'user',
      ]);
      assert.deepEqual(Object.keys(action.order).sort(), [
        'account',
        'action',
        'card_num_last_four',
        'created_at',
        'currency',
        'id',
        'import_id',
        'orderdetails',
        'orderrecurrings',
        'payment_method',
        'resource_uri',
        'shipping_address',
        'status',
        'total',
        'total_converted',
        'transactions',
        'updated_at',
        'user',
        'user_detail',
      ]);
      assert.equal(action.created_user, true);
      assert.equal(action.status, 'complete');
      assert.deepEqual(action.fields, { color: 'red', sizes: ['s', 'm'] });
      assert.equal(action.resource_uri, `/rest/v1/donationaction/${action.id}/`);
      assert.match(action.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);
      assert.match(action.order.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);
      assert.equal(action.order.account, 'Default Import Stub');
      assert.equal(action.order.action, action.resource_uri);
      assert.equal(action.order.card_num_last_four, '1111');
      assert.equal(action.order.currency, 'USD');
      assert.equal(action.order.import_id, 'first');
      assert.equal(action.order.payment_method, 'cc');
      assert.equal(action.order.status, 'completed');
      assert.equal(action.order.total, '10.00');
      assert.equal(action.order.total_converted, '10.0000000000');
      assert.equal(action.order.transactions.length, 1);
      const person = await api.read(action.user);
      assert.match(action.akid, new RegExp(`^\\.${person.id}\\.[\\w-]{6}$`));
      assert.equal((await api.read(`/rest/v1/userpublic/${action.akid}/`)).name, `${person.first_name} ${person.last_name}`);
      assert.equal(person.email, user.email);
      const transaction = await api.read(action.order.transactions[0]);
      assert.equal(transaction.type, 'sale');
      assert.equal(transaction.status, 'completed');
      assert.equal(transaction.success, true);
      assert.equal(transaction.trans_id, 'T1');
      assert.equal(transaction.amount, '10.00');
      const detail = await api.read(action.order.user_detail);
      assert.equal(detail.first_name, 'Dora');
      assert.equal(detail.email, user.email);
      const order = await api.read(action.order.resource_uri);
      assert.equal(order.total_converted, '10.00');
      assert.match(order.created_at, /T\d\d:\d\d:\d\d$/);
      const shown = await api.read(action.resource_uri);
      assert.equal(shown.order.id, order.id);
      assert.equal(shown.order.total_converted, '10.00');
    });

    it('is 201 with a Location where live status codes are set', async () => {
      const live = await startApi({ API_STATUS_CODES: 'live' });
      try {
        const answer = await live.call('POST', '/rest/v1/donationpush', donation());
        assert.equal(answer.statusCode, 201);
        assert.equal(answer.headers.location, `http://platform.test${answer.json().resource_uri}`);
        const { responses } = (await live.read('/rest/v1/openapi.json')).paths['/rest/v1/donationpush/'].post;
        assert.deepEqual([responses['200'], Object.keys(responses['201'].headers)], [undefined, ['Location']]);
      } finally {
        await live.close();
      }
    });

    it('needs the grant', async () => {
      await api.create('authuser', { username: 'reader', password: 'reader-password-1' });
      const authorization = `Basic ${Buffer.from('reader:reader-password-1').toString('base64')}`;
      assert.equal((await api.call('POST', '/rest/v1/donationpush/', donation(), { authorization })).statusCode, 403);
      assert.equal((await api.call('POST', '/rest/v1/donationpush/', donation(), { authorization: '' })).statusCode, 401);
    });
  });

  describe('order', () => {
    it('takes the amount as text only', async () => {
      for (const amount of [10, 10.5, true, ['10.00'], { a: 1 }]) {
        const body = await refused({ order: { amount } });
        assert.match(body.order.amount[0], /amount must be a string/);
      }
    });

    it('refuses what is no amount', async () => {
      for (const amount of ['ten', '10.001', '-5.00', '0.00', '1e5', '10,00', 'NaN', '9'.repeat(30)]) {
        const body = await refused({ order: { amount } });
        assert.deepEqual(Object.keys(body.errors), ['amount:invalid'], amount);
      }
    });

    it('needs an amount somewhere', async () => {
      assert.ok((await refused({ order: { amount: undefined } })).order.amount);
      assert.ok((await refused({ order: { amount: null, orderdetails: [] } })).order.amount);
    });

    it('adds the amounts of order and details up', async () => {
      const orderdetails = [
        { candidate: { name: 'Ann' }, amount: '1.10' },
        { candidate: { name: 'Bob' }, amount: '2.20' },
      ];
      const alone = await push(api, { user: somebody(), order: { amount: undefined, orderdetails } });
      assert.equal(alone.order.total, '3.30');
      const both = await push(api, { user: somebody(), order: { amount: '10.00', orderdetails } });
      assert.equal(both.order.total, '13.30');
      assert.deepEqual(
        both.order.orderdetails.map(({ amount }: { amount: string }) => amount),
        ['1.10', '2.20'],
      );
      // The same candidates, not new ones.
      assert.deepEqual(
        both.order.orderdetails.map(({ candidate }: { candidate: string }) => candidate),
        alone.order.orderdetails.map(({ candidate }: { candidate: string }) => candidate),
      );
    });

    it('takes a candidate by id and never renames one', async () => {
      const uri = await api.create('candidate', { name: 'Cleo' });
      const id = Number(uri.split('/').at(-2));
      const { order } = await push(api, {
        user: somebody(),
        order: { orderdetails: [{ candidate: { id, name: 'Other' }, amount: '1.00' }] },
      });
      assert.equal(order.orderdetails[0].candidate, uri);
      assert.equal((await api.read(uri)).name, 'Cleo');
      assert.ok((await refused({ order: { orderdetails: [{ candidate: { id: 99_999 }, amount: '1.00' }] } })).order.orderdetails);
    });

    it('supports candidates only', async () => {
      assert.ok((await refused({ order: { orderdetails: [{ product: { name: 'Mug' }, amount: '1.00' }] } })).order.orderdetails);
      assert.ok((await refused({ order: { orderdetails: [{ candidate: { name: 'Ann' } }] } })).order.orderdetails);
      assert.ok((await refused({ order: { orderdetails: [{ candidate: { name: 'Ann' }, amount: 5 }] } })).order.orderdetails);
      assert.ok((await refused({ order: { orderdetails: 'Ann' } })).order.orderdetails);
      assert.ok((await refused({ order: { orderdetails: [{ candidate: { name: 'Ann' }, amount: 'x' }] } })).errors['amount:invalid']);
    });

    it('requires the card fields', async () => {
      for (const field of ['card_num', 'card_code', 'exp_date_month', 'exp_date_year']) {
        for (const value of [undefined, null, '', ' ']) assert.ok((await refused({ order: { [field]: value } })).order[field], field);
      }
      for (const [field, values] of Object.entries({
        exp_date_month: ['1', '13', '00', 'Dec'],
        exp_date_year: ['31', '20311'],
        card_code: ['123', '0007'],
      })) {
        for (const value of values) assert.ok((await refused({ order: { [field]: value } })).order[field], `${field} ${value}`);
      }
    });

    it('keeps no more of the card than its last four characters, and takes a card of the past', async () => {
      const action = await push(api, {
        user: somebody(),
        order: { card_num: 'fake-987', exp_date_year: '2001', recurring_id: 'past-card' },
      });
      assert.equal(action.order.card_num_last_four, '-987');
      assert.equal(action.order.orderrecurrings[0].card_num, '-987');
      assert.equal(action.order.orderrecurrings[0].exp_date, '1201');
    });

    it('dates order, action and a new user by created_at, and the order alone by donation_date', async () => {
      const created_at = '2020-02-03T04:05:06';
      const one = await push(api, { user: somebody(), order: { created_at } });
      assert.equal(one.created_at, `${created_at}.000000`);
      assert.equal(one.order.created_at, `${created_at}.000000`);
      assert.equal((await api.read(one.user)).created_at, created_at);
      const transaction = await api.read(one.order.transactions[0]);
      assert.equal(transaction.created_at, created_at);

      const two = await push(api, { user: somebody(), order: { created_at, donation_date: '2019-01-01T00:00:00.123456+01:00' } });
      assert.equal(two.created_at, `${created_at}.000000`);
      assert.equal(two.order.created_at, '2018-12-31T23:00:00.123456');

      const three = await push(api, {
        user: { email: one && (await api.read(one.user)).email },
        order: { created_at: '2021-01-01T00:00:00' },
        action: { created_at: '2022-01-01T00:00:00Z' },
      });
      assert.equal(three.created_at, '2022-01-01T00:00:00.000000');
      assert.equal(three.order.created_at, '2021-01-01T00:00:00.000000');
      assert.equal((await api.read(one.user)).created_at, created_at, 'a user who was there keeps their date');
      for (const field of ['created_at', 'donation_date']) assert.ok((await refused({ order: { [field]: 'yesterday' } })).order[field]);
    });

    it('books to the account it names', async () => {
      const { order } = await push(api, { user: somebody(), order: { payment_account: 'Second Stub' } });
      assert.equal(order.account, 'Second Stub');
      for (const payment_account of ['Card Processor', 'Nothing']) {
        const [message] = (await refused({ order: { payment_account } })).order.payment_account;
        assert.match(message, /Default Import Stub, Second Stub/);
        assert.doesNotMatch(message, /: .*Card Processor/);
      }
    });

    it('is imported once by its donation_import_id', async () => {
      const first = await push(api, { user: somebody(), order: { donation_import_id: 'import-1' } });
      const before = await counted(api);
      const again = await api.call(
        'POST',
        '/rest/v1/donationpush/',
        donation({ user: somebody(), order: { donation_import_id: 'import-1' } }),
      );
      assert.equal(again.statusCode, 409);
      assert.equal(again.headers.location, `http://platform.test${first.order.resource_uri}`);
      assert.ok(again.json().errors.donation_import_id);
      assert.deepEqual(await counted(api), before);
    });

    it('is imported once by import_id, the same as donation_import_id', async () => {
      const first = await push(api, { user: somebody(), order: { import_id: 'import-2' } });
      assert.equal(first.order.import_id, 'import-2');
      for (const name of ['import_id', 'donation_import_id']) {
        const again = await api.call('POST', '/rest/v1/donationpush/', donation({ user: somebody(), order: { [name]: 'import-2' } }));
        assert.equal(again.statusCode, 409);
        assert.equal(again.headers.location, `http://platform.test${first.order.resource_uri}`);
      }
    });

    it('converts at the stored rates', async () => {
      const { order } = await push(api, { user: somebody(), order: { currency: 'GBP', amount: '10.00', recurring_id: 'gbp' } });
      assert.equal(order.currency, 'GBP');
      assert.equal(order.total, '10.00');
      assert.equal(order.total_converted, '13.7500000000');
      assert.equal(order.orderrecurrings[0].currency, 'GBP');
      assert.equal(order.orderrecurrings[0].amount_converted, '13.7500000000');
      const old = await push(api, { user: somebody(), order: { donation_currency: 'eur' } });
      assert.equal(old.order.total_converted, '11.0000000000');
      const both = await push(api, { user: somebody(), order: { currency: 'GBP', donation_currency: 'EUR' } });
      assert.equal(both.order.currency, 'GBP');
    });

    it('refuses a currency without a rate, unless total_converted says what it is', async () => {
      assert.ok((await refused({ order: { currency: 'XXX' } })).order.currency);
      assert.ok((await refused({ order: { currency: 'dollars' } })).order.currency);
      const { order } = await push(api, { user: somebody(), order: { currency: 'XXX', total_converted: '7.123456789' } });
      assert.equal(order.total_converted, '7.1234567890');
      assert.equal(order.total, '10.00');
      assert.ok((await refused({ order: { total_converted: 7.1 } })).order.total_converted);
    });

    it('makes a recurring profile from recurring_id', async () => {
      const { order } = await push(api, {
        user: somebody(),
        order: { recurring_id: 'R1', recurring_period: 'weeks', recurring_start: '2030-01-31', trans_id: 'T9' },
      });
      const [profile] = order.orderrecurrings;
      assert.equal(profile.recurring_id, 'R1');
      assert.equal(profile.period, 'weeks');
      assert.equal(profile.start, '2030-01-31');
      assert.equal(profile.status, 'active');
      assert.equal(profile.amount, '10.00');
      assert.equal(profile.order, order.resource_uri);
      const transactions = await Promise.all(order.transactions.map((uri: string) => api.read(uri)));
      assert.deepEqual(
        transactions.map(({ type, trans_id }) => [type, trans_id]),
        [['recurring_order_create', 'T9']],
      );
      assert.equal((await api.read(profile.resource_uri)).amount, '10.00');
    });

    it('starts charges a period and a day from today', async () => {
      const { rows } = await api.pool.query(
        `select to_char((now() at time zone 'UTC')::date + interval '1 month' + interval '1 day', 'YYYY-MM-DD') as months,
           to_char((now() at time zone 'UTC')::date + 8, 'YYYY-MM-DD') as weeks`,
      );
      for (const period of ['months', 'weeks']) {
        const { order } = await push(api, {
          user: somebody(),
          order: { recurring_id: `start-${period}`, ...(period === 'weeks' && { recurring_period: period }) },
        });
        assert.equal(order.orderrecurrings[0].start, rows[0][period]);
        assert.equal(order.orderrecurrings[0].period, period);
      }
      for (const [field, value] of [
        ['recurring_period', 'years'],
        ['recurring_start', '2030-02-30'],
      ] as const) {
        assert.ok((await refused({ order: { recurring_id: 'bad', [field]: value } })).order[field]);
      }
    });

    it('takes a recurring_id once on each payment account', async () => {
      await push(api, { user: somebody(), order: { recurring_id: 'R2' } });
      assert.ok((await refused({ order: { recurring_id: 'R2' } })).order.recurring_id);
      await push(api, { user: somebody(), order: { recurring_id: 'R2', payment_account: 'Second Stub' } });
    });
  });

  describe('user', () => {
    it('is named by email or akid', async () => {
      assert.ok((await refused({ user: { email: undefined } })).user.email);
      assert.ok((await refused({ user: { email: 'not an address' } })).user.email);
      assert.ok((await refused({ user: { email: undefined, akid: '.1.abcdef' } })).user.akid);
      const made = await push(api, { user: somebody() });
      const again = await push(api, { user: { email: undefined, akid: made.akid, first_name: undefined, last_name: undefined } });
      assert.equal(again.user, made.user);
      assert.equal(again.created_user, false);
    });

    it('is found by email without regard to case', async () => {
      const user = somebody();
      const made = await push(api, { user });
      assert.equal((await push(api, { user: { ...user, email: user.email.toUpperCase() } })).user, made.user);
    });

    it('needs a name unless known', async () => {
      const { email } = somebody();
      assert.ok((await refused({ user: { email, first_name: null, last_name: '' } })).user.name);
      const made = await push(api, { user: { email, first_name: undefined, last_name: 'Solo' } });
      const again = await push(api, { user: { email, first_name: undefined, last_name: undefined } });
      assert.equal(again.user, made.user);
      assert.equal((await api.read(made.user)).last_name, 'Solo');
    });

    it('has the name that is given in one where neither first nor last name is', async () => {
      const named = async (user: Record<string, unknown>) => {
        const { first_name, last_name } = await api.read((await push(api, { user: { ...somebody(), ...user } })).user);
        return [first_name, last_name];
      };
      const none = { first_name: undefined, last_name: null };
      assert.deepEqual(await named({ ...none, name: ' Ada King  Lovelace ' }), ['Ada King', 'Lovelace']);
      assert.deepEqual(await named({ ...none, name: 'Ada' }), ['Ada', '']);
      assert.deepEqual(await named({ first_name: 'Dora', last_name: undefined, name: 'Ada King' }), ['Dora', '']);
      assert.ok((await refused({ user: { ...somebody(), ...none, name: ['Ada'] } })).user.name);
    });

    it('keeps an address that is left out, and takes one that is given', async () => {
      const user = somebody();
      const made = await push(api, {
        user: { ...user, address1: '1 Main St', city: 'Albany', state: 'NY', zip: '12207', country: 'United States' },
      });
      await push(api, { user });
      const kept = await api.read(made.user);
      assert.deepEqual([kept.address1, kept.city, kept.state, kept.zip], ['1 Main St', 'Albany', 'NY', '12207']);
      const moved = await push(api, {
        user: { ...user, city: 'Leeds', region: 'Yorkshire', postal: 'LS1 1AA', country: 'United Kingdom' },
      });
      const now = await api.read(made.user);
      assert.deepEqual([now.city, now.region, now.postal, now.country], ['Leeds', 'Yorkshire', 'LS1 1AA', 'United Kingdom']);
      assert.equal((await api.read(now.location)).country_code, 'GB');
      // What stood at the time stays with the order.
      assert.equal((await api.read(made.order.user_detail)).city, 'Albany');
      assert.equal((await api.read(moved.order.user_detail)).city, 'Leeds');
    });

    it('has its source from user, action or the default', async () => {
      const both = await push(api, { user: { ...somebody(), source: 'from-user' }, action: { source: 'from-action' } });
      assert.equal(both.source, 'from-action');
      assert.equal((await api.read(both.user)).source, 'from-user');
      const onlyUser = await push(api, { user: { ...somebody(), source: 'from-user' } });
      assert.equal(onlyUser.source, 'from-user');
      const onlyAction = await push(api, { user: somebody(), action: { source: 'from-action' } });
      assert.equal((await api.read(onlyAction.user)).source, 'from-action');
      assert.equal((await push(api, { user: somebody() })).source, 'restful_api');
    });

    it('gives its source to somebody who is there already and has none', async () => {
      const email = somebody().email;
      const known = await api.create('user', { email });
      assert.equal((await api.read(known)).source, '');
      await push(api, { user: { email }, action: { source: 'from-action' } });
      assert.equal((await api.read(known)).source, 'from-action');
      // That of the first action stays.
      assert.equal((await push(api, { user: { email }, action: { source: 'later' } })).source, 'later');
      assert.equal((await push(api, { user: { email } })).source, 'restful_api');
      assert.equal((await api.read(known)).source, 'from-action');
      await push(api, { user: { email, source: 'from-user' }, action: { source: 'later' } });
      assert.equal((await api.read(known)).source, 'from-user');
    });

    it('names no source, and theirs is that of the action all the same, as of an action on a page', async () => {
      const page = await api.create('signuppage', { name: 'sourceless' });
      assert.ok(page);
      for (const there of [true, false]) {
        const [donor, signer] = [somebody(), somebody()];
        if (there) for (const { email } of [donor, signer]) await api.create('user', { email });
        const donated = await push(api, { user: donor });
        const signed = await api.call('POST', '/rest/v1/action/', { page: 'sourceless', email: signer.email });
        for (const action of [donated, signed.json()]) {
          assert.deepEqual([action.source, (await api.read(action.user)).source], ['restful_api', 'restful_api']);
        }
      }
      const known = await api.create('user', somebody());
      const { rows } = await api.pool.query('insert into core_mailing default values returning id');
      await push(api, {
        user: { email: (await api.read(known)).email, akid: akid(api.env.SECRET_KEY, rows[0].id, Number(known.split('/').at(-2))) },
      });
      assert.equal((await api.read(known)).source, String(rows[0].id));
    });

    it('replaces the custom fields named, and no others', async () => {
      const user = somebody();
      const made = await push(api, { user: { ...user, fields: { user_color: 'red', sizes: ['s', 'm'], age: 5 } } });
      assert.deepEqual((await api.read(made.user)).fields, { color: 'red', sizes: ['s', 'm'], age: '5' });
      await push(api, { user: { ...user, fields: { sizes: 'l', color: [] } } });
      assert.deepEqual((await api.read(made.user)).fields, { sizes: 'l', age: '5' });
      assert.ok((await refused({ user: { ...somebody(), fields: 'red' } })).user.fields);
      assert.ok((await refused({ user: { ...somebody(), fields: { a: { b: 1 } } } })).user.fields);
    });

    it('goes on the lists named, on that of the page, or on none', async () => {
      const first = Number((await api.create('list', { name: 'First' })).split('/').at(-2));
      const second = Number((await api.create('list', { name: 'Second' })).split('/').at(-2));
      const listsOf = async (user: string) => {
        const { objects } = await api.read(`/rest/v1/subscription/?user=${user.split('/').at(-2)}`);
        return objects.map(({ list }: { list: string }) => Number(list.split('/').at(-2))).sort();
      };
      const page = { name: 'with-list', list: `/rest/v1/list/${second}/` };
      const byDefault = await push(api, { donationpage: page, user: somebody() });
      assert.deepEqual(await listsOf(byDefault.user), [second]);
      assert.equal(byDefault.subscribed_user, true);
      assert.equal((await api.read(byDefault.user)).subscription_status, 'subscribed');
      const named = await push(api, { donationpage: page, user: { ...somebody(), lists: [first, { name: 'Second' }] } });
      assert.deepEqual(await listsOf(named.user), [first, second]);
      const none = await push(api, { donationpage: page, user: { ...somebody(), lists: [] } });
      assert.deepEqual(await listsOf(none.user), []);
      assert.equal(none.subscribed_user, false);
      assert.equal((await api.read(none.user)).subscription_status, 'never');
      const { rows } = await api.pool.query('select change, action from core_subscriptionhistory where user_id = $1', [
        byDefault.user.split('/').at(-2),
      ]);
      assert.deepEqual(rows, [{ change: 'subscribe_api', action: byDefault.id }]);
      for (const lists of [[99_999], [{ name: 'Nowhere' }], 'First', [{}], [true]])
        assert.ok((await refused({ user: { ...somebody(), lists } })).user.lists);
    });

    it('of an akid brings the mailing, or the one who forwarded it', async () => {
      const reader = await push(api, { user: somebody() });
      const readerId = Number(reader.user.split('/').at(-2));
      const { rows } = await api.pool.query('insert into core_mailing default values returning id');
      const mailing = rows[0].id;
      const text = akid(api.env.SECRET_KEY, mailing, readerId);

      const own = await push(api, { user: { email: (await api.read(reader.user)).email, akid: text } });
      assert.equal(own.mailing, `/rest/v1/mailing/${mailing}/`);
      assert.equal(own.source, String(mailing));
      assert.equal(own.referring_user, null);
      assert.equal(own.akid, text);

      const forwarded = await push(api, { user: { ...somebody(), akid: text } });
      assert.notEqual(forwarded.user, reader.user);
      assert.equal(forwarded.mailing, null);
      assert.equal(forwarded.referring_user, reader.user);
      assert.equal(forwarded.referring_mailing, `/rest/v1/mailing/${mailing}/`);
      assert.equal(forwarded.source, String(mailing));
      assert.deepEqual([forwarded.is_forwarded, own.is_forwarded, own.type], [true, false, 'Donation']);

      const wrong = await push(api, { user: { ...somebody(), akid: `${mailing}.${readerId}.AAAAAA` } });
      assert.deepEqual([wrong.mailing, wrong.referring_user, wrong.is_forwarded], [null, null, false], 'an akid that proves nothing');

      assert.equal((await push(api, { user: { ...somebody(), akid: text }, action: { source: 'own-words' } })).source, 'own-words');
    });
  });

  describe('donationpage', () => {
    it('is made of the fields given, once', async () => {
      const action = await push(api, {
        donationpage: { name: 'new-page', title: 'Give now', goal: 500, payment_account: 'Second Stub', hidden: true },
        user: somebody(),
      });
      const page = await api.read(action.page);
      assert.deepEqual([page.name, page.title, page.goal, page.type, page.hidden], ['new-page', 'Give now', 500, 'donation', true]);
      assert.equal((await api.read(page.payment_account)).name, 'Second Stub');
      assert.equal(action.order.account, 'Second Stub');
      const again = await push(api, {
        donationpage: { name: 'new-page', title: 'Changed', payment_account: 'Default Import Stub' },
        user: somebody(),
      });
      assert.equal(again.page, action.page);
      assert.equal((await api.read(action.page)).title, 'Give now');
      assert.equal(again.order.account, 'Second Stub');
    });

    it('takes tags, list, goal and followup as its resource does', async () => {
      const tag = await api.create('tag', { name: 'giving' });
      const { page } = await push(api, {
        donationpage: { name: 'whole-page', tags: [tag], followup: { email_subject: 'Thanks' } },
        user: somebody(),
      });
      const made = await api.read(page);
      assert.deepEqual(made.tags, [tag]);
      assert.equal(made.followup.email_subject, 'Thanks');
      assert.ok((await refused({ donationpage: { name: 'bad-tags', tags: ['/rest/v1/tag/99999/'] } })).donationpage.tags);
      assert.ok((await refused({ donationpage: { name: 'bad-mail', followup: { email_body: '{% if %}' } } })).donationpage.followup);
    });

    it('needs a name that can stand in a URL', async () => {
      for (const name of [undefined, '', 'two words', 'a/b', ['x']])
        assert.ok((await refused({ donationpage: { name } })).donationpage.name, String(name));
      assert.ok((await refused({ donationpage: { name: 'bad-goal', goal: 'much' } })).donationpage.goal);
    });

    it('must have an import-stub account, and the answer lists those there are', async () => {
      const [message] = (await refused({ donationpage: { name: 'other', payment_account: 'Card Processor' } })).donationpage
        .payment_account;
      assert.match(message, /Default Import Stub, Second Stub/);
      const { objects } = await api.read('/rest/v1/paymentaccount/?name=Card Processor');
      const uri = await api.create('donationpage', { name: 'by-card', payment_account: objects[0].resource_uri });
      assert.match(
        (await refused({ donationpage: { name: 'by-card' } })).donationpage.payment_account[0],
        /Default Import Stub, Second Stub/,
      );
      const named = await push(api, { donationpage: { name: 'by-card' }, user: somebody(), order: { payment_account: 'Second Stub' } });
      assert.equal(named.page, uri);
    });

    it('cannot be a page of another type', async () => {
      await api.create('signuppage', { name: 'sign-here' });
      assert.ok((await refused({ donationpage: { name: 'sign-here' } })).donationpage.name);
    });
  });

  describe('whatever else is sent', () => {
    it('keeps action_<name> beside the fields of the user as a field of the action', async () => {
      const action = await push(api, {
        user: { ...somebody(), action_employer: 'None', action_tags: ['a', 'b'], action_source: 'of the user', action_: 1 },
        action: { fields: { source: 'of the action' } },
      });
      assert.deepEqual(action.fields, { employer: 'None', tags: ['a', 'b'], source: 'of the action' });
      const wrong = await api.call('POST', '/rest/v1/donationpush/', donation({ user: { ...somebody(), action_bad: { a: 1 } } }));
      assert.equal(wrong.statusCode, 400);
      assert.ok(wrong.json().user.fields);
    });

    it('ignores unknown keys, and takes null for not given', async () => {
      const action = await push(api, {
        donationpage: { color: 'red', title: null },
        user: { ...somebody(), akid: null, lists: null, fields: null, zip: null, nothing: 1 },
        order: { currency: null, recurring_id: null, orderdetails: null, created_at: null, trans_id: null, mystery: {} },
        action: { source: null, fields: null, created_at: null, skip_confirmation: null },
      });
      assert.equal(action.order.currency, 'USD');
    });

    it('takes an empty text for not given, but where it could mean no', async () => {
      await api.create('list', { name: 'Given' });
      const orderdetails = [{ candidate: { id: '', name: 'Ann' }, amount: '1.00' }];
      const action = await push(api, {
        donationpage: { name: 'give-blank', title: '', list: '', goal: '' },
        user: { ...somebody(), akid: '', fields: '', zip: '', lists: [{ id: '', name: 'Given' }] },
        order: {
          ...{ amount: '', orderdetails, currency: '', donation_currency: 'gbp', total_converted: '', import_id: '' },
          ...{ recurring_id: '', recurring_period: '', recurring_start: ' ', created_at: '', donation_date: '', trans_id: '' },
        },
        action: { source: '', fields: '', created_at: '' },
      });
      assert.deepEqual([action.order.currency, action.order.total], ['GBP', '1.00']);
      assert.equal((await push(api, { user: somebody(), order: { orderdetails: '' } })).order.total, '10.00');
      assert.ok((await refused({ user: { ...somebody(), lists: '' } })).user.lists);
      assert.ok((await refused({ user: somebody(), action: { skip_confirmation: '' } })).action.skip_confirmation);
    });

    it('names everything that is wrong at once', async () => {
      const answer = await api.call('POST', '/rest/v1/donationpush/', {
        order: { amount: 5 },
        user: {},
        action: { skip_confirmation: 'no' },
      });
      assert.equal(answer.statusCode, 400);
      const body = answer.json();
      assert.deepEqual(Object.keys(body).sort(), ['action', 'donationpage', 'order', 'user']);
      assert.deepEqual(Object.keys(body.order).sort(), ['amount', 'card_code', 'card_num', 'exp_date_month', 'exp_date_year']);
    });

    it('answers nonsense with 400', async () => {
      for (const body of [[], 'x', 5, { donationpage: [], order: 'x', user: 5 }, { donationpage: null }]) {
        assert.equal(
          (await api.call('POST', '/rest/v1/donationpush/', JSON.stringify(body), { 'content-type': 'application/json' })).statusCode,
          400,
        );
      }
      for (const part of ['donationpage', 'order', 'user', 'action'] as const) {
        const full = donation({ user: somebody(), action: { source: 's' } });
        for (const field of [...Object.keys(full[part]!), 'source', 'akid', 'trans_id', 'recurring_id', 'zip', 'title']) {
          for (const value of ['a\0b', ['x'], { x: 1 }, 'x'.repeat(5_000), 1e308]) {
            const answer = await api.call('POST', '/rest/v1/donationpush/', { ...full, [part]: { ...full[part], [field]: value } });
            assert.ok(answer.statusCode === 400 || answer.statusCode === 200, `${part}.${field}: ${answer.statusCode} ${answer.body}`);
          }
        }
      }
    });

    it('writes down whose push was refused, and nothing else of it', async () => {
      await refused({ user: { email: 'refused@example.org', first_name: 'Rae', last_name: 'Fused' }, order: { amount: 5 } });
      const { rows } = await api.pool.query(
        `select email, name, page, errors from core_donationattempt where email = 'refused@example.org'`,
      );
      assert.deepEqual(rows, [{ email: 'refused@example.org', name: 'Rae Fused', page: 'give', errors: { order: ['amount'] } }]);
      assert.equal((await api.read('/rest/v1/donationattempt/?email=REFUSED@example.org')).objects[0].name, 'Rae Fused');
    });

    it('writes down the address by which it is found when they are erased, of an akid, too', async () => {
      const donor = await push(api, { user: somebody() });
      const { email, id } = await api.read(donor.user);
      const name = { first_name: 'Una', last_name: 'Found' };
      for (const who of [{ email: ` ${email.toUpperCase()} ` }, { email: undefined, akid: akid(api.env.SECRET_KEY, null, id) }])
        await refused({ user: { ...who, ...name }, order: { amount: 5 } });
      const attempts = async () =>
        (await api.pool.query(`select lower(email) as email, name from core_donationattempt where name = 'Una Found'`)).rows;
      const attempt = { email, name: 'Una Found' };
      assert.deepEqual(await attempts(), [attempt, attempt]);
      const { rows } = await api.pool.query(
        `insert into core_erasure (user_id, options) values ($1, '["order_user_details"]') returning id`,
        [id],
      );
      await inOneTransaction(api.pool, (sql) => eraseUser(sql, rows[0].id, 'secret'));
      assert.deepEqual(await attempts(), []);
    });
  });
});
