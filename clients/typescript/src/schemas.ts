// Long: made of the OpenAPI document by npm run clients, not by hand.
// biome-ignore-all format: as the program writes it

export type AuthuserInput = {
  username: string;
  first_name?: string;
  last_name?: string;
  email?: string;
  is_staff?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  is_active?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  is_superuser?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** URIs of related objects. */
  groups?: (string | number)[];
  /** Never shown. */
  password: string;
};

export type Authuser = {
  id: number;
  username: string;
  first_name: string;
  last_name: string;
  email: string;
  is_staff: boolean;
  is_active: boolean;
  is_superuser: boolean;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  last_login: string | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  date_joined: string;
  /** URIs of related objects. */
  groups: string[];
  /** URI of this object. */
  resource_uri: string;
};

export type AuthuserChange = {
  username?: string;
  first_name?: string;
  last_name?: string;
  email?: string;
  is_staff?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  is_active?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  is_superuser?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** URIs of related objects. */
  groups?: (string | number)[];
  /** Never shown. */
  password?: string;
};

export type AuthgroupInput = {
  name: string;
  /** Grants like user:read, user:write, user:delete, mailer:send, or *. */
  grants?: unknown[];
};

export type Authgroup = {
  id: number;
  name: string;
  /** Grants like user:read, user:write, user:delete, mailer:send, or *. */
  grants: unknown[];
  /** URI of this object. */
  resource_uri: string;
};

export type AuthgroupChange = {
  name?: string;
  /** Grants like user:read, user:write, user:delete, mailer:send, or *. */
  grants?: unknown[];
};

export type Auditlog = {
  id: number;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** URI of one related object. */
  account: string;
  username: string;
  method: string;
  path: string;
  location: string;
  /** Names of the fields that were sent, never their values. */
  fields: unknown[];
  status: number;
  /** URI of this object. */
  resource_uri: string;
};

export type UserInput = {
  email: string;
  prefix?: string;
  first_name?: string;
  middle_name?: string;
  last_name?: string;
  suffix?: string;
  address1?: string;
  address2?: string;
  city?: string;
  state?: string;
  region?: string;
  zip?: string;
  plus4?: string;
  postal?: string;
  country?: string;
  source?: string;
  /** URI of one related object. */
  lang?: string | number | null;
  /** Groups the user is in. */
  groups?: (string | number)[];
  /** Custom user fields. A change replaces only the names sent; a value may be a list. */
  fields?: {
    [name: string]: unknown;
  };
  /** URIs of phones. Written, the list is what the user has afterwards: URIs of those that stay, and objects {phone, type, source}. */
  phones?: unknown[];
};

export type User = {
  id: number;
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
  plus4: string;
  postal: string;
  country: string;
  source: string;
  /** URI of one related object. */
  lang: string | null;
  /** No longer in use. */
  rand_id: number;
  /** Groups the user is in. */
  groups: string[];
  subscription_status: "subscribed" | "unsubscribed" | "bounced" | "never";
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** Hashed identifier of the user. */
  token: string;
  /** Custom user fields. A change replaces only the names sent; a value may be a list. */
  fields: {
    [name: string]: unknown;
  };
  /** Where a login token is asked for. */
  logintoken: string;
  /** URIs of phones. Written, the list is what the user has afterwards: URIs of those that stay, and objects {phone, type, source}. */
  phones: string[];
  /** Estimated place of the address. */
  location: string | null;
  /** The address as it was first received; US only. */
  useroriginal: string | null;
  /** The address as it was first received, uncorrected; US only. */
  original: {
    [name: string]: unknown;
  } | null;
  /** URI of the action collection, filtered. */
  actions: string;
  /** URI of the event collection, filtered. */
  events: string;
  /** URI of the eventsignup collection, filtered. */
  eventsignups: string;
  /** URI of the order collection, filtered. */
  orders: string;
  /** URI of the orderrecurring collection, filtered. */
  orderrecurrings: string;
  /** URI of the sentmail collection, filtered. */
  sent_mails: string;
  /** URI of the usermailing collection, filtered. */
  usermailings: string;
  /** URI of the usergeofield collection, filtered. */
  usergeofields: string;
  /** URI of the subscription collection, filtered. */
  subscriptions: string;
  /** URI of the subscriptionhistory collection, filtered. */
  subscriptionhistory: string;
  /** URI of this object. */
  resource_uri: string;
};

export type UserChange = {
  email?: string;
  prefix?: string;
  first_name?: string;
  middle_name?: string;
  last_name?: string;
  suffix?: string;
  address1?: string;
  address2?: string;
  city?: string;
  state?: string;
  region?: string;
  zip?: string;
  plus4?: string;
  postal?: string;
  country?: string;
  source?: string;
  /** URI of one related object. */
  lang?: string | number | null;
  /** Groups the user is in. */
  groups?: (string | number)[];
  /** Custom user fields. A change replaces only the names sent; a value may be a list. */
  fields?: {
    [name: string]: unknown;
  };
  /** URIs of phones. Written, the list is what the user has afterwards: URIs of those that stay, and objects {phone, type, source}. */
  phones?: unknown[];
};

