import { defineEntity, p } from '@mikro-orm/core';
import { flag, id, text } from '../columns.ts';

/** A named set of grants, `<resource>:<read|write|delete>`, named extras such as `mailer:send`, or `*`. */
export const AuthGroup = defineEntity({
  name: 'AuthGroup',
  tableName: 'auth_group',
  properties: { id: id(), name: p.text().unique(), grants: p.json<string[]>().defaultRaw(`'[]'::jsonb`) },
});

/** An account of staff or of a client program. `password` is an scrypt hash and never leaves the database. */
export const AuthUser = defineEntity({
  name: 'AuthUser',
  tableName: 'auth_user',
  properties: {
    id: id(),
    username: p.text().unique(),
    password: p.text().hidden(),
    firstName: text(),
    lastName: text(),
    email: text(),
    isStaff: flag(),
    isActive: flag(true),
    isSuperuser: flag(),
    lastLogin: p.datetime(6).nullable(),
    dateJoined: p.datetime(6).defaultRaw('now()'),
    groups: () => p.manyToMany(AuthGroup).pivotTable('auth_user_groups'),
  },
});
