import { defineEntity, p } from '@mikro-orm/core';

/**
 * What became of the recipients of one shard, by subject (`place`: its number from 0), as it was when the shard was cut, and again when it is finished: results need
 * not read a ledger of millions, but only the shards under way.
 */
export const SendTally = defineEntity({
  name: 'SendTally',
  tableName: 'send_tally',
  properties: {
    mailing: p.integer().primary().fieldName('mailing_id'),
    shard: p.integer().primary(),
    place: p.integer().primary(),
    targeted: p.integer(),
    accepted: p.integer(),
    failed: p.integer(),
    skipped: p.integer(),
    uncertain: p.integer(),
  },
});
