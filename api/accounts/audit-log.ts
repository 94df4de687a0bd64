import { AuditLog } from '../../entities/accounts/audit-log.ts';
import { resource } from '../resource/declare.ts';
import { EXACT, SINCE, TIMES } from '../resource/operators.ts';

export const auditlog = resource({
  name: 'auditlog',
  about: 'that an account wrote something: who, when, what',
  area: 'Accounts',
  entity: AuditLog,
  fields: {
    // A bigint, which the driver gives as text.
    id: { show: ({ id }) => Number(id) },
    account: { to: 'authuser' },
    fields: { help: 'Names of the fields that were sent, never their values.' },
  },
  filtering: { id: SINCE, account: EXACT, username: 'all', method: EXACT, path: 'all', location: 'all', status: EXACT, created_at: TIMES },
  ordering: ['created_at'],
  methods: ['list', 'get'],
});