export type AlloweduserfieldInput = {
  name: string;
  display_name?: string;
  description?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Alloweduserfield = {
  id: number;
  name: string;
  display_name: string;
  description: string;
  hidden: boolean;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type AlloweduserfieldChange = {
  name?: string;
  display_name?: string;
  description?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type UserfieldInput = {
  /** URI of the user. */
  parent: string | number;
  name: string;
  /** A field with a list of values has one of these for each. */
  value?: string;
};

export type Userfield = {
  id: number;
  /** URI of the user. */
  parent: string;
  name: string;
  /** A field with a list of values has one of these for each. */
  value: string;
  /** URI of this object. */
  resource_uri: string;
};

export type UserfieldChange = {
  /** URI of the user. */
  parent?: string | number;
  name?: string;
  /** A field with a list of values has one of these for each. */
  value?: string;
};

export type UsergroupInput = {
  name: string;
};

export type Usergroup = {
  id: number;
  name: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of the user collection, filtered. */
  users: string;
  /** URI of this object. */
  resource_uri: string;
};

export type UsergroupChange = {
  name?: string;
};

export type UsergeofieldInput = {
  /** URI of one related object. */
  user: string | number;
  name: string;
  /** A field with a list of values has one of these for each. */
  value?: string;
};

export type Usergeofield = {
  id: number;
  /** URI of one related object. */
  user: string;
  name: string;
  /** A field with a list of values has one of these for each. */
  value: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type UsergeofieldChange = {
  /** URI of one related object. */
  user?: string | number;
  name?: string;
  /** A field with a list of values has one of these for each. */
  value?: string;
};

export type PhoneInput = {
  /** URI of one related object. */
  user: string | number;
  phone: string;
  type?: "home" | "mobile" | "work" | "fax" | "emergency" | "home_fax" | "work_fax" | "other";
  source?: string;
};

export type Phone = {
  id: number;
  /** URI of one related object. */
  user: string;
  phone: string;
  /** Digits alone, a leading + kept. */
  normalized_phone: string;
  type: "home" | "mobile" | "work" | "fax" | "emergency" | "home_fax" | "work_fax" | "other";
  source: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type PhoneChange = {
  /** URI of one related object. */
  user?: string | number;
  phone?: string;
  type?: "home" | "mobile" | "work" | "fax" | "emergency" | "home_fax" | "work_fax" | "other";
  source?: string;
};

export type Location = {
  id: number;
  /** URI of one related object. */
  user: string;
  us_district: string;
  us_state_senate: string;
  us_state_district: string;
  us_county: string;
  loc_code: string;
  longitude: number | null;
  latitude: number | null;
  country_code: string;
  region_code: string;
  lat_lon_precision: string;
  timezone: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type Useroriginal = {
  id: number;
  /** URI of one related object. */
  user: string;
  address1: string;
  address2: string;
  city: string;
  state: string;
  zip: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type UsermergeInput = {
  /** The user who is kept. */
  primary_user: string | number;
  /** The users merged into it. */
  users: (string | number)[];
  /** Whose mailing address is kept. */
  address_user: string | number;
  /** Whose source is kept. */
  source_user: string | number;
  /** Whose mobile phones are kept. */
  sms_user?: string | number;
  /** The lists the user is on afterwards. Not given: all but the re-engagement list. Empty: none. */
  lists?: (string | number)[];
};

export type Usermerge = {
  id: number;
  /** URI of one related object. */
  primary_user: string;
  /** URIs of the users merged into the primary one. */
  users: unknown[];
  /** URI of one related object. */
  address_user: string;
  /** URI of one related object. */
  source_user: string;
  /** URI of one related object. */
  sms_user: string | null;
  /** URIs of the lists wanted; null when not given. */
  lists: unknown[] | null;
  status: "pending" | "complete" | "failed";
  /** Why it failed. */
  errors: unknown[];
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type Upload = {
  id: number;
  /** URI of one related object. */
  page: string;
  filename: string;
  autocreate_user_fields: boolean;
  /** new, importing, completed, stopped, or died, which errors say the reason of. */
  status: "new" | "importing" | "completed" | "stopped" | "died";
  columns: unknown[];
  /** Lines below the header. */
  line_count: number | null;
  /** Lines that are done. */
  progress: number;
  error_count: number;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  started_at: string | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  finished_at: string | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** Whether nothing more will be imported. */
  is_completed: boolean;
  /** Whether some lines could not be imported: see errors. */
  has_errors: boolean;
  /** URI of what was wrong, line by line. */
  errors: string;
  /** Where a POST stops it. */
  stop: string;
  /** URI of this object. */
  resource_uri: string;
};

export type Uploaderror = {
  id: number;
  /** URI of one related object. */
  upload: string;
  line: number;
  message: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type Bounce = {
  id: number;
  /** URI of one related object. */
  user: string;
  /** URI of one related object. */
  mailing: string | null;
  kind: "hard" | "soft" | "complaint";
  code: string;
  diagnostic: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type ListInput = {
  name: string;
  notes?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  is_default?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  is_reengagement?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type List = {
  id: number;
  name: string;
  notes: string;
  hidden: boolean;
  is_default: boolean;
  is_reengagement: boolean;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type ListChange = {
  name?: string;
  notes?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  is_default?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  is_reengagement?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Listdeletion = {
  id: number;
  /** URI of the list, which is gone when this is complete. */
  list: string;
  /** How many were on it when it was asked for. */
  people: number;
  /** How many have been taken off it. */
  removed: number;
  status: "pending" | "complete" | "failed";
  /** Why it failed. */
  errors: unknown[];
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type SubscriptionInput = {
  /** URI of one related object. */
  user: string | number;
  /** URI of one related object. */
  list: string | number;
};

export type Subscription = {
  id: number;
  /** URI of one related object. */
  user: string;
  /** URI of one related object. */
  list: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type Subscriptionhistory = {
  id: number;
  /** URI of one related object. */
  user: string;
  /** URI of one related object. */
  list: string;
  change: "subscribe" | "subscribe_api" | "subscribe_import" | "unsubscribe" | "unsubscribe_email" | "unsubscribe_admin" | "unsubscribe_bounce" | "unsubscribe_complaint" | "unsubscribe_merge" | "unsubscribe_erase";
  /** URI of one related object. */
  action: string | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type BlackholedemailInput = {
  email: string;
};

export type Blackholedemail = {
  id: number;
  email: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type BlackholedemailChange = {
  email?: string;
};

export type LanguageInput = {
  name: string;
  iso_code?: string;
  ordering?: number;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** JSON as text. */
  translations?: string;
};

export type Language = {
  id: number;
  name: string;
  iso_code: string;
  ordering: number;
  hidden: boolean;
  /** JSON as text. */
  translations: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type LanguageChange = {
  name?: string;
  iso_code?: string;
  ordering?: number;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** JSON as text. */
  translations?: string;
};

export type Page = {
  id: number;
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name: string;
  title: string;
  type: "signup" | "petition" | "unsubscribe" | "whipcount" | "donation" | "import" | "eventcreate" | "eventsignup";
  status: "active" | "inactive";
  /** Where people are led after an action. */
  url: string;
  hidden: boolean;
  goal: number | null;
  goal_type: string;
  fields: {
    [name: string]: unknown;
  };
  /** Fields a submission must fill beside email or akid. */
  required_fields: unknown[];
  /** URI of one related object. */
  list: string | null;
  /** URI of one related object. */
  language: string | null;
  /** URI of one related object. */
  multilingual_campaign: string | null;
  /** URIs of related objects. */
  tags: string[];
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of the action collection, filtered. */
  actions: string;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup: {
    [name: string]: unknown;
  } | null;
  /** URI of the texts the page is shown with. */
  cms_form: string | null;
  /** URI of this object. */
  resource_uri: string;
};

export type PageChange = {
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name?: string;
  title?: string;
  status?: "active" | "inactive";
  /** Where people are led after an action. */
  url?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  goal?: number | null;
  goal_type?: string;
  fields?: {
    [name: string]: unknown;
  } | null;
  required_fields?: unknown[] | null;
  /** URI of one related object. */
  list?: string | number | null;
  /** URI of one related object. */
  language?: string | number | null;
  /** URI of one related object. */
  multilingual_campaign?: string | number | null;
  /** URIs of related objects. */
  tags?: (string | number)[] | null;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup?: {
    [name: string]: unknown;
  } | null;
};

export type SignuppageInput = {
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name: string;
  title?: string;
  status?: "active" | "inactive";
  /** Where people are led after an action. */
  url?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  goal?: number | null;
  goal_type?: string;
  fields?: {
    [name: string]: unknown;
  } | null;
  required_fields?: unknown[] | null;
  /** URI of one related object. */
  list?: string | number | null;
  /** URI of one related object. */
  language?: string | number | null;
  /** URI of one related object. */
  multilingual_campaign?: string | number | null;
  /** URIs of related objects. */
  tags?: (string | number)[] | null;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup?: {
    [name: string]: unknown;
  } | null;
};

export type PagefollowupInput = {
  /** Each page has one of its own; it stays with it. */
  page: string | number;
  /** Where people are led afterwards; empty: the url of the page. */
  url?: string;
  send_email?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  send_notifications?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Kept for the pages of a client, as are taf_subject and taf_body: no mail is sent to addresses a visitor names. */
  send_taf?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  email_subject?: string;
  /** Template of the confirmation, HTML. */
  email_body?: string;
  email_custom_from?: string;
  /** URI of one related object. */
  email_from_line?: string | number | null;
  /** URI of one related object. */
  email_wrapper?: string | number | null;
  /** Addresses told by mail of every action, with send_notifications. They hear of people: naming a new one takes the grant user:read. */
  notifications?: unknown[];
  taf_subject?: string;
  taf_body?: string;
};

export type Pagefollowup = {
  id: number;
  /** Each page has one of its own; it stays with it. */
  page: string;
  /** Where people are led afterwards; empty: the url of the page. */
  url: string;
  send_email: boolean;
  send_notifications: boolean;
  /** Kept for the pages of a client, as are taf_subject and taf_body: no mail is sent to addresses a visitor names. */
  send_taf: boolean;
  email_subject: string;
  /** Template of the confirmation, HTML. */
  email_body: string;
  email_custom_from: string;
  /** URI of one related object. */
  email_from_line: string | null;
  /** URI of one related object. */
  email_wrapper: string | null;
  /** Addresses told by mail of every action, with send_notifications. They hear of people: naming a new one takes the grant user:read. */
  notifications: unknown[];
  taf_subject: string;
  taf_body: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type PagefollowupChange = {
  /** Each page has one of its own; it stays with it. */
  page?: string | number;
  /** Where people are led afterwards; empty: the url of the page. */
  url?: string;
  send_email?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  send_notifications?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Kept for the pages of a client, as are taf_subject and taf_body: no mail is sent to addresses a visitor names. */
  send_taf?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  email_subject?: string;
  /** Template of the confirmation, HTML. */
  email_body?: string;
  email_custom_from?: string;
  /** URI of one related object. */
  email_from_line?: string | number | null;
  /** URI of one related object. */
  email_wrapper?: string | number | null;
  /** Addresses told by mail of every action, with send_notifications. They hear of people: naming a new one takes the grant user:read. */
  notifications?: unknown[];
  taf_subject?: string;
  taf_body?: string;
};

export type CmsformInput = {
  /** URI of one related object. */
  page: string | number;
  introduction_text?: string;
  about_text?: string;
  statement_leadin?: string;
  statement_text?: string;
  thank_you_text?: string;
  client_hosted?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  client_url?: string;
  templateset?: string;
};

export type Cmsform = {
  id: number;
  /** URI of one related object. */
  page: string;
  introduction_text: string;
  about_text: string;
  statement_leadin: string;
  statement_text: string;
  thank_you_text: string;
  client_hosted: boolean;
  client_url: string;
  templateset: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type CmsformChange = {
  /** URI of one related object. */
  page?: string | number;
  introduction_text?: string;
  about_text?: string;
  statement_leadin?: string;
  statement_text?: string;
  thank_you_text?: string;
  client_hosted?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  client_url?: string;
  templateset?: string;
};

export type Multilingualcampaign = {
  id: number;
  name: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of the page collection, filtered. */
  pages: string;
  /** URI of this object. */
  resource_uri: string;
};

export type ActionInput = {
  /** Name of the page. */
  page: string;
  /** Required without akid. */
  email?: string;
  /** Required without email. */
  akid?: string;
  referring_akid?: string;
  mailing_id?: number;
  /** Default: the list of the page, else the default list. */
  lists?: number[];
  /** false leaves the lists alone. */
  opt_in?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** true sends no confirmation. */
  skip_confirmation?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** true leaves the lists alone. */
  suppress_subscribe?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  source?: string;
  prefix?: string;
  first_name?: string;
  middle_name?: string;
  last_name?: string;
  suffix?: string;
  address1?: string;
  address2?: string;
  city?: string;
  state?: string;
  region?: string;
  zip?: string;
  plus4?: string;
  postal?: string;
  country?: string;
  /** First and last name, where neither is given. */
  name?: string;
  [name: string]: unknown;
};

export type Action = {
  id: number;
  /** URI of one related object. */
  user: string;
  /** URI of one related object. */
  page: string;
  /** URI of one related object. */
  mailing: string | null;
  /** URI of one related object. */
  referring_user: string | null;
  /** URI of one related object. */
  referring_mailing: string | null;
  source: string;
  link: number | null;
  opq_id: string;
  created_user: boolean;
  subscribed_user: boolean;
  is_forwarded: boolean;
  status: "incomplete" | "complete" | "failed";
  ip_address: string | null;
  /** The akid it was done with. */
  taken_with: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** Names the person and the mailing that led here. */
  akid: string;
  /** Always null: no mail is sent to people a visitor names. */
  taf_emails_sent: number | null;
  /** Type of the page, as `Petition`. */
  type: string;
  /** Action fields. A change replaces only the names sent; a value may be a list. */
  fields: {
    [name: string]: unknown;
  };
  /** URI of this object. */
  resource_uri: string;
};

export type ActionChange = {
  source?: string;
  status?: "incomplete" | "complete" | "failed" | "completed";
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at?: string;
  /** Action fields. A change replaces only the names sent; a value may be a list. */
  fields?: {
    [name: string]: unknown;
  };
};

export type ActionfieldInput = {
  /** URI of the action. */
  parent: string | number;
  name: string;
  /** A field with a list of values has one of these for each. */
  value?: string;
};

export type Actionfield = {
  id: number;
  /** URI of the action. */
  parent: string;
  name: string;
  /** A field with a list of values has one of these for each. */
  value: string;
  /** URI of this object. */
  resource_uri: string;
};

export type ActionfieldChange = {
  /** URI of the action. */
  parent?: string | number;
  name?: string;
  /** A field with a list of values has one of these for each. */
  value?: string;
};

export type EventcampaignInput = {
  name: string;
  title?: string;
  description?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Eventcampaign = {
  id: number;
  name: string;
  title: string;
  description: string;
  hidden: boolean;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of the event collection, filtered. */
  events: string;
  /** Its events that take place, for the public: filtered like the collection of events. */
  event_search: string;
  /** URI of this object. */
  resource_uri: string;
};

export type EventcampaignChange = {
  name?: string;
  title?: string;
  description?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type EventInput = {
  /** URI of one related object. */
  campaign: string | number;
  /** URI of one related object. */
  creator?: string | number | null;
  title?: string;
  venue?: string;
  address1?: string;
  address2?: string;
  city?: string;
  state?: string;
  region?: string;
  zip?: string;
  postal?: string;
  country?: string;
  us_district?: string;
  us_county?: string;
  longitude?: number | null;
  latitude?: number | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  starts_at?: string | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  ends_at?: string | null;
  public_description?: string;
  directions?: string;
  max_attendees?: number | null;
  is_private?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  status?: "active" | "cancelled" | "deleted";
  /** Custom fields of the event. */
  fields?: {
    [name: string]: unknown;
  };
};

export type Event = {
  id: number;
  /** URI of one related object. */
  campaign: string;
  /** URI of one related object. */
  creator: string | null;
  /** The action it was made with. */
  action: string | null;
  title: string;
  venue: string;
  address1: string;
  address2: string;
  city: string;
  state: string;
  region: string;
  zip: string;
  postal: string;
  country: string;
  us_district: string;
  us_county: string;
  longitude: number | null;
  latitude: number | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  starts_at: string | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  ends_at: string | null;
  public_description: string;
  directions: string;
  max_attendees: number | null;
  is_private: boolean;
  status: "active" | "cancelled" | "deleted";
  /** Custom fields of the event. */
  fields: {
    [name: string]: unknown;
  };
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of the eventsignup collection, filtered. */
  signups: string;
  /** URI of this object. */
  resource_uri: string;
};

export type EventChange = {
  /** URI of one related object. */
  campaign?: string | number;
  /** URI of one related object. */
  creator?: string | number | null;
  title?: string;
  venue?: string;
  address1?: string;
  address2?: string;
  city?: string;
  state?: string;
  region?: string;
  zip?: string;
  postal?: string;
  country?: string;
  us_district?: string;
  us_county?: string;
  longitude?: number | null;
  latitude?: number | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  starts_at?: string | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  ends_at?: string | null;
  public_description?: string;
  directions?: string;
  max_attendees?: number | null;
  is_private?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  status?: "active" | "cancelled" | "deleted";
  /** Custom fields of the event. */
  fields?: {
    [name: string]: unknown;
  };
};

export type EventsignupInput = {
  /** URI of one related object. */
  user: string | number;
  /** URI of one related object. */
  event: string | number;
  /** The page of events it was made on. */
  page?: string | number | null;
  role?: "attendee" | "host";
  status?: "active" | "cancelled";
  /** Custom fields of the signup. */
  fields?: {
    [name: string]: unknown;
  };
};

export type Eventsignup = {
  id: number;
  /** URI of one related object. */
  user: string;
  /** URI of one related object. */
  event: string;
  /** The page of events it was made on. */
  page: string | null;
  /** The action it was made with. */
  action: string | null;
  role: "attendee" | "host";
  status: "active" | "cancelled";
  /** Custom fields of the signup. */
  fields: {
    [name: string]: unknown;
  };
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type EventsignupChange = {
  /** URI of one related object. */
  user?: string | number;
  /** URI of one related object. */
  event?: string | number;
  /** The page of events it was made on. */
  page?: string | number | null;
  role?: "attendee" | "host";
  status?: "active" | "cancelled";
  /** Custom fields of the signup. */
  fields?: {
    [name: string]: unknown;
  };
};

export type EventcreatepageInput = {
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name: string;
  title?: string;
  status?: "active" | "inactive";
  /** Where people are led after an action. */
  url?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  goal?: number | null;
  goal_type?: string;
  fields?: {
    [name: string]: unknown;
  } | null;
  required_fields?: unknown[] | null;
  /** URI of one related object. */
  list?: string | number | null;
  /** URI of one related object. */
  language?: string | number | null;
  /** URI of one related object. */
  multilingual_campaign?: string | number | null;
  /** URIs of related objects. */
  tags?: (string | number)[] | null;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup?: {
    [name: string]: unknown;
  } | null;
  /** The campaign its events belong to. */
  campaign: string | number;
};

export type Eventcreatepage = {
  id: number;
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name: string;
  title: string;
  type: "signup" | "petition" | "unsubscribe" | "whipcount" | "donation" | "import" | "eventcreate" | "eventsignup";
  status: "active" | "inactive";
  /** Where people are led after an action. */
  url: string;
  hidden: boolean;
  goal: number | null;
  goal_type: string;
  fields: {
    [name: string]: unknown;
  };
  /** Fields a submission must fill beside email or akid. */
  required_fields: unknown[];
  /** URI of one related object. */
  list: string | null;
  /** URI of one related object. */
  language: string | null;
  /** URI of one related object. */
  multilingual_campaign: string | null;
  /** URIs of related objects. */
  tags: string[];
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of the action collection, filtered. */
  actions: string;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup: {
    [name: string]: unknown;
  } | null;
  /** URI of the texts the page is shown with. */
  cms_form: string | null;
  /** The campaign its events belong to. */
  campaign: string | null;
  /** URI of this object. */
  resource_uri: string;
};

export type EventcreatepageChange = {
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name?: string;
  title?: string;
  status?: "active" | "inactive";
  /** Where people are led after an action. */
  url?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  goal?: number | null;
  goal_type?: string;
  fields?: {
    [name: string]: unknown;
  } | null;
  required_fields?: unknown[] | null;
  /** URI of one related object. */
  list?: string | number | null;
  /** URI of one related object. */
  language?: string | number | null;
  /** URI of one related object. */
  multilingual_campaign?: string | number | null;
  /** URIs of related objects. */
  tags?: (string | number)[] | null;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup?: {
    [name: string]: unknown;
  } | null;
  /** The campaign its events belong to. */
  campaign?: string | number;
};

export type Eventcreateaction = {
  id: number;
  /** URI of one related object. */
  user: string;
  /** URI of one related object. */
  page: string;
  /** URI of one related object. */
  mailing: string | null;
  /** URI of one related object. */
  referring_user: string | null;
  /** URI of one related object. */
  referring_mailing: string | null;
  source: string;
  link: number | null;
  opq_id: string;
  created_user: boolean;
  subscribed_user: boolean;
  is_forwarded: boolean;
  status: "incomplete" | "complete" | "failed";
  ip_address: string | null;
  /** The akid it was done with. */
  taken_with: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** Names the person and the mailing that led here. */
  akid: string;
  /** Always null: no mail is sent to people a visitor names. */
  taf_emails_sent: number | null;
  /** Type of the page, as `Petition`. */
  type: string;
  /** Action fields. A change replaces only the names sent; a value may be a list. */
  fields: {
    [name: string]: unknown;
  };
  /** The event that was made. */
  event: string | null;
  /** URI of this object. */
  resource_uri: string;
};

export type Eventsignupaction = {
  id: number;
  /** URI of one related object. */
  user: string;
  /** URI of one related object. */
  page: string;
  /** URI of one related object. */
  mailing: string | null;
  /** URI of one related object. */
  referring_user: string | null;
  /** URI of one related object. */
  referring_mailing: string | null;
  source: string;
  link: number | null;
  opq_id: string;
  created_user: boolean;
  subscribed_user: boolean;
  is_forwarded: boolean;
  status: "incomplete" | "complete" | "failed";
  ip_address: string | null;
  /** The akid it was done with. */
  taken_with: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** Names the person and the mailing that led here. */
  akid: string;
  /** Always null: no mail is sent to people a visitor names. */
  taf_emails_sent: number | null;
  /** Type of the page, as `Petition`. */
  type: string;
  /** Action fields. A change replaces only the names sent; a value may be a list. */
  fields: {
    [name: string]: unknown;
  };
  /** The event the person comes to. */
  event: string | null;
  /** That they come; null once they have said so again. */
  eventsignup: string | null;
  /** URI of this object. */
  resource_uri: string;
};

export type DonationpageInput = {
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name: string;
  title?: string;
  status?: "active" | "inactive";
  /** Where people are led after an action. */
  url?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  goal?: number | null;
  goal_type?: string;
  fields?: {
    [name: string]: unknown;
  } | null;
  required_fields?: unknown[] | null;
  /** URI of one related object. */
  list?: string | number | null;
  /** URI of one related object. */
  language?: string | number | null;
  /** URI of one related object. */
  multilingual_campaign?: string | number | null;
  /** URIs of related objects. */
  tags?: (string | number)[] | null;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup?: {
    [name: string]: unknown;
  } | null;
  /** Where its payments are booked; a new page takes the first import-stub account unless it names one. */
  payment_account?: string | number | null;
};

export type Donationpage = {
  id: number;
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name: string;
  title: string;
  type: "signup" | "petition" | "unsubscribe" | "whipcount" | "donation" | "import" | "eventcreate" | "eventsignup";
  status: "active" | "inactive";
  /** Where people are led after an action. */
  url: string;
  hidden: boolean;
  goal: number | null;
  goal_type: string;
  fields: {
    [name: string]: unknown;
  };
  /** Fields a submission must fill beside email or akid. */
  required_fields: unknown[];
  /** URI of one related object. */
  list: string | null;
  /** URI of one related object. */
  language: string | null;
  /** URI of one related object. */
  multilingual_campaign: string | null;
  /** URIs of related objects. */
  tags: string[];
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of the action collection, filtered. */
  actions: string;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup: {
    [name: string]: unknown;
  } | null;
  /** URI of the texts the page is shown with. */
  cms_form: string | null;
  /** Where its payments are booked; a new page takes the first import-stub account unless it names one. */
  payment_account: string | null;
  /** URI of this object. */
  resource_uri: string;
};

export type DonationpageChange = {
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name?: string;
  title?: string;
  status?: "active" | "inactive";
  /** Where people are led after an action. */
  url?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  goal?: number | null;
  goal_type?: string;
  fields?: {
    [name: string]: unknown;
  } | null;
  required_fields?: unknown[] | null;
  /** URI of one related object. */
  list?: string | number | null;
  /** URI of one related object. */
  language?: string | number | null;
  /** URI of one related object. */
  multilingual_campaign?: string | number | null;
  /** URIs of related objects. */
  tags?: (string | number)[] | null;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup?: {
    [name: string]: unknown;
  } | null;
  /** Where its payments are booked; a new page takes the first import-stub account unless it names one. */
  payment_account?: string | number | null;
};

export type DonationformInput = {
  /** URI of one related object. */
  page: string | number;
  ask_text?: string;
  thank_you_text?: string;
  /** URIs of related objects. */
  products?: (string | number)[];
  /** URIs of related objects. */
  candidates?: (string | number)[];
  client_hosted?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  client_url?: string;
};

export type Donationform = {
  id: number;
  /** URI of one related object. */
  page: string;
  ask_text: string;
  thank_you_text: string;
  /** URIs of related objects. */
  products: string[];
  /** URIs of related objects. */
  candidates: string[];
  client_hosted: boolean;
  client_url: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type DonationformChange = {
  /** URI of one related object. */
  page?: string | number;
  ask_text?: string;
  thank_you_text?: string;
  /** URIs of related objects. */
  products?: (string | number)[];
  /** URIs of related objects. */
  candidates?: (string | number)[];
  client_hosted?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  client_url?: string;
};

export type Donationaction = {
  id: number;
  /** URI of one related object. */
  user: string;
  /** URI of one related object. */
  page: string;
  /** URI of one related object. */
  mailing: string | null;
  /** URI of one related object. */
  referring_user: string | null;
  /** URI of one related object. */
  referring_mailing: string | null;
  source: string;
  link: number | null;
  opq_id: string;
  created_user: boolean;
  subscribed_user: boolean;
  is_forwarded: boolean;
  status: "incomplete" | "complete" | "failed";
  ip_address: string | null;
  /** The akid it was done with. */
  taken_with: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** Names the person and the mailing that led here. */
  akid: string;
  /** Always null: no mail is sent to people a visitor names. */
  taf_emails_sent: number | null;
  /** Type of the page, as `Petition`. */
  type: string;
  /** Action fields. A change replaces only the names sent; a value may be a list. */
  fields: {
    [name: string]: unknown;
  };
  /** The donation itself. */
  order: {
    [name: string]: unknown;
  } | null;
  /** URI of this object. */
  resource_uri: string;
};

export type Donationattempt = {
  id: number;
  email: string;
  name: string;
  page: string;
  /** Which fields were wrong. */
  errors: {
    [name: string]: unknown;
  };
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type Order = {
  id: number;
  /** URI of one related object. */
  action: string;
  /** URI of one related object. */
  user: string;
  /** URI of one related object. */
  user_detail: string;
  /** Name of the payment account. */
  account: string;
  card_num_last_four: string;
  /** Three-letter ISO code. */
  currency: string;
  /** A decimal number as text, such as 10.00. */
  total: string;
  /** In US dollars. */
  total_converted: string;
  import_id: string | null;
  payment_method: string;
  status: "completed" | "reversed" | "failed" | "incomplete" | "pending";
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** Its parts. */
  orderdetails: string[];
  /** Its recurring profile, in a list. */
  orderrecurrings: string[];
  /** None: nothing is shipped from here. */
  shipping_address: string | null;
  /** URIs of related objects. */
  transactions: string[];
  /** POST here reverses it. */
  reverse: string;
  /** URI of this object. */
  resource_uri: string;
};

export type OrderChange = {
  /** URI of one related object. */
  action?: string | number;
  /** URI of one related object. */
  action_id?: string | number;
  /** Name of the payment account. */
  account?: string;
  /** Three-letter ISO code. */
  currency?: string;
  /** A decimal number as text, such as 10.00. */
  total?: string | number;
  import_id?: string | null;
  payment_method?: string;
  status?: "completed" | "reversed" | "failed" | "incomplete" | "pending" | "complete";
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at?: string;
};

export type Orderdetail = {
  id: number;
  /** URI of one related object. */
  order: string;
  /** URI of one related object. */
  candidate: string | null;
  /** URI of one related object. */
  product: string | null;
  quantity: number;
  /** A decimal number as text, such as 10.00. */
  amount: string;
  /** In US dollars. */
  amount_converted: string;
  currency: string;
  status: "completed" | "reversed" | "failed" | "incomplete" | "pending";
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type Orderuserdetail = {
  id: number;
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
  plus4: string;
  postal: string;
  country: string;
  source: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type OrderuserdetailChange = {
  email?: string;
  prefix?: string;
  first_name?: string;
  middle_name?: string;
  last_name?: string;
  suffix?: string;
  address1?: string;
  address2?: string;
  city?: string;
  state?: string;
  region?: string;
  zip?: string;
  plus4?: string;
  postal?: string;
  country?: string;
  source?: string;
};

export type Orderrecurring = {
  id: number;
  /** URI of one related object. */
  order: string;
  /** URI of one related object. */
  action: string;
  /** URI of one related object. */
  user: string;
  /** Name of the payment account. */
  account: string;
  recurring_id: string;
  exp_date: string;
  /** Its last four characters are kept. */
  card_num: string;
  /** A decimal number as text, such as 10.00. */
  amount: string;
  /** In US dollars. */
  amount_converted: string;
  /** Three-letter ISO code. */
  currency: string;
  period: "weeks" | "months";
  /** A day, YYYY-MM-DD. */
  start: string;
  status: "active" | "past_due" | "canceled_by_user" | "canceled_by_admin" | "canceled_by_processor" | "canceled_by_failure" | "canceled_by_expired";
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** POST here cancels it. */
  cancel: string;
  /** URI of this object. */
  resource_uri: string;
};

export type OrderrecurringChange = {
  /** Name of the payment account. */
  account?: string;
  recurring_id?: string;
  exp_date?: string;
  /** Its last four characters are kept. */
  card_num?: string;
  /** A decimal number as text, such as 10.00. */
  amount?: string | number;
  /** Three-letter ISO code. */
  currency?: string;
  period?: "weeks" | "months";
  recurring_period?: "weeks" | "months";
  /** A day, YYYY-MM-DD. */
  start?: string;
  /** A day, YYYY-MM-DD. */
  recurring_start?: string;
  status?: "active" | "past_due" | "canceled_by_user" | "canceled_by_admin" | "canceled_by_processor" | "canceled_by_failure" | "canceled_by_expired";
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at?: string;
};

export type TransactionInput = {
  type?: "sale" | "credit" | "recurring_order_create" | "recurring_order_update" | "recurring_order_cancel";
  /** URI of one related object. */
  order: string | number;
  /** Name of the payment account. */
  account?: string;
  /** A decimal number as text, such as 10.00. */
  amount: string | number;
  /** In US dollars. */
  amount_converted?: string | number;
  /** Three-letter ISO code. */
  currency?: string;
  success?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  status?: "completed" | "failed" | "reversed" | "complete";
  trans_id?: string;
  failure_code?: string;
  failure_description?: string;
  failure_message?: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at?: string;
};

export type Transaction = {
  id: number;
  type: "sale" | "credit" | "recurring_order_create" | "recurring_order_update" | "recurring_order_cancel";
  /** URI of one related object. */
  order: string;
  /** Name of the payment account. */
  account: string;
  /** A decimal number as text, such as 10.00. */
  amount: string;
  /** In US dollars. */
  amount_converted: string;
  /** Three-letter ISO code. */
  currency: string;
  success: boolean;
  status: "completed" | "failed" | "reversed";
  trans_id: string;
  failure_code: string;
  failure_description: string;
  failure_message: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** Always false: no money moves through here. */
  test_mode: boolean;
  /** POST here reverses it. */
  reverse: string;
  /** URI of this object. */
  resource_uri: string;
};

export type TransactionChange = {
  type?: "sale" | "credit" | "recurring_order_create" | "recurring_order_update" | "recurring_order_cancel";
  /** URI of one related object. */
  order?: string | number;
  /** Name of the payment account. */
  account?: string;
  /** A decimal number as text, such as 10.00. */
  amount?: string | number;
  /** In US dollars. */
  amount_converted?: string | number;
  /** Three-letter ISO code. */
  currency?: string;
  success?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  status?: "completed" | "failed" | "reversed" | "complete";
  trans_id?: string;
  failure_code?: string;
  failure_description?: string;
  failure_message?: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at?: string;
};

export type PaymentaccountInput = {
  name: string;
  processor?: string;
  /** Three-letter ISO code. */
  currency?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Paymentaccount = {
  id: number;
  name: string;
  processor: string;
  /** Three-letter ISO code. */
  currency: string;
  hidden: boolean;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type PaymentaccountChange = {
  name?: string;
  processor?: string;
  /** Three-letter ISO code. */
  currency?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type CandidateInput = {
  name: string;
  description?: string;
  portrait_url?: string;
  status?: "active" | "inactive";
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Candidate = {
  id: number;
  name: string;
  description: string;
  portrait_url: string;
  status: "active" | "inactive";
  hidden: boolean;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type CandidateChange = {
  name?: string;
  description?: string;
  portrait_url?: string;
  status?: "active" | "inactive";
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type ProductInput = {
  name: string;
  description?: string;
  /** A decimal number as text, such as 10.00. */
  price?: string;
  shippable?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  status?: "active" | "inactive";
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Product = {
  id: number;
  name: string;
  description: string;
  /** A decimal number as text, such as 10.00. */
  price: string;
  shippable: boolean;
  status: "active" | "inactive";
  hidden: boolean;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type ProductChange = {
  name?: string;
  description?: string;
  /** A decimal number as text, such as 10.00. */
  price?: string;
  shippable?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  status?: "active" | "inactive";
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type CurrencyInput = {
  /** Three-letter ISO code. */
  iso_code: string;
  name?: string;
  /** Units of this currency for one euro. */
  per_euro: string;
  /** A day, YYYY-MM-DD. */
  rate_date?: string | null;
};

export type Currency = {
  id: number;
  /** Three-letter ISO code. */
  iso_code: string;
  name: string;
  /** Units of this currency for one euro. */
  per_euro: string;
  /** A day, YYYY-MM-DD. */
  rate_date: string | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type CurrencyChange = {
  /** Three-letter ISO code. */
  iso_code?: string;
  name?: string;
  /** Units of this currency for one euro. */
  per_euro?: string;
  /** A day, YYYY-MM-DD. */
  rate_date?: string | null;
};

export type Backgroundtask = {
  id: number;
  short_name: string;
  format: "json" | "csv" | "tsv";
  status: "pending" | "running" | "completed" | "failed";
  /** Rows of the result. */
  row_count: number | null;
  /** Size of the result. */
  byte_count: number | null;
  /** Why it failed, why it is being tried again, or whom it could not be mailed to. */
  errors: unknown[];
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  started_at: string | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  finished_at: string | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  finished: boolean;
  /** Whether it is over, as finished. */
  completed: boolean;
  /** status: complete, failed, running or pending; download_uri: where the result is, or null; errors. */
  details: {
    [name: string]: unknown;
  };
  success: boolean;
  /** URI of the result, once there is one. */
  download: string | null;
  /** URI of this object. */
  resource_uri: string;
};

export type WhipcountpageInput = {
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name: string;
  title?: string;
  status?: "active" | "inactive";
  /** Where people are led after an action. */
  url?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  goal?: number | null;
  goal_type?: string;
  fields?: {
    [name: string]: unknown;
  } | null;
  required_fields?: unknown[] | null;
  /** URI of one related object. */
  list?: string | number | null;
  /** URI of one related object. */
  language?: string | number | null;
  /** URI of one related object. */
  multilingual_campaign?: string | number | null;
  /** URIs of related objects. */
  tags?: (string | number)[] | null;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup?: {
    [name: string]: unknown;
  } | null;
  hosted_with?: string | null;
  whipcountform?: {
    [name: string]: unknown;
  } | null;
  /** Written as URIs, shown as objects. */
  target_groups?: unknown[];
};

export type Whipcountpage = {
  id: number;
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name: string;
  title: string;
  type: "signup" | "petition" | "unsubscribe" | "whipcount" | "donation" | "import" | "eventcreate" | "eventsignup";
  status: "active" | "inactive";
  /** Where people are led after an action. */
  url: string;
  hidden: boolean;
  goal: number | null;
  goal_type: string;
  fields: {
    [name: string]: unknown;
  };
  /** Fields a submission must fill beside email or akid. */
  required_fields: unknown[];
  /** URI of one related object. */
  list: string | null;
  /** URI of one related object. */
  language: string | null;
  /** URI of one related object. */
  multilingual_campaign: string | null;
  /** URIs of related objects. */
  tags: string[];
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of the action collection, filtered. */
  actions: string;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup: {
    [name: string]: unknown;
  } | null;
  /** URI of its form. */
  cms_form: string | null;
  hosted_with: string | null;
  whipcountform: {
    [name: string]: unknown;
  } | null;
  /** Written as URIs, shown as objects. */
  target_groups: unknown[];
  /** URI of this object. */
  resource_uri: string;
};

export type WhipcountpageChange = {
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name?: string;
  title?: string;
  status?: "active" | "inactive";
  /** Where people are led after an action. */
  url?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  goal?: number | null;
  goal_type?: string;
  fields?: {
    [name: string]: unknown;
  } | null;
  required_fields?: unknown[] | null;
  /** URI of one related object. */
  list?: string | number | null;
  /** URI of one related object. */
  language?: string | number | null;
  /** URI of one related object. */
  multilingual_campaign?: string | number | null;
  /** URIs of related objects. */
  tags?: (string | number)[] | null;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup?: {
    [name: string]: unknown;
  } | null;
  hosted_with?: string | null;
  whipcountform?: {
    [name: string]: unknown;
  } | null;
  /** Written as URIs, shown as objects. */
  target_groups?: unknown[];
};

export type Whipcountform = {
  id: number;
  /** URI of one related object. */
  page: string;
  introduction_text: string;
  script_text: string;
  survey_question_text: string;
  thank_you_text: string;
  /** So many callers must have reported before a stance counts as known. */
  minimum_calls: number;
  /** Share of callers who must have reported the same, as a decimal string. */
  minimum_response_agreement: string;
  results_source: string;
  client_hosted: boolean;
  client_url: string;
  /** URI of what it is shown with. */
  templateset: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type WhipcountformChange = {
  introduction_text?: string;
  script_text?: string;
  survey_question_text?: string;
  thank_you_text?: string;
  /** So many callers must have reported before a stance counts as known. */
  minimum_calls?: number;
  /** Share of callers who must have reported the same, as a decimal string. */
  minimum_response_agreement?: string;
  results_source?: string;
  client_hosted?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  client_url?: string;
  /** URI of what it is shown with. */
  templateset?: string;
};

export type Whipcountactioncalled = {
  id: number;
  /** URI of one related object. */
  whipcountaction: string;
  /** The target, whole. */
  target: {
    [name: string]: unknown;
  };
  response: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type WhipcountactioncalledChange = {
  response?: string;
};

export type WhipcountoverrideInput = {
  /** URI of one related object. */
  page: string | number;
  /** URI of one related object. */
  target: string | number;
  stance: "uncommitted" | "supportive" | "opposed" | "message";
  note?: string;
};

export type Whipcountoverride = {
  id: number;
  /** URI of one related object. */
  page: string;
  /** URI of one related object. */
  target: string;
  stance: "uncommitted" | "supportive" | "opposed" | "message";
  note: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type WhipcountoverrideChange = {
  /** URI of one related object. */
  page?: string | number;
  /** URI of one related object. */
  target?: string | number;
  stance?: "uncommitted" | "supportive" | "opposed" | "message";
  note?: string;
};

export type TargetInput = {
  type: "senate" | "house" | "state_senate" | "state_house" | "executive" | "other";
  country?: string;
  state?: string;
  /** `CA_12` in the House, `CA_senior` or `CA_junior` in the Senate. */
  seat?: string;
  /** `CA_12`; at large is `AK_00`. */
  us_district?: string;
  first?: string;
  last?: string;
  gender?: string;
  party?: string;
  title?: string;
  long_title?: string;
  phone?: string;
  fax?: string;
  email?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Target = {
  id: number;
  type: "senate" | "house" | "state_senate" | "state_house" | "executive" | "other";
  country: string;
  state: string;
  /** `CA_12` in the House, `CA_senior` or `CA_junior` in the Senate. */
  seat: string;
  /** `CA_12`; at large is `AK_00`. */
  us_district: string;
  first: string;
  last: string;
  gender: string;
  party: string;
  title: string;
  long_title: string;
  phone: string;
  fax: string;
  email: string;
  hidden: boolean;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** From name, title and gender. */
  full_name: string;
  /** From name, title and gender. */
  title_full: string;
  /** From name, title and gender. */
  title_last: string;
  /** From name, title and gender. */
  they: string;
  /** From name, title and gender. */
  them: string;
  /** From name, title and gender. */
  their: string;
  /** From name, title and gender. */
  theirs: string;
  /** URI of this object. */
  resource_uri: string;
};

export type TargetChange = {
  type?: "senate" | "house" | "state_senate" | "state_house" | "executive" | "other";
  country?: string;
  state?: string;
  /** `CA_12` in the House, `CA_senior` or `CA_junior` in the Senate. */
  seat?: string;
  /** `CA_12`; at large is `AK_00`. */
  us_district?: string;
  first?: string;
  last?: string;
  gender?: string;
  party?: string;
  title?: string;
  long_title?: string;
  phone?: string;
  fax?: string;
  email?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Targetgroup = {
  id: number;
  name: string;
  type: "senate" | "house" | "congress" | "special";
  hidden: boolean;
  readonly: boolean;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of its full list of targets. */
  all: string;
  /** URI of this object. */
  resource_uri: string;
};

export type TargetgroupChange = {
  name?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** URIs of its targets. A change replaces them all. */
  targets?: (string | number)[];
};

export type CongresstargetgroupInput = {
  name: string;
  /** One of senate, house, congress. */
  type: "senate" | "house" | "congress" | "special";
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** URIs of its targets; `all` has the targets themselves, page by page. A change replaces them all. */
  targets?: (string | number)[];
};

export type Congresstargetgroup = {
  id: number;
  name: string;
  /** One of senate, house, congress. */
  type: "senate" | "house" | "congress" | "special";
  hidden: boolean;
  readonly: boolean;
  /** URIs of its targets; `all` has the targets themselves, page by page. A change replaces them all. */
  targets: string[];
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of its full list of targets. */
  all: string;
  /** URI of this object. */
  resource_uri: string;
};

export type CongresstargetgroupChange = {
  name?: string;
  /** One of senate, house, congress. */
  type?: "senate" | "house" | "congress" | "special";
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** URIs of its targets; `all` has the targets themselves, page by page. A change replaces them all. */
  targets?: (string | number)[];
};

export type SpecialtargetgroupInput = {
  name: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** URIs of its targets; `all` has the targets themselves, page by page. A change replaces them all. */
  targets?: (string | number)[];
};

export type Specialtargetgroup = {
  id: number;
  name: string;
  type: "senate" | "house" | "congress" | "special";
  hidden: boolean;
  readonly: boolean;
  /** URIs of its targets; `all` has the targets themselves, page by page. A change replaces them all. */
  targets: string[];
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of its full list of targets. */
  all: string;
  /** URI of this object. */
  resource_uri: string;
};

export type SpecialtargetgroupChange = {
  name?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** URIs of its targets; `all` has the targets themselves, page by page. A change replaces them all. */
  targets?: (string | number)[];
};

export type Tag = {
  id: number;
  name: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type FromlineInput = {
  from_line: string;
  is_default?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Fromline = {
  id: number;
  from_line: string;
  is_default: boolean;
  hidden: boolean;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type FromlineChange = {
  from_line?: string;
  is_default?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type EmailwrapperInput = {
  name: string;
  template?: string;
  text_template?: string;
  /** URI of one related object. */
  lang?: string | number | null;
  unsubscribe_text?: string;
  unsubscribe_html?: string;
  is_default?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Emailwrapper = {
  id: number;
  name: string;
  template: string;
  text_template: string;
  /** URI of one related object. */
  lang: string | null;
  unsubscribe_text: string;
  unsubscribe_html: string;
  is_default: boolean;
  hidden: boolean;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type EmailwrapperChange = {
  name?: string;
  template?: string;
  text_template?: string;
  /** URI of one related object. */
  lang?: string | number | null;
  unsubscribe_text?: string;
  unsubscribe_html?: string;
  is_default?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type SnippetInput = {
  /** As in {% include "name" %}. */
  name: string;
  /** What is included in HTML. */
  html?: string;
  /** What is included in text and subjects; made from the HTML where empty. */
  text?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Snippet = {
  id: number;
  /** As in {% include "name" %}. */
  name: string;
  /** What is included in HTML. */
  html: string;
  /** What is included in text and subjects; made from the HTML where empty. */
  text: string;
  hidden: boolean;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type SnippetChange = {
  /** As in {% include "name" %}. */
  name?: string;
  /** What is included in HTML. */
  html?: string;
  /** What is included in text and subjects; made from the HTML where empty. */
  text?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type QueryreportInput = {
  name: string;
  short_name: string;
  sql: string;
  /** What the SQL is written in; REPORT_DIALECT unless given. */
  dialect?: "postgresql" | "mysql";
  description?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Queryreport = {
  id: number;
  name: string;
  short_name: string;
  sql: string;
  /** What the SQL is written in; REPORT_DIALECT unless given. */
  dialect: "postgresql" | "mysql";
  description: string;
  hidden: boolean;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type QueryreportChange = {
  name?: string;
  short_name?: string;
  sql?: string;
  /** What the SQL is written in; REPORT_DIALECT unless given. */
  dialect?: "postgresql" | "mysql";
  description?: string;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Mergefile = {
  id: number;
  name: string;
  filename: string;
  status: "loaded";
  /** People it has a row for. */
  row_count: number;
  /** The column that says whose a row is. */
  lookup_column: "email" | "user_id" | "akid";
  /** Names templates show as row.name. */
  columns: string[];
  /** What was left out of the file and why; empty when nothing was. */
  error: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type RecurringscheduleInput = {
  /** A draft with subjects, HTML and a from line. It stays that of the schedule. */
  mailing: string | number;
  /** How often. */
  period?: "hourly" | "daily" | "weekly" | "monthly";
  /** Of the hour. */
  minute?: number;
  /** Of the day; not for hourly. */
  hour?: number;
  /** From 0, Sunday; for weekly. */
  weekday?: number;
  /** Of the month, 28 at most; for monthly. */
  day?: number;
  /** Name of the time zone hour and day are meant in. */
  timezone?: string;
  /** Without it the mailing is a draft and nothing goes out. */
  active?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Recurringschedule = {
  id: number;
  /** A draft with subjects, HTML and a from line. It stays that of the schedule. */
  mailing: string;
  /** How often. */
  period: "hourly" | "daily" | "weekly" | "monthly";
  /** Of the hour. */
  minute: number;
  /** Of the day; not for hourly. */
  hour: number;
  /** From 0, Sunday; for weekly. */
  weekday: number;
  /** Of the month, 28 at most; for monthly. */
  day: number;
  /** Name of the time zone hour and day are meant in. */
  timezone: string;
  /** Without it the mailing is a draft and nothing goes out. */
  active: boolean;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type RecurringscheduleChange = {
  /** A draft with subjects, HTML and a from line. It stays that of the schedule. */
  mailing?: string | number;
  /** How often. */
  period?: "hourly" | "daily" | "weekly" | "monthly";
  /** Of the hour. */
  minute?: number;
  /** Of the day; not for hourly. */
  hour?: number;
  /** From 0, Sunday; for weekly. */
  weekday?: number;
  /** Of the month, 28 at most; for monthly. */
  day?: number;
  /** Name of the time zone hour and day are meant in. */
  timezone?: string;
  /** Without it the mailing is a draft and nothing goes out. */
  active?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type MailingInput = {
  /** Of a mailing only notes, hidden, web_viewable, test_group, is_model are taken here. */
  notes?: string;
  web_viewable?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Mailings that are held against each other; a copy stays in it with keep_test_group. */
  test_group?: string | number | null;
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** true makes a draft a model, which is copied and never sent; false makes it a draft again. */
  is_model?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Mailing = {
  id: number;
  /** Of a mailing only notes, hidden, web_viewable, test_group, is_model are taken here. */
  notes: string;
  html: string;
  text: string;
  /** URI of one related object. */
  fromline: string | null;
  custom_fromline: string;
  reply_to: string;
  /** URI of one related object. */
  emailwrapper: string | null;
  /** URI of one related object. */
  lang: string | null;
  /** URI of one related object. */
  landing_page: string | null;
  /** URI of one related object. */
  mergefile: string | null;
  web_viewable: boolean;
  track_opens: boolean;
  track_clicks: boolean;
  /** Mailings that are held against each other; a copy stays in it with keep_test_group. */
  test_group: string | null;
  hidden: boolean;
  fields: unknown[];
  tags: string[];
  /** Whom it is for. The URI of its targeting fields. A new mailing takes these themselves, or the URI of another's, which it then has as that one has them now. */
  includes: string;
  /** Whom it is not for. The URI of its targeting fields. A new mailing takes these themselves, or the URI of another's, which it then has as that one has them now. */
  excludes: string;
  limit: number | null;
  sort_by: "zip" | "random" | null;
  mails_per_second: number | null;
  target_group_from_landing_page: boolean;
  target_mergefile: boolean;
  rebuild_query_at_send: boolean;
  targeting_version: number;
  targeting_version_saved: number | null;
  query_status: "none" | "cleared" | "failed" | "queued" | "rebuilding" | "saved" | "invalid";
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  query_queued_at: string | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  query_started_at: string | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  query_completed_at: string | null;
  query_previous_runtime: number | null;
  /** URIs of related objects. */
  reviewers: string[];
  proof_users: unknown[];
  requested_proofs: number;
  /** URI of one related object. */
  submitter: string | null;
  status: "draft" | "model" | "sending" | "scheduled" | "rebuilding_at_send" | "recurring" | "queued" | "completed" | "stopped" | "died";
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  scheduled_for: string | null;
  /** URI of one related object. */
  scheduled_by: string | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  queued_at: string | null;
  /** URI of one related object. */
  queued_by: string | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  started_at: string | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  finished_at: string | null;
  expected_send_count: number | null;
  /** URI of one related object. */
  recurring_source_mailing: string | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** With the ids the results go by. */
  subjects: {
    id: number;
    text: string;
    preview_text: string;
  }[];
  /** true makes a draft a model, which is copied and never sent; false makes it a draft again. */
  is_model: boolean;
  /** The same mailing in the mailer API. */
  mailer: string;
  /** URI of this object. */
  resource_uri: string;
};

export type MailerInput = {
  /** Assigned to the recipients evenly. */
  subjects: string[];
  /** One for each subject; the last stands for those missing. */
  preview_text?: string[];
  /** Template of the HTML version. */
  html?: string | null;
  /** Template of the text version; made from the HTML where empty. */
  text?: string | null;
  /** URI of a from line, an object {from_line} to find or create, or the line itself: "Name" <name@example.org>. */
  fromline?: string | number | {
    from_line?: string;
  } | null;
  /** A from line stored with this mailing alone. */
  custom_fromline?: string | null;
  /** Reply-To address. */
  reply_to?: string | null;
  /** An email wrapper. */
  emailwrapper?: string | number | null;
  /** A language. */
  lang?: string | number | null;
  /** A page. */
  landing_page?: string | number | null;
  /** Custom fields: {name, value} or {key, value} in a list, pairs in a list, or one object. */
  fields?: unknown;
  /** Notes. */
  notes?: string | null;
  /** Names of tags, found or created; URIs and ids are taken too. */
  tags?: string[];
  /** Whether it can be read on the web. */
  web_viewable?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** false leaves the open pixel out of this mailing. */
  track_opens?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** false leaves the links of this mailing as they are. */
  track_clicks?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Most users mailed. */
  limit?: number | null;
  /** In which order. */
  sort_by?: "zip" | "random" | null;
  /** May be fractional. */
  mails_per_second?: number | null;
  /** Only people whom a target of the landing page stands for. */
  target_group_from_landing_page?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Only people with a row in the mergefile. */
  target_mergefile?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** A merge file, whose rows templates may show. */
  mergefile?: string | number | null;
  /** Build the set of users anew right before sending. */
  rebuild_query_at_send?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Users who get proofs, as URIs. */
  reviewers?: (string | number)[];
  /** Users whom proofs are made for: URIs, ids or emails. */
  proof_users?: (string | number)[];
  /** Proofs sent per request. */
  requested_proofs?: number;
  /** An admin user, as a URI. */
  submitter?: string | null;
  /** An admin user, as a URI. */
  scheduled_by?: string | null;
  /** UTC; sending begins then, once the mailing has been queued. */
  scheduled_for?: string | null;
  /** Whom the mailing is for: everyone who matches every field. */
  includes?: {
    /** URIs of users. */
    users?: unknown[] | null;
    /** Names of lists. What is gone, by its id. */
    lists?: unknown[] | null;
    /** Two-letter codes of states. */
    states?: unknown[] | null;
    /** Names of countries. */
    countries?: unknown[] | null;
    /** Names of regions. */
    regions?: unknown[] | null;
    /** Five digits, the beginning of a zip with a star (100*), a range (10001-10099), or a city (Albany, NY). */
    zips?: unknown[] | null;
    /** Miles around the places in zips. */
    zip_radius?: number | null;
    /** Names of campaigns with a coming event near somebody. What is gone, by its id. */
    campaigns?: unknown[] | null;
    /** Miles between somebody and the event; 50 when it is not given. */
    campaign_radius?: number | null;
    /** Only events in the same state. */
    campaign_samestate_only?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off" | null;
    /** Only events in the same county. */
    campaign_same_county_only?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off" | null;
    /** Only events in the same congressional district. */
    campaign_same_district_only?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off" | null;
    /** URIs of target groups, one of whose targets stands for where somebody lives. */
    target_groups?: unknown[] | null;
    /** Names of counties. */
    counties?: unknown[] | null;
    /** Congressional districts, NY_12. */
    cds?: unknown[] | null;
    /** Districts of the lower house of a state, NY_012. */
    state_house_districts?: unknown[] | null;
    /** Districts of the senate of a state, NY_012. */
    state_senate_districts?: unknown[] | null;
    /** true: has given something that was not given back; false: has not. */
    has_donated?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off" | null;
    /** What is true of a monthly profile of theirs, or was. */
    was_monthly_donor?: unknown[] | null;
    /** Names of pages somebody took an action on. What is gone, by its id. */
    actions?: unknown[] | null;
    /** Names of tags of such pages. What is gone, by its id. */
    tags?: unknown[] | null;
    /** Names of languages. What is gone, by its id. */
    languages?: unknown[] | null;
    /** Ids of mailings somebody was sent. */
    mailings?: unknown[] | null;
    /** SELECT statements that give user ids in their first column: PostgreSQL, or objects with sql and dialect. */
    raw_sql?: unknown[] | null;
    /** Saved reports that give user ids in their first column. */
    query_reports?: {
      short_name: string;
      params: {
        [name: string]: unknown;
      };
    }[] | null;
  };
  /** Whom it is not for: everyone who matches any field. */
  excludes?: {
    /** URIs of users. */
    users?: unknown[] | null;
    /** Names of lists. What is gone, by its id. */
    lists?: unknown[] | null;
    /** Two-letter codes of states. */
    states?: unknown[] | null;
    /** Names of countries. */
    countries?: unknown[] | null;
    /** Names of regions. */
    regions?: unknown[] | null;
    /** Five digits, the beginning of a zip with a star (100*), a range (10001-10099), or a city (Albany, NY). */
    zips?: unknown[] | null;
    /** Miles around the places in zips. */
    zip_radius?: number | null;
    /** Names of campaigns with a coming event near somebody. What is gone, by its id. */
    campaigns?: unknown[] | null;
    /** Miles between somebody and the event; 50 when it is not given. */
    campaign_radius?: number | null;
    /** Only events in the same state. */
    campaign_samestate_only?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off" | null;
    /** Only events in the same county. */
    campaign_same_county_only?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off" | null;
    /** Only events in the same congressional district. */
    campaign_same_district_only?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off" | null;
    /** URIs of target groups, one of whose targets stands for where somebody lives. */
    target_groups?: unknown[] | null;
    /** Names of counties. */
    counties?: unknown[] | null;
    /** Congressional districts, NY_12. */
    cds?: unknown[] | null;
    /** Districts of the lower house of a state, NY_012. */
    state_house_districts?: unknown[] | null;
    /** Districts of the senate of a state, NY_012. */
    state_senate_districts?: unknown[] | null;
    /** true: has given something that was not given back; false: has not. */
    has_donated?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off" | null;
    /** What is true of a monthly profile of theirs, or was. */
    was_monthly_donor?: unknown[] | null;
    /** Names of pages somebody took an action on. What is gone, by its id. */
    actions?: unknown[] | null;
    /** Names of tags of such pages. What is gone, by its id. */
    tags?: unknown[] | null;
    /** Names of languages. What is gone, by its id. */
    languages?: unknown[] | null;
    /** Ids of mailings somebody was sent. */
    mailings?: unknown[] | null;
    /** SELECT statements that give user ids in their first column: PostgreSQL, or objects with sql and dialect. */
    raw_sql?: unknown[] | null;
    /** Saved reports that give user ids in their first column. */
    query_reports?: {
      short_name: string;
      params: {
        [name: string]: unknown;
      };
    }[] | null;
  };
  /** When it is not the stored one, the answer is 409 and nothing changes. */
  targeting_version?: number;
};

export type Mailer = {
  id: number;
  notes: string;
  /** Template of the HTML version. */
  html: string;
  /** Template of the text version; made from the HTML where empty. */
  text: string;
  /** The from line. Taken as a URI, as an object {from_line} to find or create, or as the line itself. */
  fromline: string;
  /** A from line stored with this mailing alone; it goes before fromline. */
  custom_fromline: string;
  /** Reply-To address. */
  reply_to: string;
  /** URI of one related object. */
  emailwrapper: string | null;
  /** URI of one related object. */
  lang: string | null;
  /** URI of one related object. */
  landing_page: string | null;
  /** A file with a row of values for each of some people; templates show them as row.name. */
  mergefile: string | null;
  web_viewable: boolean;
  /** false leaves the open pixel out of this mailing. */
  track_opens: boolean;
  /** false leaves the links of this mailing as they are. */
  track_clicks: boolean;
  /** Not shown in lists of the user interface. */
  hidden: boolean;
  /** Custom fields of the mailing, as {name, value}. Taken also as {key, value}, as pairs, or as one object. */
  fields: {
    name: string;
    value: string;
  }[];
  /** Names of tags; found or created. */
  tags: string[];
  /** Whom the mailing is for: everyone who matches every field. */
  includes: {
    /** URIs of users. */
    users?: string[];
    /** Names of lists. What is gone, by its id. */
    lists?: (string | number)[];
    /** Two-letter codes of states. */
    states?: string[];
    /** Names of countries. */
    countries?: string[];
    /** Names of regions. */
    regions?: string[];
    /** Five digits, the beginning of a zip with a star (100*), a range (10001-10099), or a city (Albany, NY). */
    zips?: string[];
    /** Miles around the places in zips. */
    zip_radius?: number;
    /** Names of counties. */
    counties?: string[];
    /** Congressional districts, NY_12. */
    cds?: string[];
    /** Districts of the lower house of a state, NY_012. */
    state_house_districts?: string[];
    /** Districts of the senate of a state, NY_012. */
    state_senate_districts?: string[];
    /** true: has given something that was not given back; false: has not. */
    has_donated?: boolean;
    /** What is true of a monthly profile of theirs, or was. */
    was_monthly_donor?: ("active" | "any" | "expires_this_month" | "expired_last_month" | "canceled_last_7_days")[];
    /** Names of pages somebody took an action on. What is gone, by its id. */
    actions?: (string | number)[];
    /** Names of tags of such pages. What is gone, by its id. */
    tags?: (string | number)[];
    /** Names of campaigns with a coming event near somebody. What is gone, by its id. */
    campaigns?: (string | number)[];
    /** Miles between somebody and the event; 50 when it is not given. */
    campaign_radius?: number;
    /** Only events in the same state. */
    campaign_samestate_only?: boolean;
    /** Only events in the same county. */
    campaign_same_county_only?: boolean;
    /** Only events in the same congressional district. */
    campaign_same_district_only?: boolean;
    /** URIs of target groups, one of whose targets stands for where somebody lives. */
    target_groups?: string[];
    /** Names of languages. What is gone, by its id. */
    languages?: (string | number)[];
    /** Ids of mailings somebody was sent. */
    mailings?: number[];
    /** SELECT statements that give user ids in their first column: PostgreSQL, or objects with sql and dialect. */
    raw_sql?: (string | {
      sql: string;
      dialect: "postgresql" | "mysql";
    })[];
    /** Saved reports that give user ids in their first column. */
    query_reports?: {
      short_name: string;
      params: {
        [name: string]: unknown;
      };
    }[];
  };
  /** Whom it is not for: everyone who matches any field. */
  excludes: {
    /** URIs of users. */
    users?: string[];
    /** Names of lists. What is gone, by its id. */
    lists?: (string | number)[];
    /** Two-letter codes of states. */
    states?: string[];
    /** Names of countries. */
    countries?: string[];
    /** Names of regions. */
    regions?: string[];
    /** Five digits, the beginning of a zip with a star (100*), a range (10001-10099), or a city (Albany, NY). */
    zips?: string[];
    /** Miles around the places in zips. */
    zip_radius?: number;
    /** Names of counties. */
    counties?: string[];
    /** Congressional districts, NY_12. */
    cds?: string[];
    /** Districts of the lower house of a state, NY_012. */
    state_house_districts?: string[];
    /** Districts of the senate of a state, NY_012. */
    state_senate_districts?: string[];
    /** true: has given something that was not given back; false: has not. */
    has_donated?: boolean;
    /** What is true of a monthly profile of theirs, or was. */
    was_monthly_donor?: ("active" | "any" | "expires_this_month" | "expired_last_month" | "canceled_last_7_days")[];
    /** Names of pages somebody took an action on. What is gone, by its id. */
    actions?: (string | number)[];
    /** Names of tags of such pages. What is gone, by its id. */
    tags?: (string | number)[];
    /** Names of campaigns with a coming event near somebody. What is gone, by its id. */
    campaigns?: (string | number)[];
    /** Miles between somebody and the event; 50 when it is not given. */
    campaign_radius?: number;
    /** Only events in the same state. */
    campaign_samestate_only?: boolean;
    /** Only events in the same county. */
    campaign_same_county_only?: boolean;
    /** Only events in the same congressional district. */
    campaign_same_district_only?: boolean;
    /** URIs of target groups, one of whose targets stands for where somebody lives. */
    target_groups?: string[];
    /** Names of languages. What is gone, by its id. */
    languages?: (string | number)[];
    /** Ids of mailings somebody was sent. */
    mailings?: number[];
    /** SELECT statements that give user ids in their first column: PostgreSQL, or objects with sql and dialect. */
    raw_sql?: (string | {
      sql: string;
      dialect: "postgresql" | "mysql";
    })[];
    /** Saved reports that give user ids in their first column. */
    query_reports?: {
      short_name: string;
      params: {
        [name: string]: unknown;
      };
    }[];
  };
  /** Most users mailed. */
  limit: number | null;
  /** In which order they are mailed, and who is left out beyond the limit. */
  sort_by: "zip" | "random" | null;
  /** May be fractional. Without it the instance's SEND_MAX_RATE; where that is not set, as fast as the workers and the relay allow. */
  mails_per_second: number | null;
  target_group_from_landing_page: boolean;
  target_mergefile: boolean;
  rebuild_query_at_send: boolean;
  /** Goes up with each change of targeting. Sent with a PATCH it is a guard: 409 when it is not the stored one. */
  targeting_version: number;
  /** Version of the saved set of users; when it is another, rebuild. */
  targeting_version_saved: number | null;
  /** Where the saved set of users stands. */
  query_status: "none" | "cleared" | "failed" | "queued" | "rebuilding" | "saved" | "invalid";
  /** When the last rebuild was asked for. */
  query_queued_at: string | null;
  /** When it began. */
  query_started_at: string | null;
  /** When it ended. */
  query_completed_at: string | null;
  /** Seconds the last successful rebuild took. */
  query_previous_runtime: number | null;
  /** Users who get proofs, and a final one on send. */
  reviewers: string[];
  /** Users whom proofs are made for. */
  proof_users: string[];
  requested_proofs: number;
  /** URI of one related object. */
  submitter: string | null;
  /** Where the mailing stands. */
  status: "draft" | "model" | "sending" | "scheduled" | "rebuilding_at_send" | "recurring" | "queued" | "completed" | "stopped" | "died";
  /** UTC. Sending begins then, once the mailing has been queued. */
  scheduled_for: string | null;
  /** URI of one related object. */
  scheduled_by: string | null;
  /** When it was queued. */
  queued_at: string | null;
  /** Who queued it. */
  queued_by: string | null;
  /** When sending began. */
  started_at: string | null;
  /** When sending ended. */
  finished_at: string | null;
  /** Users in the set right before sending. */
  expected_send_count: number | null;
  /** The recurring mailing it was copied from. */
  recurring_source_mailing: string | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** Assigned to the recipients evenly. */
  subjects: string[];
  /** One for each subject; the last stands for those missing. */
  preview_text: string[];
  /** The same as expected_send_count. */
  expected_sent_count: number | null;
  /** When it goes out again and again. */
  recurring_schedule: string | null;
  /** The low-level mailing. */
  mailing_uri: string;
  /** Where it stands, in short. */
  status_uri: string;
  /** POST builds the set of users. */
  rebuild: string;
  /** POST sends proofs. */
  proofs: string;
  /** POST sends or schedules it. */
  queue: string;
  /** How far sending is. */
  progress: string;
  /** POST stops it. */
  stop: string;
  /** What came of it. */
  results: string;
  /** POST makes a copy. */
  copy: string;
  /** URI of this object. */
  resource_uri: string;
};

export type MailerChange = {
  /** Assigned to the recipients evenly. */
  subjects?: string[];
  /** One for each subject; the last stands for those missing. */
  preview_text?: string[];
  /** Template of the HTML version. */
  html?: string | null;
  /** Template of the text version; made from the HTML where empty. */
  text?: string | null;
  /** URI of a from line, an object {from_line} to find or create, or the line itself: "Name" <name@example.org>. */
  fromline?: string | number | {
    from_line?: string;
  } | null;
  /** A from line stored with this mailing alone. */
  custom_fromline?: string | null;
  /** Reply-To address. */
  reply_to?: string | null;
  /** An email wrapper. */
  emailwrapper?: string | number | null;
  /** A language. */
  lang?: string | number | null;
  /** A page. */
  landing_page?: string | number | null;
  /** Custom fields: {name, value} or {key, value} in a list, pairs in a list, or one object. */
  fields?: unknown;
  /** Notes. */
  notes?: string | null;
  /** Names of tags, found or created; URIs and ids are taken too. */
  tags?: string[];
  /** Whether it can be read on the web. */
  web_viewable?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** false leaves the open pixel out of this mailing. */
  track_opens?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** false leaves the links of this mailing as they are. */
  track_clicks?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Most users mailed. */
  limit?: number | null;
  /** In which order. */
  sort_by?: "zip" | "random" | null;
  /** May be fractional. */
  mails_per_second?: number | null;
  /** Only people whom a target of the landing page stands for. */
  target_group_from_landing_page?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Only people with a row in the mergefile. */
  target_mergefile?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** A merge file, whose rows templates may show. */
  mergefile?: string | number | null;
  /** Build the set of users anew right before sending. */
  rebuild_query_at_send?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Users who get proofs, as URIs. */
  reviewers?: (string | number)[];
  /** Users whom proofs are made for: URIs, ids or emails. */
  proof_users?: (string | number)[];
  /** Proofs sent per request. */
  requested_proofs?: number;
  /** An admin user, as a URI. */
  submitter?: string | null;
  /** An admin user, as a URI. */
  scheduled_by?: string | null;
  /** UTC; sending begins then, once the mailing has been queued. */
  scheduled_for?: string | null;
  /** Whom the mailing is for: everyone who matches every field. */
  includes?: {
    /** URIs of users. */
    users?: unknown[] | null;
    /** Names of lists. What is gone, by its id. */
    lists?: unknown[] | null;
    /** Two-letter codes of states. */
    states?: unknown[] | null;
    /** Names of countries. */
    countries?: unknown[] | null;
    /** Names of regions. */
    regions?: unknown[] | null;
    /** Five digits, the beginning of a zip with a star (100*), a range (10001-10099), or a city (Albany, NY). */
    zips?: unknown[] | null;
    /** Miles around the places in zips. */
    zip_radius?: number | null;
    /** Names of campaigns with a coming event near somebody. What is gone, by its id. */
    campaigns?: unknown[] | null;
    /** Miles between somebody and the event; 50 when it is not given. */
    campaign_radius?: number | null;
    /** Only events in the same state. */
    campaign_samestate_only?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off" | null;
    /** Only events in the same county. */
    campaign_same_county_only?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off" | null;
    /** Only events in the same congressional district. */
    campaign_same_district_only?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off" | null;
    /** URIs of target groups, one of whose targets stands for where somebody lives. */
    target_groups?: unknown[] | null;
    /** Names of counties. */
    counties?: unknown[] | null;
    /** Congressional districts, NY_12. */
    cds?: unknown[] | null;
    /** Districts of the lower house of a state, NY_012. */
    state_house_districts?: unknown[] | null;
    /** Districts of the senate of a state, NY_012. */
    state_senate_districts?: unknown[] | null;
    /** true: has given something that was not given back; false: has not. */
    has_donated?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off" | null;
    /** What is true of a monthly profile of theirs, or was. */
    was_monthly_donor?: unknown[] | null;
    /** Names of pages somebody took an action on. What is gone, by its id. */
    actions?: unknown[] | null;
    /** Names of tags of such pages. What is gone, by its id. */
    tags?: unknown[] | null;
    /** Names of languages. What is gone, by its id. */
    languages?: unknown[] | null;
    /** Ids of mailings somebody was sent. */
    mailings?: unknown[] | null;
    /** SELECT statements that give user ids in their first column: PostgreSQL, or objects with sql and dialect. */
    raw_sql?: unknown[] | null;
    /** Saved reports that give user ids in their first column. */
    query_reports?: {
      short_name: string;
      params: {
        [name: string]: unknown;
      };
    }[] | null;
  };
  /** Whom it is not for: everyone who matches any field. */
  excludes?: {
    /** URIs of users. */
    users?: unknown[] | null;
    /** Names of lists. What is gone, by its id. */
    lists?: unknown[] | null;
    /** Two-letter codes of states. */
    states?: unknown[] | null;
    /** Names of countries. */
    countries?: unknown[] | null;
    /** Names of regions. */
    regions?: unknown[] | null;
    /** Five digits, the beginning of a zip with a star (100*), a range (10001-10099), or a city (Albany, NY). */
    zips?: unknown[] | null;
    /** Miles around the places in zips. */
    zip_radius?: number | null;
    /** Names of campaigns with a coming event near somebody. What is gone, by its id. */
    campaigns?: unknown[] | null;
    /** Miles between somebody and the event; 50 when it is not given. */
    campaign_radius?: number | null;
    /** Only events in the same state. */
    campaign_samestate_only?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off" | null;
    /** Only events in the same county. */
    campaign_same_county_only?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off" | null;
    /** Only events in the same congressional district. */
    campaign_same_district_only?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off" | null;
    /** URIs of target groups, one of whose targets stands for where somebody lives. */
    target_groups?: unknown[] | null;
    /** Names of counties. */
    counties?: unknown[] | null;
    /** Congressional districts, NY_12. */
    cds?: unknown[] | null;
    /** Districts of the lower house of a state, NY_012. */
    state_house_districts?: unknown[] | null;
    /** Districts of the senate of a state, NY_012. */
    state_senate_districts?: unknown[] | null;
    /** true: has given something that was not given back; false: has not. */
    has_donated?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off" | null;
    /** What is true of a monthly profile of theirs, or was. */
    was_monthly_donor?: unknown[] | null;
    /** Names of pages somebody took an action on. What is gone, by its id. */
    actions?: unknown[] | null;
    /** Names of tags of such pages. What is gone, by its id. */
    tags?: unknown[] | null;
    /** Names of languages. What is gone, by its id. */
    languages?: unknown[] | null;
    /** Ids of mailings somebody was sent. */
    mailings?: unknown[] | null;
    /** SELECT statements that give user ids in their first column: PostgreSQL, or objects with sql and dialect. */
    raw_sql?: unknown[] | null;
    /** Saved reports that give user ids in their first column. */
    query_reports?: {
      short_name: string;
      params: {
        [name: string]: unknown;
      };
    }[] | null;
  };
  /** When it is not the stored one, the answer is 409 and nothing changes. */
  targeting_version?: number;
};

export type CrmmapInput = {
  /** A string of digits will do. */
  user_id: number;
};

export type Crmmap = {
  id: number;
  /** URI of one related object. */
  user: string | null;
  /** Id of the contact in the CRM; null until it is known. */
  crm_id: string | null;
  /** How the contact was found: by the stored id, by email, or created. */
  match_type: "id" | "email" | "created" | null;
  status: "pending" | "synced" | "failed" | "disconnected";
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  last_sync_at: string | null;
  /** What the CRM said when the last sync did not succeed; empty when it did. */
  last_error: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** Id of the user; null once the user is gone. */
  user_id: number | null;
  /** URI of this object. */
  resource_uri: string;
};

export type PartnerusermapInput = {
  /** Id of the user; one mapping each. */
  user_id: string | number;
  /** Id of the contact in the external system. */
  partner_contact_id: number;
};

export type Partnerusermap = {
  id: number;
  /** Id of the user; one mapping each. */
  user_id: number;
  /** Id of the contact in the external system. */
  partner_contact_id: number;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type PartnerusermapChange = {
  /** Id of the user; one mapping each. */
  user_id?: string | number;
  /** Id of the contact in the external system. */
  partner_contact_id?: number;
};

export type PartnerordermapInput = {
  /** Id of the order; one mapping each. */
  order_id: string | number;
  /** Id of the contribution in the external system. */
  contribution_id: number;
};

export type Partnerordermap = {
  id: number;
  /** Id of the order; one mapping each. */
  order_id: number;
  /** Id of the contribution in the external system. */
  contribution_id: number;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type PartnerordermapChange = {
  /** Id of the order; one mapping each. */
  order_id?: string | number;
  /** Id of the contribution in the external system. */
  contribution_id?: number;
};

export type PartnertransactionmapInput = {
  /** Id of the transaction; one mapping each. */
  transaction_id: string | number;
  /** Id of the contribution in the external system. */
  contribution_id: number;
};

export type Partnertransactionmap = {
  id: number;
  /** Id of the transaction; one mapping each. */
  transaction_id: number;
  /** Id of the contribution in the external system. */
  contribution_id: number;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type PartnertransactionmapChange = {
  /** Id of the transaction; one mapping each. */
  transaction_id?: string | number;
  /** Id of the contribution in the external system. */
  contribution_id?: number;
};

export type WebhookInput = {
  url: string;
  description?: string;
  /** Of what it is told: mailing.completed, mailing.stopped, mailing.died, action, donation, unsubscribe, bounce, complaint. */
  events: unknown[];
  active?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** whsec_ and 24 to 64 bytes in base64; deliveries are signed with it as Standard Webhooks has it. Never shown. */
  secret: string;
};

export type Webhook = {
  id: number;
  url: string;
  description: string;
  /** Of what it is told: mailing.completed, mailing.stopped, mailing.died, action, donation, unsubscribe, bounce, complaint. */
  events: ("mailing.completed" | "mailing.stopped" | "mailing.died" | "action" | "donation" | "unsubscribe" | "bounce" | "complaint")[];
  active: boolean;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of the webhookdelivery collection, filtered. */
  deliveries: string;
  /** URI of this object. */
  resource_uri: string;
};

export type WebhookChange = {
  url?: string;
  description?: string;
  /** Of what it is told: mailing.completed, mailing.stopped, mailing.died, action, donation, unsubscribe, bounce, complaint. */
  events?: unknown[];
  active?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** whsec_ and 24 to 64 bytes in base64; deliveries are signed with it as Standard Webhooks has it. Never shown. */
  secret?: string;
};

export type Webhookdelivery = {
  id: number;
  /** URI of one related object. */
  webhook: string;
  event: string;
  /** What it is about: a resource and an id. */
  resource: string;
  resource_id: number;
  status: "pending" | "delivered" | "failed";
  attempts: number;
  /** Of the last answer; null when none came. */
  last_status: number | null;
  last_error: string;
  /** Not tried before. */
  next_at: string;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  tried_at: string | null;
  /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type Mailingtargeting = {
  id: number;
  resource_uri: string;
  mailing: string;
  side: "includes" | "excludes";
  /** URIs of users. */
  users?: string[];
  /** Names of lists. What is gone, by its id. */
  lists?: (string | number)[];
  /** Two-letter codes of states. */
  states?: string[];
  /** Names of countries. */
  countries?: string[];
  /** Names of regions. */
  regions?: string[];
  /** Five digits, the beginning of a zip with a star (100*), a range (10001-10099), or a city (Albany, NY). */
  zips?: string[];
  /** Miles around the places in zips. */
  zip_radius?: number;
  /** Names of counties. */
  counties?: string[];
  /** Congressional districts, NY_12. */
  cds?: string[];
  /** Districts of the lower house of a state, NY_012. */
  state_house_districts?: string[];
  /** Districts of the senate of a state, NY_012. */
  state_senate_districts?: string[];
  /** true: has given something that was not given back; false: has not. */
  has_donated?: boolean;
  /** What is true of a monthly profile of theirs, or was. */
  was_monthly_donor?: ("active" | "any" | "expires_this_month" | "expired_last_month" | "canceled_last_7_days")[];
  /** Names of pages somebody took an action on. What is gone, by its id. */
  actions?: (string | number)[];
  /** Names of tags of such pages. What is gone, by its id. */
  tags?: (string | number)[];
  /** Names of campaigns with a coming event near somebody. What is gone, by its id. */
  campaigns?: (string | number)[];
  /** Miles between somebody and the event; 50 when it is not given. */
  campaign_radius?: number;
  /** Only events in the same state. */
  campaign_samestate_only?: boolean;
  /** Only events in the same county. */
  campaign_same_county_only?: boolean;
  /** Only events in the same congressional district. */
  campaign_same_district_only?: boolean;
  /** URIs of target groups, one of whose targets stands for where somebody lives. */
  target_groups?: string[];
  /** Names of languages. What is gone, by its id. */
  languages?: (string | number)[];
  /** Ids of mailings somebody was sent. */
  mailings?: number[];
  /** SELECT statements that give user ids in their first column: PostgreSQL, or objects with sql and dialect. */
  raw_sql?: (string | {
    sql: string;
    dialect: "postgresql" | "mysql";
  })[];
  /** Saved reports that give user ids in their first column. */
  query_reports?: {
    short_name: string;
    params: {
      [name: string]: unknown;
    };
  }[];
};

export type Sentmail = {
  /** As core_usermailing.id in reports. */
  id: number;
  /** Null of one who was deleted since, or merged with somebody else in the mailing. */
  user: string | null;
  mailing: string;
  subject: string;
  created_at: string;
  resource_uri: string;
};

export type DonationpushInput = {
  /** With any field of the donation page resource, for a page that is made. */
  donationpage: {
    /** Made when there is none. */
    name: string;
    /** Name of an import-stub account, for a page that is made. */
    payment_account?: string;
  };
  order: {
    /** Required unless orderdetails carry amounts; all of them add up to the total. */
    amount?: string;
    /** Not a real card number; its last four characters are kept. */
    card_num: string;
    /** Always 007. */
    card_code: "007";
    /** Two digits. */
    exp_date_month: string;
    /** Four digits. */
    exp_date_year: string;
    orderdetails?: ({
      candidate: {
        id?: number | string;
        /** Found, or made. */
        name?: string;
      };
      /** A decimal as text, such as "10.00". */
      amount: string;
    })[];
    /** Of the order, the action and a user that is made. */
    created_at?: string;
    /** Of the order alone. */
    donation_date?: string;
    /** Name of an import-stub account, in place of that of the page. */
    payment_account?: string;
    /** A second push with it is a 409. */
    donation_import_id?: string;
    /** The same as donation_import_id. */
    import_id?: string;
    /** Three-letter ISO code; default that of the account. */
    currency?: string;
    /** @deprecated Use currency. */
    donation_currency?: string;
    /** In US dollars, in place of a conversion at the stored rates. */
    total_converted?: string;
    /** Of the transaction elsewhere. */
    trans_id?: string;
    /** Of the profile elsewhere; makes a recurring profile. */
    recurring_id?: string;
    recurring_period?: "weeks" | "months";
    /** Day charges start; default today plus one period plus one day. */
    recurring_start?: string;
  };
  user: {
    email?: string;
    akid?: string;
    prefix?: string;
    first_name?: string;
    middle_name?: string;
    last_name?: string;
    suffix?: string;
    address1?: string;
    address2?: string;
    city?: string;
    state?: string;
    region?: string;
    zip?: string;
    plus4?: string;
    postal?: string;
    country?: string;
    source?: string;
    /** Custom user fields; a prefix user_ is removed. */
    fields?: {
      [name: string]: unknown;
    };
    /** Ids or {name} objects; default the list of the page, empty for none. */
    lists?: unknown[];
    [name: string]: unknown;
  };
  action?: {
    /** A timestamp in UTC. */
    created_at?: string;
    source?: string;
    fields?: {
      [name: string]: unknown;
    };
    skip_confirmation?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  };
};

export type RecurringpaymentpushInput = {
  /** Of the order the profile came with; wins over recurring_id. */
  order_id?: number | string;
  /** Of the profile elsewhere; refused where several profiles have it. */
  recurring_id?: string;
  /** A timestamp in UTC. */
  created_at?: string;
  trans_id?: string;
  /** A decimal as text, such as "10.00". */
  amount?: string;
  /** Three-letter ISO code. */
  currency?: string;
  success?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  status?: "completed" | "failed" | "reversed" | "complete";
  failure_code?: string;
  failure_description?: string;
  failure_message?: string;
};

export type ProfileupdatepushInput = {
  /** Of the order the profile came with; wins over recurring_id. */
  order_id?: number | string;
  /** Of the profile elsewhere; refused where several profiles have it. */
  recurring_id?: string;
  /** A timestamp in UTC. */
  created_at?: string;
  trans_id?: string;
  amount?: string | number;
  /** Three-letter ISO code. */
  currency?: string;
  recurring_period?: "weeks" | "months";
  /** A day. */
  recurring_start?: string;
  /** Its last four characters are kept. */
  card_num?: string;
  /** MM */
  exp_date_month?: string;
  /** YY */
  exp_date_year?: string;
  /** MMYY */
  exp_date?: string;
};

export type ProfilecancelpushInput = {
  /** Of the order the profile came with; wins over recurring_id. */
  order_id?: number | string;
  /** Of the profile elsewhere; refused where several profiles have it. */
  recurring_id?: string;
  /** A timestamp in UTC. */
  created_at?: string;
  trans_id?: string;
  canceled_by: "user" | "admin" | "processor" | "failure" | "expired";
};

export type EraserInput = {
  user_id?: number;
  email?: string;
  /** Clears the names and addresses kept with orders and donation attempts. */
  order_user_details?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Deletes custom user fields. */
  user_fields?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Deletes custom fields of actions and events. */
  action_fields?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Clears the address from confirmations sent. */
  transactional_mailings?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

/** What each resource gives and takes. */
export interface Resources {
  authuser: {
    listed: Authuser;
    read: Authuser;
    created: AuthuserInput;
    changed: AuthuserChange;
    deleted: true;
  };
  authgroup: {
    listed: Authgroup;
    read: Authgroup;
    created: AuthgroupInput;
    changed: AuthgroupChange;
    deleted: true;
  };
  auditlog: {
    listed: Auditlog;
    read: Auditlog;
  };
  user: {
    listed: User;
    read: User;
    created: UserInput;
    changed: UserChange;
    deleted: true;
  };
  alloweduserfield: {
    listed: Alloweduserfield;
    read: Alloweduserfield;
    created: AlloweduserfieldInput;
    changed: AlloweduserfieldChange;
    deleted: true;
  };
  userfield: {
    listed: Userfield;
    read: Userfield;
    created: UserfieldInput;
    changed: UserfieldChange;
    deleted: true;
  };
  usergroup: {
    listed: Usergroup;
    read: Usergroup;
    created: UsergroupInput;
    changed: UsergroupChange;
    deleted: true;
  };
  usergeofield: {
    listed: Usergeofield;
    read: Usergeofield;
    created: UsergeofieldInput;
    changed: UsergeofieldChange;
    deleted: true;
  };
  phone: {
    listed: Phone;
    read: Phone;
    created: PhoneInput;
    changed: PhoneChange;
    deleted: true;
  };
  location: {
    listed: Location;
    read: Location;
  };
  useroriginal: {
    listed: Useroriginal;
    read: Useroriginal;
  };
  usermerge: {
    listed: Usermerge;
    read: Usermerge;
    created: UsermergeInput;
  };
  upload: {
    listed: Upload;
    read: Upload;
  };
  uploaderror: {
    listed: Uploaderror;
    read: Uploaderror;
  };
  bounce: {
    listed: Bounce;
    read: Bounce;
  };
  list: {
    listed: List;
    read: List;
    created: ListInput;
    changed: ListChange;
    deleted: true;
  };
  listdeletion: {
    listed: Listdeletion;
    read: Listdeletion;
  };
  subscription: {
    listed: Subscription;
    read: Subscription;
    created: SubscriptionInput;
    deleted: true;
  };
  subscriptionhistory: {
    listed: Subscriptionhistory;
    read: Subscriptionhistory;
  };
  blackholedemail: {
    listed: Blackholedemail;
    read: Blackholedemail;
    created: BlackholedemailInput;
    changed: BlackholedemailChange;
    deleted: true;
  };
  language: {
    listed: Language;
    read: Language;
    created: LanguageInput;
    changed: LanguageChange;
    deleted: true;
  };
  page: {
    listed: Page;
    read: Page;
    changed: PageChange;
    deleted: true;
  };
  signuppage: {
    listed: Page;
    read: Page;
    created: SignuppageInput;
    changed: PageChange;
    deleted: true;
  };
  petitionpage: {
    listed: Page;
    read: Page;
    created: SignuppageInput;
    changed: PageChange;
    deleted: true;
  };
  importpage: {
    listed: Page;
    read: Page;
    created: SignuppageInput;
    changed: PageChange;
    deleted: true;
  };
  pagefollowup: {
    listed: Pagefollowup;
    read: Pagefollowup;
    created: PagefollowupInput;
    changed: PagefollowupChange;
  };
  cmsform: {
    listed: Cmsform;
    read: Cmsform;
    created: CmsformInput;
    changed: CmsformChange;
    deleted: true;
  };
  petitionform: {
    listed: Cmsform;
    read: Cmsform;
    created: CmsformInput;
    changed: CmsformChange;
    deleted: true;
  };
  signupform: {
    listed: Cmsform;
    read: Cmsform;
    created: CmsformInput;
    changed: CmsformChange;
    deleted: true;
  };
  multilingualcampaign: {
    listed: Multilingualcampaign;
    read: Multilingualcampaign;
    created: UsergroupInput;
    changed: UsergroupChange;
    deleted: true;
  };
  unsubscribepage: {
    listed: Page;
    read: Page;
    created: SignuppageInput;
    changed: PageChange;
    deleted: true;
  };
  action: {
    listed: Action;
    read: Action;
    created: ActionInput;
    answered: {
      id?: number;
      /** URI of one related object. */
      user?: string;
      /** URI of one related object. */
      page?: string;
      /** URI of one related object. */
      mailing?: string | null;
      /** URI of one related object. */
      referring_user?: string | null;
      /** URI of one related object. */
      referring_mailing?: string | null;
      source?: string;
      link?: number | null;
      opq_id?: string;
      created_user?: boolean;
      subscribed_user?: boolean;
      is_forwarded?: boolean;
      status?: "incomplete" | "complete" | "failed";
      ip_address?: string | null;
      /** The akid it was done with. */
      taken_with?: string;
      /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
      created_at?: string;
      /** A timestamp in UTC, YYYY-MM-DDTHH:MM:SS. */
      updated_at?: string;
      akid: string;
      /** Always null: no mail is sent to people a visitor names. */
      taf_emails_sent?: number | null;
      /** Type of the page, as `Petition`. */
      type?: string;
      /** Action fields. A change replaces only the names sent; a value may be a list. */
      fields?: {
        [name: string]: unknown;
      };
      /** URI of this object. */
      resource_uri?: string;
      action_id: number;
      redirect_url: string;
    };
    changed: ActionChange;
    deleted: true;
  };
  signupaction: {
    listed: Action;
    read: Action;
    changed: ActionChange;
    deleted: true;
  };
  petitionaction: {
    listed: Action;
    read: Action;
    changed: ActionChange;
    deleted: true;
  };
  importaction: {
    listed: Action;
    read: Action;
    changed: ActionChange;
    deleted: true;
  };
  unsubscribeaction: {
    listed: Action;
    read: Action;
    changed: ActionChange;
    deleted: true;
  };
  actionfield: {
    listed: Actionfield;
    read: Actionfield;
    created: ActionfieldInput;
    changed: ActionfieldChange;
    deleted: true;
  };
  eventcampaign: {
    listed: Eventcampaign;
    read: Eventcampaign;
    created: EventcampaignInput;
    changed: EventcampaignChange;
    deleted: true;
  };
  campaign: {
    listed: Eventcampaign;
    read: Eventcampaign;
    created: EventcampaignInput;
    changed: EventcampaignChange;
    deleted: true;
  };
  event: {
    listed: Event;
    read: Event;
    created: EventInput;
    changed: EventChange;
    deleted: true;
  };
  eventsignup: {
    listed: Eventsignup;
    read: Eventsignup;
    created: EventsignupInput;
    changed: EventsignupChange;
    deleted: true;
  };
  eventcreatepage: {
    listed: Eventcreatepage;
    read: Eventcreatepage;
    created: EventcreatepageInput;
    changed: EventcreatepageChange;
    deleted: true;
  };
  eventsignuppage: {
    listed: Eventcreatepage;
    read: Eventcreatepage;
    created: EventcreatepageInput;
    changed: EventcreatepageChange;
    deleted: true;
  };
  eventcreateaction: {
    listed: Eventcreateaction;
    read: Eventcreateaction;
    changed: ActionChange;
    deleted: true;
  };
  eventsignupaction: {
    listed: Eventsignupaction;
    read: Eventsignupaction;
    changed: ActionChange;
    deleted: true;
  };
  donationpage: {
    listed: Donationpage;
    read: Donationpage;
    created: DonationpageInput;
    changed: DonationpageChange;
    deleted: true;
  };
  donationform: {
    listed: Donationform;
    read: Donationform;
    created: DonationformInput;
    changed: DonationformChange;
    deleted: true;
  };
  donationaction: {
    listed: Donationaction;
    read: Donationaction;
    changed: ActionChange;
    deleted: true;
  };
  donationattempt: {
    listed: Donationattempt;
    read: Donationattempt;
  };
  order: {
    listed: Order;
    read: Order;
    changed: OrderChange;
    deleted: true;
  };
  orderdetail: {
    listed: Orderdetail;
    read: Orderdetail;
  };
  orderuserdetail: {
    listed: Orderuserdetail;
    read: Orderuserdetail;
    changed: OrderuserdetailChange;
  };
  orderrecurring: {
    listed: Orderrecurring;
    read: Orderrecurring;
    changed: OrderrecurringChange;
  };
  transaction: {
    listed: Transaction;
    read: Transaction;
    created: TransactionInput;
    changed: TransactionChange;
  };
  paymentaccount: {
    listed: Paymentaccount;
    read: Paymentaccount;
    created: PaymentaccountInput;
    changed: PaymentaccountChange;
    deleted: true;
  };
  candidate: {
    listed: Candidate;
    read: Candidate;
    created: CandidateInput;
    changed: CandidateChange;
    deleted: true;
  };
  product: {
    listed: Product;
    read: Product;
    created: ProductInput;
    changed: ProductChange;
    deleted: true;
  };
  currency: {
    listed: Currency;
    read: Currency;
    created: CurrencyInput;
    changed: CurrencyChange;
    deleted: true;
  };
  backgroundtask: {
    listed: Backgroundtask;
    read: Backgroundtask;
    deleted: true;
  };
  whipcountpage: {
    listed: Whipcountpage;
    read: Whipcountpage;
    created: WhipcountpageInput;
    changed: WhipcountpageChange;
    deleted: true;
  };
  whipcountform: {
    listed: Whipcountform;
    read: Whipcountform;
    changed: WhipcountformChange;
  };
  whipcountaction: {
    listed: Action;
    read: Action;
    changed: ActionChange;
    deleted: true;
  };
  whipcountactioncalled: {
    listed: Whipcountactioncalled;
    read: Whipcountactioncalled;
    changed: WhipcountactioncalledChange;
    deleted: true;
  };
  whipcountoverride: {
    listed: Whipcountoverride;
    read: Whipcountoverride;
    created: WhipcountoverrideInput;
    changed: WhipcountoverrideChange;
    deleted: true;
  };
  target: {
    listed: Target;
    read: Target;
    created: TargetInput;
    changed: TargetChange;
    deleted: true;
  };
  targetgroup: {
    listed: Targetgroup;
    read: Targetgroup;
    changed: TargetgroupChange;
    deleted: true;
  };
  congresstargetgroup: {
    listed: Congresstargetgroup;
    read: Congresstargetgroup;
    created: CongresstargetgroupInput;
    changed: CongresstargetgroupChange;
    deleted: true;
  };
  specialtargetgroup: {
    listed: Specialtargetgroup;
    read: Specialtargetgroup;
    created: SpecialtargetgroupInput;
    changed: SpecialtargetgroupChange;
    deleted: true;
  };
  tag: {
    listed: Tag;
    read: Tag;
    created: UsergroupInput;
    changed: UsergroupChange;
    deleted: true;
  };
  fromline: {
    listed: Fromline;
    read: Fromline;
    created: FromlineInput;
    changed: FromlineChange;
    deleted: true;
  };
  emailwrapper: {
    listed: Emailwrapper;
    read: Emailwrapper;
    created: EmailwrapperInput;
    changed: EmailwrapperChange;
    deleted: true;
  };
  snippet: {
    listed: Snippet;
    read: Snippet;
    created: SnippetInput;
    changed: SnippetChange;
    deleted: true;
  };
  mailingtestgroup: {
    listed: Tag;
    read: Tag;
    created: UsergroupInput;
    changed: UsergroupChange;
    deleted: true;
  };
  queryreport: {
    listed: Queryreport;
    read: Queryreport;
    created: QueryreportInput;
    changed: QueryreportChange;
    deleted: true;
  };
  mergefile: {
    listed: Mergefile;
    read: Mergefile;
    changed: UsergroupChange;
    deleted: true;
  };
  recurringschedule: {
    listed: Recurringschedule;
    read: Recurringschedule;
    created: RecurringscheduleInput;
    changed: RecurringscheduleChange;
    deleted: true;
  };
  mailing: {
    listed: Mailing;
    read: Mailing;
    created: MailingInput;
    changed: MailingInput;
  };
  mailer: {
    listed: Mailer;
    read: Mailer;
    created: MailerInput;
    changed: MailerChange;
  };
  crmmap: {
    listed: Crmmap;
    read: Crmmap;
    created: CrmmapInput;
  };
  partnerusermap: {
    listed: Partnerusermap;
    read: Partnerusermap;
    created: PartnerusermapInput;
    changed: PartnerusermapChange;
    deleted: true;
  };
  partnerordermap: {
    listed: Partnerordermap;
    read: Partnerordermap;
    created: PartnerordermapInput;
    changed: PartnerordermapChange;
    deleted: true;
  };
  partnertransactionmap: {
    listed: Partnertransactionmap;
    read: Partnertransactionmap;
    created: PartnertransactionmapInput;
    changed: PartnertransactionmapChange;
    deleted: true;
  };
  webhook: {
    listed: Webhook;
    read: Webhook;
    created: WebhookInput;
    changed: WebhookChange;
    deleted: true;
  };
  webhookdelivery: {
    listed: Webhookdelivery;
    read: Webhookdelivery;
  };
  sentmail: {
    listed: Sentmail;
    read: Sentmail;
  };
  usermailing: {
    listed: Sentmail;
    read: Sentmail;
  };
  donationpush: {
    created: DonationpushInput;
    answered: {
      [name: string]: unknown;
    };
  };
  recurringpaymentpush: {
    created: RecurringpaymentpushInput;
  };
  profileupdatepush: {
    created: ProfileupdatepushInput;
  };
  profilecancelpush: {
    created: ProfilecancelpushInput;
  };
  eraser: {
    created: EraserInput;
  };
}

/** Resources that answer a POST sent again with the same Idempotency-Key with what the first one made. */
export const KEYED: readonly string[] = ["donationpush","recurringpaymentpush","profileupdatepush","profilecancelpush"];
