import assert from 'node:assert/strict';
import { targetOf } from '../../domain/whipcounts/legislators.ts';

const entry = (term: object, more: object = {}) => ({
  id: { bioguide: 'A000001' },
  name: { first: 'Ann', last: 'Lee', suffix: 'Jr.' },
  bio: { gender: 'F' },
  terms: [
    { type: 'rep', state: 'NY', district: 3, party: 'Old' },
    { party: 'Independent', phone: '202-224-1234', contact_form: 'https://x.test/contact', ...term },
  ],
  ...more,
});

describe('a legislator of the public file', () => {
  it('is what the last term says', () => {
    assert.deepEqual(targetOf(entry({ type: 'sen', state: 'ca', state_rank: 'junior' })), {
      bioguide: 'A000001',
      type: 'senate',
      state: 'CA',
      seat: 'CA_junior',
      us_district: '',
      first: 'Ann',
      last: 'Lee, Jr.',
      gender: 'F',
      party: 'Independent',
      title: 'Sen.',
      long_title: 'Senator',
      phone: '202-224-1234',
      fax: '',
      email: 'https://x.test/contact',
    });
  });

  it('has a district of two digits in the House, and a title of its own outside the states', () => {
    const title = (term: object) => {
      const target = targetOf(entry({ type: 'rep', ...term }));
      return [target.seat, target.us_district, target.title, target.long_title];
    };
    assert.deepEqual(title({ state: 'CA', district: 7 }), ['CA_07', 'CA_07', 'Rep.', 'Representative']);
    assert.deepEqual(title({ state: 'WY', district: 0 }), ['WY_00', 'WY_00', 'Rep.', 'Representative']);
    assert.deepEqual(title({ state: 'DC', district: 0 }), ['DC_00', 'DC_00', 'Del.', 'Delegate']);
    assert.deepEqual(title({ state: 'PR', district: 0 }), ['PR_00', 'PR_00', 'Res. Comm.', 'Resident Commissioner']);
  });

  it('is refused when it cannot be placed', () => {
    assert.throws(() => targetOf({}), /without a bioguide/);
    assert.throws(() => targetOf(entry({}, { terms: [] })), /no term/);
    assert.throws(() => targetOf(entry({ type: 'sen', state: 'California' })), /no term with a state/);
    assert.throws(() => targetOf(entry({ type: 'king', state: 'CA' })), /neither/);
    assert.throws(() => targetOf(entry({ type: 'rep', state: 'CA', district: 'x' })), /no district/);
  });
});
