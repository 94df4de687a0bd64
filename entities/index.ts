import { AuditLog } from './accounts/audit-log.ts';
import { AuthGroup, AuthUser } from './accounts/auth-user.ts';
import { ConsoleSession } from './accounts/console-session.ts';
import { LoginFailure } from './accounts/login-failure.ts';
import { DonationAttempt } from './donations/donation-attempt.ts';
import { Candidate, DonationForm, Product } from './donations/form.ts';
import { Order, OrderDetail, OrderRecurring, OrderUserDetail, Transaction } from './donations/order.ts';
import { Currency, DonationPage, PaymentAccount } from './donations/payment-account.ts';
import { DonationTally } from './donations/tally.ts';
import { Campaign, Event, EventField, EventPage, EventSignup } from './events/event.ts';
import { ZipPlace } from './geo/zip.ts';
import { Mailing, MailingSubject, ProofJob, RebuildJob } from './mailings/mailing.ts';
import { Mergefile, MergefileRow } from './mailings/mergefile.ts';
import { MailingNotice } from './mailings/notice.ts';
import { EmailWrapper, FromLine, MailingTestGroup, QueryReport, Snippet } from './mailings/parts.ts';
import { RecurringCopy, RecurringSchedule } from './mailings/recurring-schedule.ts';
import { Tag } from './mailings/tag.ts';
import { MailingTally } from './mailings/tally.ts';
import { Click, MailingLink, Open, TrackedRecipient, TrackedTimeline, TrackedTotal } from './mailings/tracking.ts';
import { CmsForm, PageFollowup } from './pages/followup.ts';
import { MultilingualCampaign } from './pages/multilingual-campaign.ts';
import { Action, ActionField, Page } from './pages/page.ts';
import { Location, Phone, UserOriginal } from './people/contact.ts';
import { UserGeoField } from './people/geo-field.ts';
import { Upload, UploadBlock, UploadDraft, UploadDraftPart, UploadError } from './people/import.ts';
import { Erasure, LoginToken, UserMerge } from './people/jobs.ts';
import { Language } from './people/language.ts';
import { BlackholedEmail, List, ListDeletion, Subscription, SubscriptionHistory } from './people/list.ts';
import { Bounce, TransactionalMailing } from './people/mail.ts';
import { AllowedUserField, FormerEmail, User, UserField, UserInGroup } from './people/user.ts';
import { UserGroup } from './people/user-group.ts';
import { PushKey } from './push-key.ts';
import { BackgroundTask } from './reports/background-task.ts';
import { CachedReport } from './reports/report-cache.ts';
import { ReportFile, ReportFileChunk } from './reports/report-file.ts';
import { SecretMark } from './secret-mark.ts';
import { DkimKey } from './sending/dkim-key.ts';
import {
  SendAccepted,
  SendEarlierRun,
  SendException,
  SendLog,
  SendPace,
  SendReached,
  SendRun,
  SendSet,
  SendShard,
} from './sending/ledger.ts';
import { SenderCheck } from './sending/sender-check.ts';
import { SendTally } from './sending/tally.ts';
import { TargetingBase, TargetingGoing, TargetingGone } from './sending/targeting-base.ts';
import { SendTimeline } from './sending/timeline.ts';
import { CrmMap } from './sync/crm-map.ts';
import { PartnerIntent, PartnerOrderMap, PartnerTransactionMap, PartnerUserMap } from './sync/partner-map.ts';
import { Tally } from './tally.ts';
import { Webhook, WebhookDelivery } from './webhooks/webhook.ts';
import { WhipcountActionCalled, WhipcountForm, WhipcountOverride, WhipcountPage } from './whipcounts/page.ts';
import { WhipcountTally } from './whipcounts/tally.ts';
import { Target, TargetGroup } from './whipcounts/target.ts';
import { WrittenBatch } from './written-batch.ts';

/** Every table of the platform, by name: discovery by file name would hide a forgotten one. */
export const entities = [
  AuthGroup,
  AuthUser,
  ConsoleSession,
  LoginFailure,
  AuditLog,
  SecretMark,
  WrittenBatch,
  Language,
  User,
  FormerEmail,
  UserField,
  AllowedUserField,
  UserGroup,
  UserInGroup,
  UserGeoField,
  Tally,
  List,
  Subscription,
  SubscriptionHistory,
  ListDeletion,
  BlackholedEmail,
  Phone,
  Location,
  UserOriginal,
  LoginToken,
  UserMerge,
  Erasure,
  Upload,
  UploadBlock,
  UploadDraft,
  UploadDraftPart,
  UploadError,
  Bounce,
  TransactionalMailing,
  ZipPlace,
  EventPage,
  Campaign,
  Event,
  EventField,
  EventSignup,
  Tag,
  MultilingualCampaign,
  Page,
  Action,
  ActionField,
  PageFollowup,
  CmsForm,
  Target,
  TargetGroup,
  WhipcountPage,
  WhipcountForm,
  WhipcountActionCalled,
  WhipcountOverride,
  WhipcountTally,
  BackgroundTask,
  CachedReport,
  ReportFile,
  ReportFileChunk,
  FromLine,
  EmailWrapper,
  Snippet,
  MailingTestGroup,
  QueryReport,
  Mergefile,
  MergefileRow,
  Mailing,
  MailingSubject,
  RecurringSchedule,
  RecurringCopy,
  RebuildJob,
  ProofJob,
  MailingNotice,
  MailingLink,
  Open,
  Click,
  TrackedRecipient,
  TrackedTotal,
  TrackedTimeline,
  MailingTally,
  PaymentAccount,
  DonationPage,
  Currency,
  Candidate,
  Product,
  DonationForm,
  OrderUserDetail,
  Order,
  OrderDetail,
  OrderRecurring,
  Transaction,
  DonationTally,
  DonationAttempt,
  PushKey,
  DkimKey,
  SenderCheck,
  SendSet,
  SendLog,
  SendAccepted,
  SendReached,
  SendException,
  SendRun,
  SendEarlierRun,
  SendShard,
  SendTally,
  SendTimeline,
  SendPace,
  TargetingBase,
  TargetingGoing,
  TargetingGone,
  CrmMap,
  PartnerUserMap,
  PartnerOrderMap,
  PartnerTransactionMap,
  PartnerIntent,
  Webhook,
  WebhookDelivery,
];
