import { defineEntity, p } from '@mikro-orm/core';
import { BOUNCE_KINDS, TRANSACTIONAL_STATUSES } from '../../domain/words.ts';
import { createdAt, flag, id, status, text, updatedAt } from '../columns.ts';
import { User } from './user.ts';

/** A report that a mail did not arrive, or was not wanted. */
export const Bounce = defineEntity({
  name: 'Bounce',
  tableName: 'core_bounce',
  properties: {
    id: id(),
    user: () => p.manyToOne(User).deleteRule('cascade').index(),
    mailing: p.integer().nullable().fieldName('mailing_id').index(),
    /** Which of the mailing's subjects came back (entities/mailings/tally.ts). */
    mailingPlace: p.integer().nullable().hidden(),
    kind: p.enum(BOUNCE_KINDS),
    /** Enhanced status code (RFC 3463), such as 5.1.1. */
    code: text(),
    /** What the other server said; cut short. */
    diagnostic: text(),
    /** The report it came with, so that one report delivered twice counts once. */
    reportId: p.text().nullable(),
    /** It is of an address they had before. */
    ofFormer: flag().hidden(),
    createdAt: createdAt(),
  },
  indexes: [{ name: 'core_bounce_created_at_index', properties: ['createdAt', 'id'] }],
  uniques: [{ name: 'core_bounce_report_id_user_key', properties: ['reportId', 'user'] }],
});

/** One mail to one person because of something they did (a confirmation); written before it is sent, so that it is neither lost nor sent twice. */
export const TransactionalMailing = defineEntity({
  name: 'TransactionalMailing',
  tableName: 'core_transactionalmailing',
  properties: {
    id: id(),
    user: () => p.manyToOne(User).deleteRule('cascade').index(),
    action: p.integer().nullable().fieldName('action_id'),
    kind: text(),
    email: text(),
    subject: text(),
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
      name: 'core_transactionalmailing_detail_index',
      expression: `create index core_transactionalmailing_detail_index on core_transactionalmailing (id) where (detail <> '')`,
    },
    {
      name: 'core_transactionalmailing_pending_index',
      expression: `create index core_transactionalmailing_pending_index on core_transactionalmailing (created_at) where status in ('pending', 'sending')`,
    },
    {
      name: 'core_transactionalmailing_action_key',
      expression: 'create unique index core_transactionalmailing_action_key on core_transactionalmailing (action_id, kind)',
    },
  ],
});
