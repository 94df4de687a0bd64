import type { EntityMetadata } from '@mikro-orm/core';
import { Candidate, DonationForm, Product } from '../../entities/donations/form.ts';
import { Order, OrderDetail, OrderRecurring, OrderUserDetail, Transaction } from '../../entities/donations/order.ts';
import { Currency, DonationPage, PaymentAccount } from '../../entities/donations/payment-account.ts';
import { Campaign, Event, EventField, EventPage, EventSignup } from '../../entities/events/event.ts';
import { ZipPlace } from '../../entities/geo/zip.ts';
import { Mailing, MailingSubject, RebuildJob } from '../../entities/mailings/mailing.ts';
import { Mergefile } from '../../entities/mailings/mergefile.ts';
import { MailingNotice } from '../../entities/mailings/notice.ts';
import { EmailWrapper, FromLine, MailingTestGroup, QueryReport, Snippet } from '../../entities/mailings/parts.ts';
import { RecurringSchedule } from '../../entities/mailings/recurring-schedule.ts';
import { Tag } from '../../entities/mailings/tag.ts';
import { Click, MailingLink, Open } from '../../entities/mailings/tracking.ts';
import { CmsForm, PageFollowup } from '../../entities/pages/followup.ts';
import { MultilingualCampaign } from '../../entities/pages/multilingual-campaign.ts';
import { Action, ActionField, Page } from '../../entities/pages/page.ts';
import { Location, Phone, UserOriginal } from '../../entities/people/contact.ts';
import { UserGeoField } from '../../entities/people/geo-field.ts';
import { Upload, UploadError } from '../../entities/people/import.ts';
import { UserMerge } from '../../entities/people/jobs.ts';
import { Language } from '../../entities/people/language.ts';
import { BlackholedEmail, List, Subscription, SubscriptionHistory } from '../../entities/people/list.ts';
import { Bounce, TransactionalMailing } from '../../entities/people/mail.ts';
import { AllowedUserField, User, UserField, UserInGroup } from '../../entities/people/user.ts';
import { UserGroup } from '../../entities/people/user-group.ts';
import { CrmMap } from '../../entities/sync/crm-map.ts';
import { PartnerOrderMap, PartnerTransactionMap, PartnerUserMap } from '../../entities/sync/partner-map.ts';
import { WhipcountActionCalled, WhipcountForm, WhipcountOverride, WhipcountPage } from '../../entities/whipcounts/page.ts';
import { Target, TargetGroup } from '../../entities/whipcounts/target.ts';

/** What ad-hoc SQL sees of one table: all its columns but the hidden ones, under the table's own name. */
export interface ReportTable {
  table: string;
  hidden: readonly string[];
}

const shown = (entity: { meta: EntityMetadata }, hidden: readonly string[] = []): ReportTable => ({ table: entity.meta.tableName, hidden });
const pivot = (table: string): ReportTable => ({ table, hidden: [] });

/** The tables reports and raw_sql may read. What is not declared here does not exist for them: a new table is added by a line. */
export const REPORT_TABLES: readonly ReportTable[] = [
  shown(Language),
  shown(User),
  shown(UserField),
  shown(AllowedUserField),
  shown(UserGroup),
  shown(UserInGroup),
  shown(UserGeoField),
  shown(List),
  shown(Subscription),
  shown(SubscriptionHistory, ['mailing_id', 'mailing_place']),
  shown(BlackholedEmail),
  shown(Phone),
  shown(Location),
  shown(UserOriginal),
  shown(UserMerge),
  shown(Upload, ['stop_requested']),
  shown(UploadError),
  shown(Bounce, ['mailing_place', 'of_former']),
  shown(TransactionalMailing),
  shown(ZipPlace),
  shown(Campaign),
  shown(Event),
  shown(EventField),
  shown(EventSignup),
  shown(EventPage),
  shown(Tag),
  shown(MultilingualCampaign),
  shown(Page),
  pivot('core_page_tags'),
  // The akid somebody acted with is their token: whoever has it acts as them.
  shown(Action, ['mailing_place', 'taken_with', 'leaves']),
  shown(ActionField),
  shown(PageFollowup),
  shown(CmsForm),
  shown(Target, ['bioguide']),
  shown(TargetGroup),
  pivot('core_targetgroup_targets'),
  shown(WhipcountPage),
  pivot('core_whipcountpage_target_groups'),
  shown(WhipcountForm),
  shown(WhipcountActionCalled),
  shown(WhipcountOverride),
  shown(FromLine),
  shown(EmailWrapper),
  shown(Snippet),
  shown(MailingTestGroup),
  shown(QueryReport),
  shown(Mergefile),
  shown(Mailing, ['stop_requested']),
  pivot('core_mailing_tags'),
  pivot('core_mailing_reviewers'),
  shown(MailingSubject),
  shown(RecurringSchedule),
  shown(MailingLink),
  shown(Open),
  shown(Click),
  shown(RebuildJob),
  shown(MailingNotice),
  shown(PaymentAccount),
  shown(DonationPage),
  shown(Currency),
  shown(Candidate),
  shown(Product),
  shown(DonationForm),
  pivot('core_donationform_products'),
  pivot('core_donationform_candidates'),
  shown(OrderUserDetail),
  shown(Order, ['mailing_id', 'mailing_place']),
  shown(OrderDetail),
  shown(OrderRecurring),
  shown(Transaction, ['page_id', 'recurring']),
  shown(CrmMap, ['held_by', 'held_until', 'round']),
  shown(PartnerUserMap, ['generation', 'round']),
  shown(PartnerOrderMap, ['generation', 'round']),
  shown(PartnerTransactionMap, ['generation', 'round']),
];

/** Tables kept from reports, each for a reason; a test asks for a decision on every entity. */
export const UNREPORTED_TABLES: readonly string[] = [
  // Password hashes, who may do what, and who could not log in.
  'auth_consolesession',
  'auth_failure',
  'auth_group',
  'auth_user',
  'auth_user_groups',
  'core_auditlog',
  // Who can log in as whom, and who was erased.
  'core_logintoken',
  'core_erasure',
  // Addresses nobody is to be reached by any more.
  'core_formeremail',
  // How far the deletion of a list is.
  'core_listdeletion',
  // Lines of files on their way in.
  'core_uploadblock',
  'core_uploaddraft',
  'core_uploaddraftpart',
  'core_mergefilerow',
  // Addresses of reviewers, kept for the workflow alone.
  'core_mailingproof',
  'core_recurringcopy',
  // Names of people whose pushes were refused.
  'core_donationattempt',
  // Digests of keys of pushes, and keys of our own.
  'push_key',
  'written_batch',
  'secret_mark',
  // Statements and addresses of those who asked for them, and results made for others.
  'core_backgroundtask',
  'report_cache',
  'report_file',
  'report_filechunk',
  // What was found in the DNS; `npm run check-domain` shows it.
  'sender_check',
  // Keys that sign mail.
  'dkim_key',
  // The engine's own; reports read the record as core_usermailing.
  'send_set',
  'send_log',
  'send_accepted',
  'send_reached',
  'send_exception',
  'send_run',
  'send_earlier_run',
  'send_pace',
  'send_shard',
  'send_tally',
  'send_timeline',
  'targeting_base',
  'targeting_gone',
  'targeting_going',
  // Counts for the API's pages; a report counts for itself.
  'core_trackedrecipient',
  'core_trackedtotal',
  'core_trackedtimeline',
  'core_mailingtally',
  'core_donationtally',
  'core_whipcounttally',
  'core_tally',
  'partner_intent',
  // Where others listen, and with which secret.
  'core_webhook',
  'core_webhookdelivery',
];
