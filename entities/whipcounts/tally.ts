import { defineEntity, p } from '@mikro-orm/core';

/**
 * Calls reported by page, target and response: the sums over the rows of each. Written by triggers on what callers report (migrations/2026-11-22-25-page-tallies.ts).
 * A response is one of the stances, or the digest of whatever else somebody wrote.
 */
export const WhipcountTally = defineEntity({
  name: 'WhipcountTally',
  tableName: 'core_whipcounttally',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    page: p.integer().fieldName('page_id').index(),
    target: p.integer().fieldName('target_id'),
    response: p.text(),
    calls: p.integer().default(0),
  },
});
