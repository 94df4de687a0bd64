import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, id, text } from '../columns.ts';

/** That an account wrote something: who, when, what. Never what was written: names of fields only. It outlives the account. */
export const AuditLog = defineEntity({
  name: 'AuditLog',
  tableName: 'core_auditlog',
  properties: {
    id: id(),
    createdAt: createdAt(),
    account: p.integer().fieldName('account_id'),
    username: text(),
    method: text(),
    path: text(),
    /** Of what a POST made. */
    location: text(),
    fields: p.json<string[]>().defaultRaw(`'[]'::jsonb`),
    status: p.smallint(),
  },
  indexes: [
    { name: 'core_auditlog_created_at_index', properties: ['createdAt', 'id'] },
    { name: 'core_auditlog_account_index', properties: ['account', 'createdAt'] },
    { name: 'core_auditlog_path_index', properties: ['path', 'createdAt'] },
  ],
});
