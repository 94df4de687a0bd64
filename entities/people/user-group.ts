import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, id, updatedAt } from '../columns.ts';

/** A name under which clients gather people. */
export const UserGroup = defineEntity({
  name: 'UserGroup',
  tableName: 'core_usergroup',
  properties: { id: id(), name: p.text().unique(), createdAt: createdAt(), updatedAt: updatedAt() },
});
