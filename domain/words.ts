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

export const PAGE_TYPES = ['signup', 'petition', 'unsubscribe', 'whipcount', 'donation', 'import', 'eventcreate', 'eventsignup'] as const;
export type PageType = (typeof PAGE_TYPES)[number];

export const SORT_ORDERS = ['zip', 'random'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

/** States of one recipient in the send ledger, by the number stored (see docs/sending-guarantees.md). */
export const LEDGER_STATE = { pending: 0, sending: 1, accepted: 2, failed: 3, skipped: 4, uncertain: 5 } as const;
export type LedgerStateName = keyof typeof LEDGER_STATE;

export const ORDER_STATUSES = ['completed', 'reversed', 'failed', 'incomplete', 'pending'] as const;

/** Statuses clients also write in another form: of an order and its payments, and of an action. */
export const COMPLETED_TOO = { complete: 'completed' } as const;
export const COMPLETE_TOO = { completed: 'complete' } as const;

/** `sale`: money that came in, one-time or on a recurring profile; `credit`: money given back; the others record what became of a profile. */
export const TRANSACTION_TYPES = ['sale', 'credit', 'recurring_order_create', 'recurring_order_update', 'recurring_order_cancel'] as const;
export type TransactionType = (typeof TRANSACTION_TYPES)[number];

/** Of a payment that was made, or tried, elsewhere. */
export const PAYMENT_STATUSES = ['completed', 'failed', 'reversed'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** Clients push a donation before its payment is known, and say what became of that later. */
export const TRANSACTION_STATUSES = [...PAYMENT_STATUSES, 'incomplete', 'pending'] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

export const RECURRING_PERIODS = ['weeks', 'months'] as const;
export type RecurringPeriod = (typeof RECURRING_PERIODS)[number];

/** How often a recurring mailing goes out. */
export const RECURRENCE_PERIODS = ['hourly', 'daily', 'weekly', 'monthly'] as const;
export type RecurrencePeriod = (typeof RECURRENCE_PERIODS)[number];

/** Who ended a recurring profile; its status is then `canceled_by_<who>`. */
export const CANCELERS = ['user', 'admin', 'processor', 'failure', 'expired'] as const;
export type Canceler = (typeof CANCELERS)[number];

export const RECURRING_STATUSES = [
  'active',
  'past_due',
  'canceled_by_user',
  'canceled_by_admin',
  'canceled_by_processor',
  'canceled_by_failure',
  'canceled_by_expired',
] as const;
export type RecurringStatus = (typeof RECURRING_STATUSES)[number];

export const MONTHLY_DONOR_STATES = ['active', 'any', 'expires_this_month', 'expired_last_month', 'canceled_last_7_days'] as const;
export type MonthlyDonorState = (typeof MONTHLY_DONOR_STATES)[number];

/** A file that cannot be read is refused and leaves nothing: there are only those that were. */
export const MERGEFILE_STATUSES = ['loaded'] as const;
/** What a merge file may name its people by. */
export const MERGEFILE_LOOKUPS = ['email', 'user_id', 'akid'] as const;
export type MergefileLookup = (typeof MERGEFILE_LOOKUPS)[number];

export const PHONE_TYPES = ['home', 'mobile', 'work', 'fax', 'emergency', 'home_fax', 'work_fax', 'other'] as const;
export type PhoneType = (typeof PHONE_TYPES)[number];

/** Of user merges and erasures. */
export const JOB_STATUSES = ['pending', 'complete', 'failed'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export const UPLOAD_STATUSES = ['new', 'importing', 'completed', 'stopped', 'died'] as const;
export type UploadStatus = (typeof UPLOAD_STATUSES)[number];

export const BOUNCE_KINDS = ['hard', 'soft', 'complaint'] as const;
export type BounceKind = (typeof BOUNCE_KINDS)[number];

/** What a mail about a mailing says: that it ended so, or how it looks as it begins. */
export const NOTICE_KINDS = ['final_proof', 'completed', 'stopped', 'died', 'not_sent'] as const;

/** Ways to sign mail (RFC 6376, RFC 8463). */
export const DKIM_ALGORITHMS = ['rsa', 'ed25519'] as const;
export type DkimAlgorithm = (typeof DKIM_ALGORITHMS)[number];

export const TRANSACTIONAL_STATUSES = ['pending', 'sending', 'sent', 'failed', 'uncertain', 'skipped'] as const;
export type TransactionalStatus = (typeof TRANSACTIONAL_STATUSES)[number];

/** What `npm run geo:load` knows to load, and what of a location it decides. */
export const GEO_KINDS = ['us_district', 'us_state_senate', 'us_state_district', 'us_county'] as const;
export type GeoKind = (typeof GEO_KINDS)[number];
export const CRM_STATUSES = ['pending', 'synced', 'failed', 'disconnected'] as const;
export type CrmStatus = (typeof CRM_STATUSES)[number];

/** How a user of ours found the contact in the CRM. */
export const CRM_MATCH_TYPES = ['id', 'email', 'created'] as const;
export type CrmMatchType = (typeof CRM_MATCH_TYPES)[number];

/** Why a user is out of the CRM sync, as the CRM is told. Only the first can be taken back. */
export const CRM_ENDINGS = ['disconnected', 'erased', 'gone'] as const;
export type CrmEnding = (typeof CRM_ENDINGS)[number];

/** What is mapped to records of the external contacts and contributions system. */
export const PARTNER_KINDS = ['user', 'order', 'transaction'] as const;
export type PartnerKind = (typeof PARTNER_KINDS)[number];

export const TARGET_TYPES = ['senate', 'house', 'state_senate', 'state_house', 'executive', 'other'] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

/** Groups of members of Congress, of one chamber or both, and groups of whomever. */
export const CONGRESS_GROUP_TYPES = ['senate', 'house', 'congress'] as const;
export const TARGET_GROUP_TYPES = [...CONGRESS_GROUP_TYPES, 'special'] as const;

/** Where a target can stand: what the built-in pages let callers report. */
export const STANCES = ['uncommitted', 'supportive', 'opposed', 'message'] as const;

export const BACKGROUND_STATUSES = ['pending', 'running', 'completed', 'failed'] as const;

/** What statements are written in. */
export const DIALECTS = ['postgresql', 'mysql'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** What webhooks may be told of. */
export const WEBHOOK_EVENTS = [
  'mailing.completed',
  'mailing.stopped',
  'mailing.died',
  'action',
  'donation',
  'unsubscribe',
  'bounce',
  'complaint',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
