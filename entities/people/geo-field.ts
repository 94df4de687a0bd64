import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, id, text, updatedAt } from '../columns.ts';
import { User } from './user.ts';

/** What a client says of where a user lives: a ward, a parish, whatever it is called. */
export const UserGeoField = defineEntity({
  name: 'UserGeoField',
  tableName: 'core_usergeofield',
  properties: {
    id: id(),
    user: () => p.manyToOne(User).deleteRule('cascade'),
    name: p.text(),
    value: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    { name: 'core_usergeofield_name_index', properties: ['name', 'id'] },
    { name: 'core_usergeofield_updated_at_index', properties: ['updatedAt', 'id'] },
    { name: 'core_usergeofield_user_name_index', properties: ['user', 'name'] },
  ],
});
