// The closed vocabularies of the specification, one list each; schema, types and database constraints are made from these.

export const MAILING_STATUSES = [
  'draft',
  'model',
  'sending',
  'scheduled',
  'rebuilding_at_send',
  'recurring',
  'queued',
  'completed',
  'stopped',
  'died',
] as const;
export type MailingStatus = (typeof MAILING_STATUSES)[number];

export const QUERY_STATUSES = ['none', 'cleared', 'failed', 'queued', 'rebuilding', 'saved', 'invalid'] as const;
export type QueryStatus = (typeof QUERY_STATUSES)[number];

export const SUBSCRIPTION_STATUSES = ['subscribed', 'unsubscribed', 'bounced', 'never'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

export const SUBSCRIPTION_CHANGES = [
  'subscribe',
  'subscribe_api',
  'subscribe_import',
  'unsubscribe',
  'unsubscribe_email',
  'unsubscribe_admin',
  'unsubscribe_bounce',
  'unsubscribe_complaint',
  'unsubscribe_merge',
  'unsubscribe_erase',
] as const;
export type SubscriptionChange = (typeof SUBSCRIPTION_CHANGES)[number];

export const PAGE_TYPES = ['signup', 'petition', 'unsubscribe', 'whipcount', 'donation', 'import'] as const;
export type PageType = (typeof PAGE_TYPES)[number];

export const SORT_ORDERS = ['zip', 'random'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

/** States of one recipient in the send ledger, by the number stored (see docs/sending-guarantees.md). */
export const LEDGER_STATE = { pending: 0, sending: 1, accepted: 2, failed: 3, skipped: 4, uncertain: 5 } as const;
export type LedgerStateName = keyof typeof LEDGER_STATE;
