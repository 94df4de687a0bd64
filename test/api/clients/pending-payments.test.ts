import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';
import { push } from '../../support/donations.ts';

/** As WeMove's actionkit-api does: a donation is pushed before its payment is known, and action, order and payment are said to be so, one after the other. */
describe('a donation whose payment is not there yet', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  const donate = async (order: Record<string, unknown> = {}) => {
    const { resource_uri: action, order: made } = await push(api, { user: { email: 'later@example.org' }, order });
    return { action, order: made.resource_uri as string, payment: made.transactions[0] as string, recurring: made.orderrecurrings[0] };
  };
  const statuses = async ({ action, order, payment }: Record<'action' | 'order' | 'payment', string>) =>
    Promise.all([action, order, payment].map(async (uri) => (await api.read(uri)).status));
  const say = async (uris: Record<'action' | 'order' | 'payment', string>, action: string, other = action) => {
    for (const [uri, status] of [
      [uris.action, action],
      [uris.order, other],
      [uris.payment, other],
    ] as const) {
      const answer = await api.call('PATCH', uri, { status });
      assert.equal(answer.statusCode, 202, `${uri} ${status}: ${answer.body}`);
    }
    return statuses(uris);
  };

  it('is incomplete or pending until it is completed or failed', async () => {
    for (const end of ['completed', 'failed']) {
      const donation = await donate();
      assert.deepEqual(await say(donation, 'incomplete'), ['incomplete', 'incomplete', 'incomplete']);
      assert.deepEqual(await say(donation, 'incomplete', 'pending'), ['incomplete', 'pending', 'pending']);
      assert.equal((await api.read('/rest/v1/order/?status=completed')).meta.total_count, end === 'completed' ? 0 : 1);
      assert.deepEqual((await api.call('POST', `${donation.payment}reverse/`)).json(), {
        order_id: 'Only a completed payment can be reversed.',
      });
      assert.deepEqual(await say(donation, end), [end === 'completed' ? 'complete' : end, end, end]);
    }
  });

  it('becomes what its payment says, once that alone is told', async () => {
    const donation = await donate();
    for (const [status, order] of [
      ['pending', 'pending'],
      ['failed', 'failed'],
      ['incomplete', 'incomplete'],
      ['completed', 'completed'],
    ] as const) {
      assert.equal((await api.call('PATCH', donation.payment, { status, trans_id: 'pm_1' })).statusCode, 202, status);
      assert.deepEqual((await statuses(donation)).slice(1), [order, status]);
    }
  });

  it('has a second payment that waits, which makes it neither paid nor late', async () => {
    const one = await donate();
    await api.call('PATCH', one.payment, { status: 'failed' });
    const later = await api.create('transaction', { order: one.order, amount: '10.00', status: 'pending' });
    assert.deepEqual([(await api.read(one.order)).status, (await api.read(later)).success], ['pending', false]);
    const { order, recurring } = await donate({ recurring_id: 'sub_1' });
    const profile = async () => (await api.read(recurring.resource_uri)).status;
    await api.create('transaction', { order, amount: '10.00', status: 'failed' });
    assert.equal(await profile(), 'past_due');
    const waiting = await api.create('transaction', { order, amount: '10.00', status: 'pending' });
    assert.equal(await profile(), 'past_due');
    await api.call('PATCH', waiting, { status: 'completed' });
    assert.equal(await profile(), 'active');
  });

  it('is no status of a payment that is pushed, which was made or tried', async () => {
    await donate({ recurring_id: 'sub_2' });
    const refused = await api.call('POST', '/rest/v1/recurringpaymentpush/', { recurring_id: 'sub_2', status: 'pending' });
    assert.deepEqual([refused.statusCode, Object.keys(refused.json())], [400, ['status']]);
  });
});
