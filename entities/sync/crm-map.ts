import { defineEntity, p } from '@mikro-orm/core';
import { CRM_ENDINGS, CRM_MATCH_TYPES, CRM_STATUSES } from '../../domain/words.ts';
import { createdAt, flag, id, status, text, updatedAt } from '../columns.ts';
import { User } from '../people/user.ts';

/**
 * A user in the CRM sync. What is asked for is counted in `wanted` and what was seen to in `done`: a row with `wanted > done` is work to do,
 * whatever became of the process that asked. `status` says which work: a disconnected row has the CRM told, any other is synced.
 */
export const CrmMap = defineEntity({
  name: 'CrmMap',
  tableName: 'core_crmmap',
  properties: {
    id: id(),
    /** Null once the user was deleted or merged away. */
    user: () => p.manyToOne(User).nullable().deleteRule('set null').unique(),
    /** Of the contact in the CRM. */
    crmId: p.text().nullable(),
    matchType: p.enum(CRM_MATCH_TYPES).nullable(),
    status: status(CRM_STATUSES, 'pending'),
    lastSyncAt: p.datetime(6).nullable(),
    lastError: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),

    /** Why it is disconnected; kept from before while it is not. */
    ending: p.enum(CRM_ENDINGS).nullable(),
    wanted: p.integer().default(1),
    done: p.integer().default(0),
    /** Asked for by somebody who wants it now: it has a run of its own. Otherwise the next round of changes sees to it. */
    urgent: flag(true),
    requestedAt: p.datetime(6).defaultRaw('now()'),
    /** When it was last tried. */
    triedAt: p.datetime(6).nullable(),
    /** `updated_at` of the user as the CRM, or its refusal, last saw them. */
    userSeenAt: p.datetime(6).nullable(),
    /**
     * Grows when the contact is found to be gone, so that the next one gets idempotency keys of its own. It begins anywhere: where a failover has lost a mapping, its id
     * is given out a second time, and the CRM would take the one for the other.
     */
    generation: p.integer().defaultRaw('((random() * (1000000000)::double precision))::integer'),
    /** A contact may have been created whose id we have not heard. */
    createTried: flag(),
    /** Names of custom fields the contact may have from us. */
    fieldsSent: p.json<string[]>().defaultRaw(`'[]'::jsonb`),
    /** Who works on it, and until when nobody else may. */
    heldBy: p.text().nullable(),
    heldUntil: p.datetime(6).nullable(),
    /** Which round of changes tried it last; null where one of its own did. */
    round: p.text().nullable(),
  },
  indexes: [
    {
      name: 'core_crmmap_last_error_index',
      expression: `create index core_crmmap_last_error_index on core_crmmap (id) where last_error <> ''`,
    },
    { name: 'core_crmmap_open_index', expression: 'create index core_crmmap_open_index on core_crmmap (id) where wanted > done' },
    { name: 'core_crmmap_status_index', properties: ['status', 'id'] },
    { name: 'core_crmmap_crm_id_index', properties: ['crmId', 'id'] },
    { name: 'core_crmmap_updated_at_index', properties: ['updatedAt', 'id'] },
    { name: 'core_crmmap_round_index', properties: ['round', 'id'] },
  ],
});
