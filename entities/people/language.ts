import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, flag, id, text, updatedAt } from '../columns.ts';

export const Language = defineEntity({
  name: 'Language',
  tableName: 'core_language',
  properties: {
    id: id(),
    name: p.text().unique(),
    isoCode: text(),
    ordering: p.integer().default(0),
    hidden: flag(),
    translations: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
