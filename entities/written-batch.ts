import { defineEntity, p } from '@mikro-orm/core';
import { createdAt } from './columns.ts';

/** A group that a `BatchWriter` has written, by the row in the same statement: one whose answer was lost is written again, and is found to be there. Kept for a day. */
export const WrittenBatch = defineEntity({
  name: 'WrittenBatch',
  tableName: 'written_batch',
  properties: {
    id: p.uuid().primary(),
    createdAt: createdAt(),
  },
  indexes: [{ name: 'written_batch_created_at_index', properties: ['createdAt'] }],
});
