import { Accounts } from './2026-11-22-01-accounts.ts';
import { People } from './2026-11-22-02-people.ts';
import { Lists } from './2026-11-22-04-lists.ts';
import { Geo } from './2026-11-22-05-geo.ts';
import { Content } from './2026-11-22-06-content.ts';
import { Pages } from './2026-11-22-07-pages.ts';
import { Actions } from './2026-11-22-08-actions.ts';
import { Uploads } from './2026-11-22-09-uploads.ts';
import { Mailings } from './2026-11-22-10-mailings.ts';
import { Tracking } from './2026-11-22-11-tracking.ts';
import { DonationPages } from './2026-11-22-12-donation-pages.ts';
import { Donations } from './2026-11-22-13-donations.ts';
import { Reports } from './2026-11-22-14-reports.ts';
import { Whipcounts } from './2026-11-22-15-whipcounts.ts';
import { Events } from './2026-11-22-16-events.ts';
import { Crm } from './2026-11-22-17-crm.ts';
import { Senders } from './2026-11-22-18-senders.ts';
import { Rates } from './2026-11-22-19-rates.ts';
import { Targeting } from './2026-11-22-20-targeting.ts';
import { Sending } from './2026-11-22-21-sending.ts';
import { Tallies } from './2026-11-22-22-tallies.ts';
import { Webhooks } from './2026-11-22-23-webhooks.ts';
import { MailingTallies } from './2026-11-22-24-mailing-tallies.ts';
import { PageTallies } from './2026-11-22-25-page-tallies.ts';

/**
 * In the order they are run, which is that of their names: one for each area that makes its tables as they are, then one for each change since, named by
 * its day. What has been released is never edited.
 */
export const migrations = [
  { name: '2026-11-22-01-accounts', class: Accounts },
  { name: '2026-11-22-02-people', class: People },
  { name: '2026-11-22-04-lists', class: Lists },
  { name: '2026-11-22-05-geo', class: Geo },
  { name: '2026-11-22-06-content', class: Content },
  { name: '2026-11-22-07-pages', class: Pages },
  { name: '2026-11-22-08-actions', class: Actions },
  { name: '2026-11-22-09-uploads', class: Uploads },
  { name: '2026-11-22-10-mailings', class: Mailings },
  { name: '2026-11-22-11-tracking', class: Tracking },
  { name: '2026-11-22-12-donation-pages', class: DonationPages },
  { name: '2026-11-22-13-donations', class: Donations },
  { name: '2026-11-22-14-reports', class: Reports },
  { name: '2026-11-22-15-whipcounts', class: Whipcounts },
  { name: '2026-11-22-16-events', class: Events },
  { name: '2026-11-22-17-crm', class: Crm },
  { name: '2026-11-22-18-senders', class: Senders },
  { name: '2026-11-22-19-rates', class: Rates },
  { name: '2026-11-22-20-targeting', class: Targeting },
  { name: '2026-11-22-21-sending', class: Sending },
  { name: '2026-11-22-22-tallies', class: Tallies },
  { name: '2026-11-22-23-webhooks', class: Webhooks },
  { name: '2026-11-22-24-mailing-tallies', class: MailingTallies },
  { name: '2026-11-22-25-page-tallies', class: PageTallies },
];
