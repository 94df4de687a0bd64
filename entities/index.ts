import { AuthGroup, AuthUser } from './accounts/auth-user.ts';
import { Candidate, DonationForm, Product } from './donations/form.ts';
import { Order, OrderDetail, OrderRecurring, OrderUserDetail, Transaction } from './donations/order.ts';
import { Currency, DonationPage, PaymentAccount } from './donations/payment-account.ts';
import { DonationAttempt, PushKey } from './donations/push.ts';
import { Mailing, MailingSubject, ProofJob, RebuildJob } from './mailings/mailing.ts';
import { EmailWrapper, FromLine, QueryReport } from './mailings/parts.ts';
import { Tag } from './mailings/tag.ts';
import { Action, ActionField, Page } from './pages/page.ts';
import { Language } from './people/language.ts';
import { BlackholedEmail, List, Subscription, SubscriptionHistory } from './people/list.ts';
import { AllowedUserField, User, UserField } from './people/user.ts';
import { SendLedger, SendRun, SendShard } from './sending/ledger.ts';

/** Every table of the platform, said out loud: discovery by file name would hide a forgotten one. */
export const entities = [
  AuthGroup,
  AuthUser,
  Language,
  User,
  UserField,
  AllowedUserField,
  List,
  Subscription,
  SubscriptionHistory,
  BlackholedEmail,
  Tag,
  Page,
  Action,
  ActionField,
  FromLine,
  EmailWrapper,
  QueryReport,
  Mailing,
  MailingSubject,
  RebuildJob,
  ProofJob,
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
  DonationAttempt,
  PushKey,
  SendLedger,
  SendRun,
  SendShard,
];
