import { defineEntity, p } from '@mikro-orm/core';
import { NOTICE_KINDS, TRANSACTIONAL_STATUSES } from '../../domain/words.ts';
import { createdAt, id, status, text, updatedAt } from '../columns.ts';
import { Mailing } from './mailing.ts';

/**
 * A mail to one person about a mailing: to its submitter how it ended, to a reviewer the final proof. Written together with what it tells of, so that it is
 * neither lost nor sent twice.
 */
export const MailingNotice = defineEntity({
  name: 'MailingNotice',
  tableName: 'core_mailingnotice',
  properties: {
    id: id(),
    mailing: () => p.manyToOne(Mailing).deleteRule('cascade').index(),
    kind: p.enum(NOTICE_KINDS),
    /** The submitter's account. A bare number, like the reviewer's: who is gone gets nothing. */
    account: p.integer().nullable().fieldName('account_id'),
    /** The user who gets a final proof. */
    reviewer: p.integer().nullable().fieldName('reviewer_id'),
    /** Why it ended so. */
    reasons: p.json<string[]>().defaultRaw(`'[]'::jsonb`),
    status: status(TRANSACTIONAL_STATUSES, 'pending'),
    detail: text(),
    /** When the relay put it off (4xx) first. */
    putOffSince: p.datetime(6).nullable(),
    sentAt: p.datetime(6).nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    {
      name: 'core_mailingnotice_pending_index',
      expression: `create index core_mailingnotice_pending_index on core_mailingnotice (updated_at) where status in ('pending', 'sending')`,
    },
  ],
});
