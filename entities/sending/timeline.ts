import { defineEntity, p } from '@mikro-orm/core';

/**
 * When the mails of a finished shard were accepted, counted by moments (core/mailings/timeline.ts) by the statement that finishes it: charts need not read the record of
 * every mail. Rows of the record are never deleted, so neither are these.
 */
export const SendTimeline = defineEntity({
  name: 'SendTimeline',
  tableName: 'send_timeline',
  properties: {
    mailing: p.integer().primary().fieldName('mailing_id'),
    shard: p.integer().primary(),
    at: p.datetime(0).primary(),
    accepted: p.integer(),
  },
});
