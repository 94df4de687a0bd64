import { defineEntity, p } from '@mikro-orm/core';
import { DELIVERY_STATUSES, type WebhookEvent } from '../../domain/words.ts';
import { createdAt, flag, id, status, text, updatedAt } from '../columns.ts';

/** An address of somebody else's that hears of what happens here. */
export const Webhook = defineEntity({
  name: 'Webhook',
  tableName: 'core_webhook',
  properties: {
    id: id(),
    url: p.text(),
    description: text(),
    /** Which of WEBHOOK_EVENTS it hears of; triggers of the tables look here. */
    events: p.json<WebhookEvent[]>(),
    /** Sealed; its deliveries are signed with it. */
    secret: p.text().hidden(),
    active: flag(true),
    /** How often in a row it did not answer; until when it is left alone for that. */
    failures: p.integer().default(0),
    restsUntil: p.datetime(6).nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** One thing one webhook is told, and how far that is. Written by triggers in the transaction of what it tells of. */
export const WebhookDelivery = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'core_webhookdelivery',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    webhook: () => p.manyToOne(Webhook).deleteRule('cascade'),
    event: p.text(),
    /** What it is about: the name of a resource and an id, nothing of a person. */
    resource: p.text(),
    resourceId: p.integer(),
    status: status(DELIVERY_STATUSES, 'pending'),
    attempts: p.integer().default(0),
    /** Of the last answer; null when none came. */
    lastStatus: p.integer().nullable(),
    lastError: text(),
    /** Not tried before. */
    nextAt: p.datetime(6).defaultRaw('now()'),
    /** Of the last attempt. */
    triedAt: p.datetime(6).nullable(),
    /** From when on it is tried for three days: since it happened, or since somebody asked for another try. */
    askedAt: p.datetime(6).defaultRaw('now()'),
    /** When it happened. */
    createdAt: createdAt(),
  },
  indexes: [
    {
      name: 'core_webhookdelivery_pending_index',
      expression: `create index core_webhookdelivery_pending_index on core_webhookdelivery (webhook_id, next_at) where status = 'pending'`,
    },
    {
      name: 'core_webhookdelivery_failed_index',
      expression: `create index core_webhookdelivery_failed_index on core_webhookdelivery (webhook_id, id) where status = 'failed'`,
    },
    { name: 'core_webhookdelivery_created_at_index', properties: ['createdAt', 'id'] },
    { name: 'core_webhookdelivery_webhook_id_id_index', properties: ['webhook', 'id'] },
  ],
});
