import { CrmMap } from '../../entities/sync/crm-map.ts';
import { resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';

/** Read by the kit; what is asked of a mapping has routes of its own (crm-routes.ts). */
export const crmmap = resource({
  name: 'crmmap',
  about: 'a user in the CRM sync',
  area: 'CRM and partners',
  entity: CrmMap,
  methods: ['list', 'get'],
  takes: ['user_id'],
  inside: [
    'ending',
    'wanted',
    'done',
    'urgent',
    'requestedAt',
    'triedAt',
    'userSeenAt',
    'generation',
    'createTried',
    'fieldsSent',
    'heldBy',
    'heldUntil',
    'round',
  ],
  fields: {
    user_id: { kind: 'integer', nullable: true, sql: 't.user_id', help: 'Id of the user; null once the user is gone.' },
    crm_id: { help: 'Id of the contact in the CRM; null until it is known.' },
    match_type: { help: 'How the contact was found: by the stored id, by email, or created.' },
    last_error: { help: 'What the CRM said when the last sync did not succeed; empty when it did.' },
  },
  filtering: {
    id: SINCE,
    user: 'joins',
    user_id: EXACT,
    crm_id: EXACT,
    match_type: EXACT,
    status: EXACT,
    last_sync_at: SINCE,
    created_at: SINCE,
    updated_at: SINCE,
  },
  filterNames: { user_id: 'user' },
  ordering: ['user', 'last_sync_at', 'created_at', 'updated_at'],
});
