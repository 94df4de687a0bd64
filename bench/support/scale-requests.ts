import { ACTED, ACTIVE_PERSON } from './grown-data.ts';

/** A request to a platform grown large (grown-data.ts), and how long it may take. */
export interface ScaleRequest {
  what: string;
  /** `PERSON` in it is anybody's number. */
  path: string;
  /** Milliseconds, at the 95th percentile; null where it is linear in what is asked for, and only measured. */
  bar: number | null;
  /** It asks for what no index holds: its plan may read a table as a whole. */
  whole?: boolean;
}

const of = (what: string, path: string, bar: number | null, whole = false): ScaleRequest => ({
  what,
  path: `/rest/v1/${path}`,
  bar,
  whole,
});

export const SCALE_REQUESTS: readonly ScaleRequest[] = [
  of('a user by id', 'user/PERSON/', 20),
  of('a user by email', 'user/?email=userPERSON@example.org', 20),
  of('users', 'user/', 30),
  of('users, the last changed first', 'user/?order_by=-updated_at', 50),
  of('users of a country by name', 'user/?country=United States&order_by=last_name', 300),
  of('users by a part of the name', 'user/?last_name__icontains=790', 300),
  of('users by a part of the address', 'user/?email__icontains=4790', 300),
  of('actions of a person', 'action/?user=PERSON', 50),
  of('actions of the person with most', `action/?user=${ACTIVE_PERSON}`, 50),
  of('subscriptions of a person', 'subscription/?user=PERSON', 50),
  of('history of a person', 'subscriptionhistory/?user=PERSON', 50),
  of('orders of a person', 'order/?user=PERSON', 50),
  of('mails sent to a person', 'sentmail/?user=PERSON', 50),
  of('actions', 'action/', 30),
  of('actions, the last changed first', 'action/?order_by=-updated_at', 50),
  of('actions changed since', 'action/?updated_at__gte=2025-09-01&order_by=updated_at', 50),
  of('actions incomplete', 'action/?status=incomplete', 300),
  of('actions complete', 'action/?status=complete', 300),
  of('actions by source', 'action/?source=source7', 300),
  of('actions on a page', 'action/?page=3', 300),
  of('actions on pages of a type', 'petitionaction/', 300),
  of('actions complete, the last changed first', 'action/?status=complete&order_by=-updated_at', 300),
  of('actions of a state’s people, by estimate', 'action/?user__state=CA&_count=estimate', 300, true),
  // Counted to the end, as every caller has it who does not ask for less: a tenth of all actions, each looked up.
  of('the same with the exact count', 'action/?user__state=CA', null, true),
  of('subscriptions', 'subscription/', 30),
  of('subscriptions, the newest first', 'subscription/?order_by=-created_at', 50),
  of('subscriptions, the last changed first', 'subscription/?order_by=-updated_at', 50),
  of('subscriptions to a list', 'subscription/?list=1', 30),
  of('history', 'subscriptionhistory/', 30),
  of('history, the newest first', 'subscriptionhistory/?order_by=-created_at', 50),
  of('history since', 'subscriptionhistory/?created_at__gte=2025-09-01&order_by=created_at', 50),
  of('history of a list', 'subscriptionhistory/?list=3', 30),
  of('orders, the last changed first', 'order/?order_by=-updated_at', 50),
  of('transactions, the last changed first', 'transaction/?order_by=-updated_at', 50),
  of('transactions changed since', 'transaction/?updated_at__gte=2025-09-01&order_by=updated_at', 50),
  of('results of a mailing', `mailer/${ACTED.one}/results/`, 50),
  of('results of a mailing with two subjects', `mailer/${ACTED.two}/results/`, 50),
  of('mails sent', 'sentmail/', 50, true),
  of('an audience explained', 'mailer/3/audience/', 3000, true),
];
