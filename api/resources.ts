import { auditlog } from './accounts/audit-log.ts';
import { authgroup, authuser } from './accounts/resources.ts';
import { donationattempt, order, orderdetail, orderuserdetail } from './donations/orders.ts';
import { donationaction, donationpage } from './donations/pages.ts';
import { orderrecurring, transaction } from './donations/payments.ts';
import { candidate, currency, donationform, paymentaccount, product } from './donations/resources.ts';
import { campaign, event, eventcampaign, eventfield, eventsignup } from './events/events.ts';
import { eventcreateaction, eventcreatepage, eventsignupaction, eventsignuppage } from './events/pages.ts';
import { mailing } from './mailer/low-level.ts';
import { mailer } from './mailer/mailing.ts';
import { mailingsubject } from './mailer/mailing-subject.ts';
import { mergefile } from './mailer/mergefile.ts';
import { emailwrapper, fromline, mailingtestgroup, snippet, tag } from './mailer/parts.ts';
import { queryreport } from './mailer/queryreport.ts';
import { recurringschedule } from './mailer/recurring.ts';
import { cmsform, eventcreateform, eventsignupform, pagefollowup, petitionform, signupform } from './pages/followup.ts';
import { multilingualcampaign } from './pages/multilingual-campaign.ts';
import {
  action,
  importaction,
  importpage,
  page,
  petitionaction,
  petitionpage,
  signupaction,
  signuppage,
  unsubscribeaction,
  unsubscribepage,
} from './pages/pages.ts';
import { backgroundtask } from './reports/background.ts';
import type { ResourceDeclaration } from './resource/declare.ts';
import { crmmap } from './sync/crm-map.ts';
import { partnerordermap, partnertransactionmap, partnerusermap } from './sync/partner-maps.ts';
import { bounce } from './users/bounces.ts';
import { location, phone, useroriginal } from './users/contact.ts';
import { listdeletion } from './users/delete-list.ts';
import { actionfield, userfield, usergeofield, usergroup } from './users/fields.ts';
import { blackholedemail, language, list, subscription, subscriptionhistory } from './users/lists.ts';
import { usermerge } from './users/merge.ts';
import { upload, uploaderror } from './users/upload.ts';
import { alloweduserfield, user } from './users/user.ts';
import { webhook, webhookdelivery } from './webhooks/webhooks.ts';
import { whipcountactioncalled, whipcountoverride } from './whipcounts/called.ts';
import { whipcountaction, whipcountform, whipcountpage } from './whipcounts/page.ts';
import { congresstargetgroup, specialtargetgroup, target, targetgroup } from './whipcounts/targets.ts';

/** Every resource of the kit, by name: one that is forgotten here is not there. */
export const resources: ResourceDeclaration[] = [
  authuser,
  authgroup,
  auditlog,
  user,
  alloweduserfield,
  userfield,
  usergroup,
  usergeofield,
  phone,
  location,
  useroriginal,
  usermerge,
  upload,
  uploaderror,
  bounce,
  list,
  listdeletion,
  subscription,
  subscriptionhistory,
  blackholedemail,
  language,
  page,
  signuppage,
  petitionpage,
  importpage,
  pagefollowup,
  cmsform,
  petitionform,
  signupform,
  multilingualcampaign,
  unsubscribepage,
  action,
  signupaction,
  petitionaction,
  importaction,
  unsubscribeaction,
  actionfield,
  // References to a campaign lead to the last name said.
  eventcampaign,
  campaign,
  event,
  eventfield,
  eventsignup,
  eventcreatepage,
  eventsignuppage,
  eventcreateform,
  eventsignupform,
  eventcreateaction,
  eventsignupaction,
  donationpage,
  donationform,
  donationaction,
  donationattempt,
  order,
  orderdetail,
  orderuserdetail,
  orderrecurring,
  transaction,
  paymentaccount,
  candidate,
  product,
  currency,
  backgroundtask,
  whipcountpage,
  whipcountform,
  whipcountaction,
  whipcountactioncalled,
  whipcountoverride,
  target,
  targetgroup,
  congresstargetgroup,
  specialtargetgroup,
  tag,
  fromline,
  emailwrapper,
  snippet,
  mailingtestgroup,
  mailingsubject,
  queryreport,
  mergefile,
  recurringschedule,
  mailing,
  mailer,
  crmmap,
  partnerusermap,
  partnerordermap,
  partnertransactionmap,
  webhook,
  webhookdelivery,
];

/** Resources with routes of their own, which others refer to: name → table. Those of one table name the same objects. */
export const elsewhere: Record<string, string> = {
  mailer: 'core_mailing',
  mailing: 'core_mailing',
};
