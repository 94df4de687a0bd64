import assert from 'node:assert/strict';
import { afterCancel, afterPayment, defaultStart, expiry } from '../../domain/recurring.ts';

describe('a recurring profile', () => {
  it('starts one period and a day from today', () => {
    assert.equal(defaultStart('2026-11-21', 'weeks'), '2026-11-29');
    assert.equal(defaultStart('2026-11-21', 'months'), '2026-12-22');
    assert.equal(defaultStart('2026-12-31', 'months'), '2027-02-01');
    assert.equal(defaultStart('2027-01-31', 'months'), '2027-03-01');
    assert.equal(defaultStart('2028-01-30', 'months'), '2028-03-01');
  });

  it('is late after a failed payment and up to date after a completed one', () => {
    assert.equal(afterPayment('active', 'failed'), 'past_due');
    assert.equal(afterPayment('past_due', 'completed'), 'active');
    assert.equal(afterPayment('past_due', 'reversed'), 'past_due');
    assert.equal(afterPayment('canceled_by_user', 'completed'), 'canceled_by_user');
    assert.equal(afterPayment('canceled_by_user', 'failed'), 'canceled_by_user');
  });

  it('says who ended it', () => assert.equal(afterCancel('expired'), 'canceled_by_expired'));

  it('takes the year of a card short or long', () => {
    assert.equal(expiry('07', '2031'), '0731');
    assert.equal(expiry('07', '31'), '0731');
  });
});
