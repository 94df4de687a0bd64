import { defineEntity, p } from '@mikro-orm/core';
import { flag } from '../columns.ts';
import { Mailing } from '../mailings/mailing.ts';

/** From which transaction on changes have to be looked at to bring a mailing's saved set up to date (core/targeting/fast-rebuild.ts). */
export const TargetingBase = defineEntity({
  name: 'TargetingBase',
  tableName: 'targeting_base',
  properties: {
    mailing: () => p.oneToOne(Mailing).primary().deleteRule('cascade').owner(),
    /** Null until its first build has ended. */
    targetingVersion: p.integer().nullable(),
    horizon: p.bigint('number'),
    /** The transaction this row was written by. */
    writtenBy: p.bigint('number').nullable(),
    /** False while a full build is under way, and after it failed. */
    built: flag(),
    keptAt: p.datetime(6).defaultRaw('now()'),
  },
});

/** A person some row of whom went, 0 for everybody; written by triggers on the tables targeting reads. */
export const TargetingGone = defineEntity({
  name: 'TargetingGone',
  tableName: 'targeting_gone',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    user: p.integer().fieldName('user_id'),
    /** The transaction it went in. */
    goneIn: p.bigint('number'),
  },
});

/** What somebody may be kept out by, and of which a part is deleted. The line stays when all of it is. */
export const TargetingGoing = defineEntity({
  name: 'TargetingGoing',
  tableName: 'targeting_going',
  properties: {
    ofTable: p.text().primary(),
    id: p.integer().primary(),
  },
});
