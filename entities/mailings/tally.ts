import { defineEntity, p } from '@mikro-orm/core';

/**
 * What people did because of a mailing and what came back of it, by subject (`place`: its number from 0): the sums over the rows of one mailing and place. Written by
 * triggers on actions, orders, the history of subscriptions and bounces (migrations/2026-11-22-24-mailing-tallies.ts), each from its own rows, which know mailing and
 * place themselves: so it is right in every snapshot, whatever goes first when somebody is deleted. Every change adds a row, so that nobody waits; now and
 * then a change folds a mailing's rows together.
 */
export const MailingTally = defineEntity({
  name: 'MailingTally',
  tableName: 'core_mailingtally',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    mailing: p.integer().fieldName('mailing_id').index(),
    place: p.integer(),
    actions: p.integer().default(0),
    newUsers: p.integer().default(0),
    /** People, however many lists they left. */
    unsubscribes: p.integer().default(0),
    /** Actions on pages for leaving, also of somebody who had left already. */
    leavings: p.integer().default(0),
    /** Completed ones. */
    orders: p.integer().default(0),
    amount: p.decimal('string').columnType('numeric').default(0),
    amountConverted: p.decimal('string').columnType('numeric').default(0),
    /** People with a hard one. */
    bounces: p.integer().default(0),
    bouncesAll: p.integer().default(0),
    /** People. */
    complaints: p.integer().default(0),
  },
});
