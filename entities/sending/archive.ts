import { defineEntity, p } from '@mikro-orm/core';

/**
 * A mail the relay accepted, of a mailing that was completed long ago: what is left of its row in the ledger. Four numbers, half the bytes; the view
 * `send_record` shows these rows and those of the ledger as one, and is what everybody reads who does not send.
 */
export const SendArchive = defineEntity({
  name: 'SendArchive',
  tableName: 'send_archive',
  properties: {
    user: p.integer().primary().fieldName('user_id'),
    mailing: p.integer().primary().fieldName('mailing_id'),
    position: p.integer(),
    /** Seconds since EPOCH. */
    sentSecond: p.integer(),
  },
  // Written mailing by mailing, so that the pages of one lie together: a few bytes per range of pages find them.
  indexes: [
    {
      name: 'send_archive_mailing_range',
      properties: ['mailing'],
      expression:
        'create index "send_archive_mailing_range" on "send_archive" using brin ("mailing_id") with (pages_per_range = 64, autosummarize = on)',
    },
  ],
});
