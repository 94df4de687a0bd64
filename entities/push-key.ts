import { defineEntity, p } from '@mikro-orm/core';
import { createdAt } from './columns.ts';

/** A POST that came with an Idempotency-Key, or a press of a button by the key of its page, so that the same again finds what it made. Digests only. */
export const PushKey = defineEntity({
  name: 'PushKey',
  tableName: 'push_key',
  properties: {
    keyDigest: p.text().primary(),
    bodyDigest: p.text(),
    /** Id of what was made: the object, the job, the action of a donationpush; null only inside the transaction that is making it. */
    madeId: p.integer().nullable(),
    createdAt: createdAt(),
  },
  indexes: [{ name: 'push_key_created_at_index', properties: ['createdAt'] }],
});
