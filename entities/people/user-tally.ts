import { defineEntity, p } from '@mikro-orm/core';

/**
 * How many users there are, in all (facet '') and by value of the columns collections are most filtered by: the sum of `delta` over the rows of
 * one facet and value. Written by triggers on core_user (migrations/2026-11-22-03-user-tally.ts), so that it is exact in every snapshot; every change adds
 * rows instead of updating one, so that nobody waits for anybody, and now and then a change folds old rows together.
 */
export const UserTally = defineEntity({
  name: 'UserTally',
  tableName: 'core_user_tally',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    facet: p.text(),
    value: p.text(),
    delta: p.integer(),
  },
  indexes: [{ name: 'core_user_tally_facet_index', properties: ['facet', 'value'] }],
});
