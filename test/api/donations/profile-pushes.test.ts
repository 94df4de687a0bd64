import assert from 'node:assert/strict';
import { readPayment } from '../../../api/donations/push/profile-input.ts';
import { pushPayment } from '../../../core/donations/push/profile.ts';
import { inOneTransaction } from '../../../db/transaction.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { counted, push } from '../../support/donations.ts';
import { untilWaiting } from '../../support/sessions.ts';

describe('pushes about recurring profiles', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.pool.query(`insert into core_currency (iso_code, per_euro) values ('USD', 1.1), ('GBP', 0.8)`);
    await api.pool.query(`insert into core_paymentaccount (name) values ('Second Stub')`);
  });
  after(() => api.close());

  let profiles = 0;
  /** A profile of 10.00 a month. */
  const profile = async (order: Record<string, unknown> = {}) => {
    const recurringId = `profile-${++profiles}`;
    const action = await push(api, { user: { email: `giver${profiles}@example.org` }, order: { recurring_id: recurringId, ...order } });
    const [embedded] = action.order.orderrecurrings;
    return {
      orderId: action.order.id as number,
      recurringId: embedded.recurring_id as string,
      uri: embedded.resource_uri as string,
      order: action.order.resource_uri as string,
    };
  };
  const accepted = async (path: string, body: object) => {
    const answer = await api.call('POST', `/rest/v1/${path}/`, body);
    assert.equal(answer.statusCode, 201, answer.body);
    assert.equal(answer.body, '');
    const location = String(answer.headers.location);
    assert.match(location, /^http:\/\/platform\.test\/rest\/v1\/transaction\/\d+\/$/);
    return api.read(location.replace('http://platform.test', ''));
  };
  const refused = async (path: string, body: unknown) => {
    const before = await counted(api);
    const answer = await api.call('POST', `/rest/v1/${path}/`, body);
    assert.equal(answer.statusCode, 400, answer.body);
    assert.deepEqual(await counted(api), before);
    return answer.json();
  };

  describe('all of them', () => {
    const PUSHES = { recurringpaymentpush: {}, profileupdatepush: {}, profilecancelpush: { canceled_by: 'user' } };

    it('find the profile by order_id or recurring_id, and order_id wins', async () => {
      for (const [path, more] of Object.entries(PUSHES)) {
        const [one, other] = [await profile(), await profile()];
        assert.equal((await accepted(path, { order_id: one.orderId, recurring_id: other.recurringId, ...more })).order, one.order);
        assert.equal((await accepted(path, { recurring_id: other.recurringId, order_id: null, ...more })).order, other.order);
        assert.equal((await accepted('recurringpaymentpush', { order_id: String(one.orderId) })).order, one.order);
        const named = { order_id: one.order, recurring_id: 'nobody' };
        assert.equal((await accepted('recurringpaymentpush', named)).order, one.order);
        assert.equal((await accepted('profileupdatepush', { ...named, order_id: `http://platform.test${one.order}` })).order, one.order);
        assert.ok((await refused(path, { ...more, order_id: one.uri })).order_id, 'the URI of a profile is no order');
      }
    });

    it('refuse a recurring_id that several profiles have, and name their orders', async () => {
      const one = await profile();
      const { orderId } = await profile({ recurring_id: one.recurringId, payment_account: 'Second Stub' });
      for (const [path, more] of Object.entries(PUSHES)) {
        const [message] = (await refused(path, { recurring_id: one.recurringId, ...more })).recurring_id;
        assert.match(message, new RegExp(`2 recurring profiles.*order_id \\(${one.orderId}, ${orderId}\\)`));
        await accepted(path, { order_id: orderId, recurring_id: one.recurringId, ...more });
      }
    });

    it('need one of the two, and a profile there', async () => {
      const { order } = await push(api);
      for (const [path, more] of Object.entries(PUSHES)) {
        assert.ok((await refused(path, { ...more })).order_id);
        assert.ok((await refused(path, { order_id: 999_999, ...more })).order_id);
        assert.ok((await refused(path, { order_id: 'one', ...more })).order_id);
        assert.ok((await refused(path, { order_id: 99_999_999_999, ...more })).order_id);
        assert.ok((await refused(path, { order_id: order.id, ...more })).order_id, 'a one-time order has no profile');
        assert.ok((await refused(path, { recurring_id: 'nobody', ...more })).recurring_id);
        assert.ok((await refused(path, { recurring_id: ['x'], ...more })).recurring_id);
        for (const body of ['[]', '"x"', '5']) {
          assert.equal((await api.call('POST', `/rest/v1/${path}/`, body, { 'content-type': 'application/json' })).statusCode, 400);
        }
      }
    });

    it('take an empty text for not given, but where it could mean no', async () => {
      const blank = { order_id: '', created_at: '', trans_id: '', amount: '', currency: '' };
      const more = { status: '', recurring_period: '', recurring_start: '', card_num: '', exp_date: '' };
      for (const [path, needed] of Object.entries(PUSHES)) {
        const { recurringId, order } = await profile();
        const { amount, currency, ...transaction } = await accepted(path, { ...blank, ...more, recurring_id: recurringId, ...needed });
        assert.deepEqual([transaction.order, amount, currency, transaction.status], [order, '10.00', 'USD', 'completed']);
        assert.deepEqual((await refused(path, { ...blank, recurring_id: '', ...needed })).order_id, [
          'order_id or recurring_id is required.',
        ]);
      }
      const { orderId } = await profile();
      assert.ok((await refused('recurringpaymentpush', { order_id: orderId, success: '' })).success);
      assert.deepEqual((await refused('profilecancelpush', { order_id: orderId, canceled_by: '' })).canceled_by, [
        'This field is required.',
      ]);
    });

    it('take created_at and trans_id', async () => {
      for (const [path, more] of Object.entries(PUSHES)) {
        const { orderId } = await profile();
        const transaction = await accepted(path, { order_id: orderId, created_at: '2024-05-06T07:08:09+02:00', trans_id: 'T7', ...more });
        assert.equal(transaction.created_at, '2024-05-06T05:08:09');
        assert.equal(transaction.trans_id, 'T7');
        assert.ok((await refused(path, { order_id: orderId, created_at: 'soon', ...more })).created_at);
      }
    });

    it('change and end profiles of import-stub accounts only', async () => {
      const { orderId, recurringId } = await profile();
      const { rows } = await api.pool.query(`insert into core_paymentaccount (name, processor) values ('Real', 'processor') returning id`);
      await api.pool.query('update core_orderrecurring set account_id = $1 where order_id = $2', [rows[0].id, orderId]);
      assert.match((await refused('profileupdatepush', { order_id: orderId, amount: '5.00' })).order_id[0], /import stub/);
      assert.match((await refused('profilecancelpush', { recurring_id: recurringId, canceled_by: 'user' })).recurring_id[0], /import stub/);
      await accepted('recurringpaymentpush', { order_id: orderId });
    });
  });

  describe('recurringpaymentpush', () => {
    it('adds a completed payment of the profile’s amount and currency', async () => {
      const { orderId, order } = await profile({ currency: 'GBP' });
      const payment = await accepted('recurringpaymentpush', { order_id: orderId });
      assert.deepEqual(
        [payment.type, payment.amount, payment.currency, payment.amount_converted, payment.success, payment.status, payment.order],
        ['sale', '10.00', 'GBP', '13.75', true, 'completed', order],
      );
      assert.ok((await api.read(order)).transactions.includes(payment.resource_uri));
    });

    it('takes an amount and a currency of its own', async () => {
      const { orderId } = await profile();
      const payment = await accepted('recurringpaymentpush', { order_id: orderId, amount: '12.34', currency: 'gbp' });
      assert.deepEqual([payment.amount, payment.currency, payment.amount_converted], ['12.34', 'GBP', '16.97']);
      assert.ok((await refused('recurringpaymentpush', { order_id: orderId, amount: 12 })).amount);
      assert.ok((await refused('recurringpaymentpush', { order_id: orderId, amount: 'x' })).errors['amount:invalid']);
      assert.ok((await refused('recurringpaymentpush', { order_id: orderId, currency: 'XXX' })).currency);
    });

    it('are late or not by the last of their payments, in whatever order these come', async () => {
      const { orderId, uri } = await profile();
      const paid = (created_at: string | null, status: string) =>
        accepted('recurringpaymentpush', { order_id: orderId, created_at, status });
      const is = async (status: string, why: string) => assert.equal((await api.read(uri)).status, status, why);
      await paid('2026-03-05T10:00:00', 'completed');
      await paid('2026-03-01T10:00:00', 'failed');
      await is('active', 'an attempt that failed before it comes late');
      const april = await paid('2026-04-01T10:00:00', 'failed');
      await is('past_due', 'the next one failed');
      await paid('2026-02-01T10:00:00', 'completed');
      await is('past_due', 'a payment of before is brought in');
      await api.call('PATCH', april.resource_uri, { status: 'reversed' });
      await is('active', 'what is left ends with March');
      await api.call('PATCH', april.resource_uri, { status: 'failed' });
      await is('past_due', 'it counts again');
      await api.call('PATCH', april.resource_uri, { created_at: '2026-03-04T10:00:00' });
      await is('active', 'it was before the payment of March');
      await paid(null, 'failed');
      await is('past_due', 'without a time it is now');
    });

    it('converts as the profile was, where its currency has no rate', async () => {
      const { orderId } = await profile({ currency: 'XYZ', total_converted: '5.00' });
      assert.equal((await accepted('recurringpaymentpush', { order_id: orderId, amount: '20.00' })).amount_converted, '10.00');
    });

    it('records failed attempts, and the profile is late until a payment completes', async () => {
      const { orderId, uri } = await profile();
      const failed = await accepted('recurringpaymentpush', {
        order_id: orderId,
        success: false,
        status: 'failed',
        failure_code: 51,
        failure_description: 'Insufficient funds',
        failure_message: { raw: ['no', 'money'] },
      });
      assert.deepEqual([failed.success, failed.status], [false, 'failed']);
      assert.deepEqual(
        [failed.failure_code, failed.failure_description, failed.failure_message],
        ['51', 'Insufficient funds', '{"raw":["no","money"]}'],
      );
      assert.equal((await api.read(uri)).status, 'past_due');
      await accepted('recurringpaymentpush', { order_id: orderId });
      assert.equal((await api.read(uri)).status, 'active');
      assert.equal((await accepted('recurringpaymentpush', { order_id: orderId, success: false })).status, 'failed');
      assert.equal((await accepted('recurringpaymentpush', { order_id: orderId, status: 'failed' })).success, false);
      assert.equal((await accepted('recurringpaymentpush', { order_id: orderId, status: 'reversed' })).status, 'reversed');
      assert.ok((await refused('recurringpaymentpush', { order_id: orderId, status: 'pending' })).status);
      assert.ok((await refused('recurringpaymentpush', { order_id: orderId, success: 'yes' })).success);
    });

    it('looks at no period: many payments on one day are many payments', async () => {
      const { orderId, order } = await profile();
      for (let n = 0; n < 3; n++) await accepted('recurringpaymentpush', { order_id: orderId });
      assert.equal((await api.read(order)).transactions.length, 4);
    });

    it('is done once for one Idempotency-Key', async () => {
      const { orderId, order } = await profile();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          api.call('POST', '/rest/v1/recurringpaymentpush/', { order_id: orderId }, { 'idempotency-key': 'payment-1' }),
        ),
      );
      assert.equal(new Set(answers.map(({ statusCode, headers }) => `${statusCode} ${headers.location}`)).size, 1);
      assert.equal(answers[0]!.statusCode, 201);
      assert.equal((await api.read(order)).transactions.length, 2);
    });
  });

  describe('profileupdatepush', () => {
    it('changes what is sent and nothing else', async () => {
      const { orderId, uri } = await profile();
      const before = await api.read(uri);
      const changes: [object, object][] = [
        [{ recurring_period: 'weeks' }, { period: 'weeks' }],
        [{ recurring_start: '2031-02-03' }, { start: '2031-02-03' }],
        [{ card_num: '5555-4444' }, { card_num: '4444' }],
        [{ exp_date_month: '07' }, { exp_date: '0731' }],
        [{ exp_date_year: '33' }, { exp_date: '0733' }],
        [{ exp_date: '0934' }, { exp_date: '0934' }],
        [{ amount: '25.50' }, { amount: '25.50', amount_converted: '25.50' }],
        [{ currency: 'GBP' }, { currency: 'GBP', amount_converted: '35.06' }],
      ];
      let expected = before;
      for (const [sent, changed] of changes) {
        const transaction = await accepted('profileupdatepush', { order_id: orderId, ...sent });
        const now = await api.read(uri);
        expected = { ...expected, ...changed, updated_at: now.updated_at };
        assert.deepEqual(now, expected);
        assert.equal(transaction.type, 'recurring_order_update');
        assert.equal(transaction.amount, now.amount);
      }
    });

    it('leaves what was converted as it was while amount and currency stay', async () => {
      const { orderId, uri } = await profile({ currency: 'GBP', total_converted: '5.00' });
      for (const sent of [{ card_num: '5555-4444' }, { amount: '10.00', currency: 'gbp' }]) {
        const transaction = await accepted('profileupdatepush', { order_id: orderId, ...sent });
        assert.deepEqual([(await api.read(uri)).amount_converted, transaction.amount_converted], ['5.00', '5.00']);
      }
      await accepted('profileupdatepush', { order_id: orderId, amount: '20.00' });
      assert.equal((await api.read(uri)).amount_converted, '27.50');
    });

    it('refuses what it cannot use', async () => {
      const { orderId } = await profile();
      const wrong = {
        recurring_period: 'days',
        recurring_start: '2030-13-01',
        exp_date_month: '13',
        exp_date_year: '2',
        exp_date: '1330',
        amount: 5.001,
        currency: 'x',
        card_num: {},
      };
      for (const [field, value] of Object.entries(wrong)) {
        const answer = await refused('profileupdatepush', { order_id: orderId, [field]: value });
        assert.ok(answer[field] ?? answer.errors?.[`${field}:invalid`], field);
      }
    });

    it('takes the amount as a bare number, too', async () => {
      const { orderId, uri } = await profile();
      const transaction = await accepted('profileupdatepush', { order_id: orderId, amount: 12.5 });
      assert.deepEqual([transaction.amount, (await api.read(uri)).amount], ['12.50', '12.50']);
      await accepted('profileupdatepush', { order_id: orderId, amount: 7 });
      assert.equal((await api.read(uri)).amount, '7.00');
    });
  });

  describe('profilecancelpush', () => {
    it('ends the profile by whom it says', async () => {
      for (const canceled_by of ['user', 'admin', 'processor', 'failure', 'expired']) {
        const { orderId, uri } = await profile();
        const transaction = await accepted('profilecancelpush', { order_id: orderId, canceled_by });
        assert.equal(transaction.type, 'recurring_order_cancel');
        assert.equal(transaction.amount, '10.00');
        assert.equal((await api.read(uri)).status, `canceled_by_${canceled_by}`);
        assert.match((await refused('profilecancelpush', { order_id: orderId, canceled_by })).order_id[0], /already been canceled/);
      }
    });

    it('needs canceled_by', async () => {
      const { orderId } = await profile();
      for (const canceled_by of [undefined, null, 'me', 5])
        assert.ok((await refused('profilecancelpush', { order_id: orderId, canceled_by })).canceled_by);
    });
  });

  describe('by hand', () => {
    it('a profile is canceled by an admin', async () => {
      const { uri } = await profile();
      const { cancel } = await api.read(uri);
      assert.equal((await api.call('POST', cancel)).statusCode, 202);
      assert.equal((await api.read(uri)).status, 'canceled_by_admin');
      assert.equal((await api.call('POST', cancel)).statusCode, 400);
      assert.equal((await api.call('POST', '/rest/v1/orderrecurring/999999/cancel/')).statusCode, 404);
    });

    it('an order is reversed once, with a credit for what came in', async () => {
      const { order } = await push(api, { order: { orderdetails: [{ candidate: { name: 'Ann' }, amount: '5.00' }] } });
      const { reverse } = await api.read(order.resource_uri);
      const answer = await api.call('POST', reverse);
      assert.equal(answer.statusCode, 202);
      assert.equal(answer.body, '');
      const reversed = await api.read(order.resource_uri);
      assert.equal(reversed.status, 'reversed');
      assert.equal((await api.read(reversed.orderdetails[0])).status, 'reversed');
      const transactions = await Promise.all(reversed.transactions.map((uri: string) => api.read(uri)));
      assert.deepEqual(
        transactions.map(({ type, status, amount }) => [type, status, amount]),
        [
          ['sale', 'reversed', '15.00'],
          ['credit', 'completed', '15.00'],
        ],
      );
      const again = await api.call('POST', reverse);
      assert.equal(again.statusCode, 400);
      assert.match(JSON.stringify(again.json()), /already been reversed/);
      assert.equal((await api.call('POST', '/rest/v1/order/999999/reverse/')).statusCode, 404);
    });

    it('one of 20 reversals at once is the one', async () => {
      const { order } = await push(api);
      const answers = await Promise.all(Array.from({ length: 20 }, () => api.call('POST', `${order.resource_uri}reverse/`)));
      assert.equal(answers.filter(({ statusCode }) => statusCode === 202).length, 1);
      assert.equal(answers.filter(({ statusCode }) => statusCode === 400).length, 19);
      assert.equal((await api.read(order.resource_uri)).transactions.length, 2);
    });

    it('a payment on a profile is reversed alone', async () => {
      const { orderId, order } = await profile();
      const payment = await accepted('recurringpaymentpush', { order_id: orderId });
      const kept = await accepted('recurringpaymentpush', { order_id: orderId });
      assert.equal((await api.call('POST', payment.reverse)).statusCode, 202);
      assert.equal((await api.read(payment.resource_uri)).status, 'reversed');
      assert.equal((await api.read(kept.resource_uri)).status, 'completed');
      assert.equal((await api.read(order)).status, 'completed');
      const again = await api.call('POST', payment.reverse);
      assert.deepEqual([again.statusCode, again.json()], [400, { order_id: 'Transaction has already been reversed.' }]);
      const [created] = (await api.read(order)).transactions;
      assert.equal((await api.call('POST', `${created}reverse/`)).statusCode, 400, 'no money came in with it');
    });

    it('a profile is late again once the payment that brought it up to date is reversed, however that is said', async () => {
      const ways = [
        ({ reverse }: Record<string, string>) => api.call('POST', reverse!),
        ({ resource_uri }: Record<string, string>) => api.call('PATCH', resource_uri!, { status: 'reversed' }),
        ({ order }: Record<string, string>) => api.call('POST', `${order}reverse/`),
        ({ order }: Record<string, string>) => api.call('PATCH', order!, { status: 'reversed' }),
      ];
      for (const [way, reversing] of ways.entries()) {
        const { orderId, order, uri } = await profile();
        await accepted('recurringpaymentpush', { order_id: orderId, status: 'failed' });
        const payment = await accepted('recurringpaymentpush', { order_id: orderId });
        assert.equal((await api.read(uri)).status, 'active');
        assert.equal((await reversing(payment)).statusCode, 202);
        assert.equal((await api.read(uri)).status, 'past_due', `way ${way}`);
        await api.call('PATCH', (await api.read(order)).status === 'reversed' ? order : payment.resource_uri, { status: 'completed' });
        assert.equal((await api.read(uri)).status, 'active', `way ${way}, taken back`);
      }
    });

    it('a profile is up to date by the payment that came in while the one before it was being reversed', async () => {
      const { orderId, uri } = await profile();
      await accepted('recurringpaymentpush', { order_id: orderId, status: 'failed' });
      const payment = await accepted('recurringpaymentpush', { order_id: orderId });
      const { sent } = await inOneTransaction(api.pool, async (sql) => {
        await pushPayment(sql, readPayment({ order_id: orderId }));
        const answer = api.call('POST', payment.reverse);
        // Not in the transaction, in which connections made since would not be seen.
        await untilWaiting(api.pool);
        return { sent: answer };
      });
      assert.equal((await sent).statusCode, 202);
      assert.equal((await api.read(uri)).status, 'active');
    });

    it('a one-time order is reversed with its payment', async () => {
      const { order } = await push(api);
      assert.equal((await api.call('POST', `${order.transactions[0]}reverse/`)).statusCode, 202);
      assert.equal((await api.read(order.resource_uri)).status, 'reversed');
    });
  });
});
