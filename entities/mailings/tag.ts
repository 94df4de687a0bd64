import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, id, updatedAt } from '../columns.ts';

export const Tag = defineEntity({
  name: 'Tag',
  tableName: 'core_tag',
  properties: { id: id(), name: p.text().unique(), createdAt: createdAt(), updatedAt: updatedAt() },
});
