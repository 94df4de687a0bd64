import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, id, updatedAt } from '../columns.ts';

/** Pages that ask for the same in several languages. */
export const MultilingualCampaign = defineEntity({
  name: 'MultilingualCampaign',
  tableName: 'core_multilingualcampaign',
  properties: { id: id(), name: p.text().unique(), createdAt: createdAt(), updatedAt: updatedAt() },
});
