import { defineEntity, p } from '@mikro-orm/core';

/**
 * How many rows a large table has, in all (facet '') and by value of the columns collections are most filtered by: the sum of `delta` over the rows of
 * one table, facet and value. Written by triggers on the tables (migrations/2026-11-22-22-tallies.ts), so that it is exact in every snapshot; every change
 * adds rows instead of updating one, so that nobody waits for anybody, and now and then a change folds old rows together.
 */
export const Tally = defineEntity({
  name: 'Tally',
  tableName: 'core_tally',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    /** The table. */
    counted: p.text(),
    facet: p.text(),
    value: p.text(),
    delta: p.integer(),
  },
  indexes: [{ name: 'core_tally_facet_index', properties: ['counted', 'facet', 'value'] }],
});
