import type { SubscriptionChange, SubscriptionStatus } from '../../domain/words.ts';
import { type Html, html } from '../html.ts';

// Words of the platform about people, as organisers say them.

export const STATUS_WORDS: Record<SubscriptionStatus, string> = {
  subscribed: 'Subscribed',
  unsubscribed: 'Unsubscribed',
  bounced: 'Bounced',
  never: 'On no list yet',
};

const MARKS: Record<SubscriptionStatus, string> = { subscribed: 'completed', unsubscribed: 'draft', bounced: 'died', never: 'draft' };

/** A status as a mark: the word says it, the colour only repeats it. */
export const personMark = (status: SubscriptionStatus): Html => html`<span class="mark ${MARKS[status]}">${STATUS_WORDS[status]}</span>`;

export const CHANGE_WORDS: Record<SubscriptionChange, string> = {
  subscribe: 'joined by an action',
  subscribe_api: 'was put on it by staff or a program',
  subscribe_import: 'came by an import',
  unsubscribe: 'left by an action',
  unsubscribe_email: 'left by a mail’s link',
  unsubscribe_admin: 'was taken off it by staff or a program',
  unsubscribe_bounce: 'was taken off it: mail came back',
  unsubscribe_complaint: 'was taken off it: a complaint',
  unsubscribe_merge: 'was taken off it by a merge',
  unsubscribe_erase: 'was taken off it by an erasure',
};

/** What somebody is called: their name, else their address. */
export function nameOf({ first_name, last_name, email }: { first_name: string; last_name: string; email: string }): string {
  return [first_name, last_name].filter(Boolean).join(' ') || email;
}
