import assert from 'node:assert/strict';
import fc from 'fast-check';
import { mergeTargeting, modifierErrors, sameTargeting, type TargetingState } from '../../domain/targeting/change.ts';
import type { Targeting } from '../../domain/targeting/fields.ts';

const state = (more: Partial<TargetingState> = {}): TargetingState => ({
  includes: {},
  excludes: {},
  limit: null,
  sort_by: null,
  target_group_from_landing_page: false,
  target_mergefile: false,
  mails_per_second: null,
  ...more,
});

describe('changes of targeting', () => {
  it('replaces the fields sent and keeps the others', () => {
    assert.deepEqual(mergeTargeting({ states: ['NY'], lists: [1] }, { states: ['CA'] }), { states: ['CA'], lists: [1] });
    assert.deepEqual(mergeTargeting({ states: ['NY'], lists: [1] }, { states: [] }), { lists: [1] });
    assert.deepEqual(mergeTargeting({}, { zips: [] }), {});
  });

  it('keeps what modifies a field that is taken away, and names it', () => {
    const stored: Targeting = { zips: ['10001'], zip_radius: 5, campaigns: [1], campaign_radius: 9, campaign_samestate_only: true };
    const left = mergeTargeting(stored, { zips: [], campaigns: [] });
    assert.deepEqual(left, { zip_radius: 5, campaign_radius: 9, campaign_samestate_only: true });
    assert.deepEqual(mergeTargeting(left, { campaign_radius: 7, campaign_samestate_only: false }), { zip_radius: 5, campaign_radius: 7 });
    assert.deepEqual(modifierErrors({ includes: stored, excludes: {} }), {});
    assert.deepEqual(modifierErrors({ includes: left, excludes: { zips: [], zip_radius: 1 } }), {
      zip_radius: ['includes: zip_radius says nothing without zips.', 'excludes: zip_radius says nothing without zips.'],
      campaign_radius: ['includes: campaign_radius says nothing without campaigns.'],
      campaign_samestate_only: ['includes: campaign_samestate_only says nothing without campaigns.'],
    });
  });

  it('sees no change in another order, a repetition or an empty list', () => {
    assert.ok(sameTargeting(state({ includes: { states: ['NY', 'CA'], zips: [] } }), state({ includes: { states: ['CA', 'NY', 'CA'] } })));
    assert.ok(
      sameTargeting(
        state({ includes: { query_reports: [{ short_name: 'x', params: { a: 1, b: 2 } }] } }),
        state({ includes: { query_reports: [{ params: { b: 2, a: 1 }, short_name: 'x' }] } }),
      ),
    );
  });

  const changes: [string, Partial<TargetingState>][] = [
    ['a member more', { includes: { states: ['NY', 'CA'] } }],
    ['the other side', { includes: {}, excludes: { states: ['NY'] } }],
    ['a limit', { limit: 5 }],
    ['an order', { sort_by: 'zip' }],
    ['a rate', { mails_per_second: 0.5 }],
    ['the landing page', { target_group_from_landing_page: true }],
    ['the merge file', { target_mergefile: true }],
    ['a parameter', { includes: { states: ['NY'], query_reports: [{ short_name: 'x', params: { a: '1' } }] } }],
  ];
  for (const [what, more] of changes) {
    it(`sees ${what}`, () =>
      assert.ok(!sameTargeting(state({ includes: { states: ['NY'] } }), state({ includes: { states: ['NY'] }, ...more }))));
  }

  it('sees in any shuffling the same, in any removal a change', () => {
    const lists = fc.uniqueArray(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(lists, (users) => {
        const one: Targeting = { users };
        assert.ok(sameTargeting(state({ includes: one }), state({ includes: { users: users.toReversed().concat(users) } })));
        assert.ok(!sameTargeting(state({ includes: one }), state({ includes: { users: users.slice(1) } })));
      }),
      { seed: 7, numRuns: 100 },
    );
  });
});
