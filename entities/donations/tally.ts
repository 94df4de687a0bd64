import { defineEntity, p } from '@mikro-orm/core';

/**
 * Payments that were made and not given back, by page and month (its first day, by UTC): the sums over the rows of one page and month. Written by triggers on
 * transactions (migrations/2026-11-22-25-page-tallies.ts), which know their page themselves.
 */
export const DonationTally = defineEntity({
  name: 'DonationTally',
  tableName: 'core_donationtally',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    page: p.integer().fieldName('page_id').index(),
    month: p.date(),
    payments: p.integer().default(0),
    /** Of these, how many are of profiles that recur. */
    recurring: p.integer().default(0),
    amountConverted: p.decimal('string').columnType('numeric').default(0),
  },
});
