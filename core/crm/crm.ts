import type { CrmEnding } from '../../domain/words.ts';

/** A person as sent to the CRM. `external_ref` is our reference to the contact: unique, the same on every try to create it. */
export interface Contact {
  external_ref: string;
  email: string;
  prefix: string;
  first_name: string;
  middle_name: string;
  last_name: string;
  suffix: string;
  address1: string;
  address2: string;
  city: string;
  state: string;
  region: string;
  zip: string;
  postal: string;
  country: string;
  /** ISO code, or null. */
  language: string | null;
  subscription_status: string;
  /** Custom user fields named by CRM_USER_FIELDS: text, or a list of texts; null where they had one and have none any more, to be emptied. */
  fields: Record<string, string | string[] | null>;
}

/** Money that was given, or, for the recurring order itself, promised. */
export interface Contribution {
  external_ref: string;
  contact_id: string;
  kind: 'order' | 'recurring_order' | 'payment';
  /** Decimal text, such as 10.00. */
  amount: string;
  currency: string;
  /** ISO 8601 in UTC. */
  received_at: string;
  /** Of the transaction at the payment processor; may be empty. */
  trans_id: string;
}

/**
 * Everything we want of a CRM; its ids are texts to us. Methods that write take an idempotency key: the same key means the same write,
 * whatever became of the answer to the first.
 * All throw CrmRefused (for good), CrmBusy (told to wait) or CrmAway (outage, or an answer that says nothing).
 */
export interface Crm {
  /** @returns the id of the contact with our reference, or null */
  findByRef(externalRef: string): Promise<string | null>;
  /** @returns the id of a contact with this address, without regard to case, or null */
  findByEmail(email: string): Promise<string | null>;
  /** @returns the id of the new contact, or of the one created under the same key or reference before */
  createContact(contact: Contact, key: string): Promise<string>;
  /** `gone`: there is no such contact any more. */
  updateContact(id: string, contact: Contact, key: string): Promise<'updated' | 'gone'>;
  /** Says that the contact is synced no more, and why; one that is gone is fine. */
  endContact(id: string, ending: CrmEnding, key: string): Promise<void>;
  /** @returns the id of the contribution with our reference, or null */
  findContribution(externalRef: string): Promise<string | null>;
  /** @returns the id of the new contribution, or of the one created under the same key or reference before */
  createContribution(contribution: Contribution, key: string): Promise<string>;
}

/** Refused for good: the same again would be refused again. The message is the CRM's and may name people: it belongs in the mapping's row only. */
export class CrmRefused extends Error {}

/** Not now: the CRM (429) or our own limit says when. */
export class CrmBusy extends Error {
  readonly waitMs: number;
  constructor(message: string, waitMs: number) {
    super(message);
    this.waitMs = waitMs;
  }
}

/** Unreachable, broken, or unintelligible: to be tried again. The message names nobody. */
export class CrmAway extends Error {
  /** When the CRM says itself how long. */
  readonly waitMs: number;
  constructor(message: string, waitMs = 0) {
    super(message);
    this.waitMs = waitMs;
  }
}
