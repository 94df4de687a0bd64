// Long: made of the OpenAPI document by npm run clients, not by hand.
// biome-ignore-all format: as the program writes it

export type AuthuserInput = {
  /** Name the account logs in with. */
  username: string;
  /** First name. */
  first_name?: string;
  /** Last name. */
  last_name?: string;
  /** Email address. */
  email?: string;
  /** Whether the account may use the pages of the console. */
  is_staff?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Whether the account may log in. */
  is_active?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Whether the account may do everything. */
  is_superuser?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Groups it is in. */
  groups?: (string | number)[];
  /** Never shown. */
  password: string;
};

export type Authuser = {
  /** Id, unique among its kind. */
  id: number;
  /** Name the account logs in with. */
  username: string;
  /** First name. */
  first_name: string;
  /** Last name. */
  last_name: string;
  /** Email address. */
  email: string;
  /** Whether the account may use the pages of the console. */
  is_staff: boolean;
  /** Whether the account may log in. */
  is_active: boolean;
  /** Whether the account may do everything. */
  is_superuser: boolean;
  /** When it was last used to log in, in UTC. */
  last_login: string | null;
  /** When the account was made, in UTC. */
  date_joined: string;
  /** Groups it is in. */
  groups: string[];
  /** URI of this object. */
  resource_uri: string;
};

export type AuthuserChange = {
  /** Name the account logs in with. */
  username?: string;
  /** First name. */
  first_name?: string;
  /** Last name. */
  last_name?: string;
  /** Email address. */
  email?: string;
  /** Whether the account may use the pages of the console. */
  is_staff?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Whether the account may log in. */
  is_active?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Whether the account may do everything. */
  is_superuser?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Groups it is in. */
  groups?: (string | number)[];
  /** Never shown. */
  password?: string;
};

export type AuthgroupInput = {
  /** Its name. */
  name: string;
  /** Grants like user:read, user:write, user:delete, mailer:send, or *. */
  grants?: unknown[];
};

export type Authgroup = {
  /** Id, unique among its kind. */
  id: number;
  /** Its name. */
  name: string;
  /** Grants like user:read, user:write, user:delete, mailer:send, or *. */
  grants: unknown[];
  /** URI of this object. */
  resource_uri: string;
};

export type AuthgroupChange = {
  /** Its name. */
  name?: string;
  /** Grants like user:read, user:write, user:delete, mailer:send, or *. */
  grants?: unknown[];
};

export type Auditlog = {
  /** Id, unique among its kind. */
  id: number;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** Account it belongs to. */
  account: string;
  /** Name the account logs in with. */
  username: string;
  /** Method of the request. */
  method: string;
  /** Address of the request. */
  path: string;
  /** Address of what was made, or of what the request was about. */
  location: string;
  /** Names of the fields that were sent, never their values. */
  fields: unknown[];
  /** Status of the answer. */
  status: number;
  /** URI of this object. */
  resource_uri: string;
};

export type UserInput = {
  /** Email address. */
  email: string;
  /** What stands before a name, such as Dr. */
  prefix?: string;
  /** First name. */
  first_name?: string;
  /** Middle name. */
  middle_name?: string;
  /** Last name. */
  last_name?: string;
  /** What stands after a name, such as Jr. */
  suffix?: string;
  /** First line of the address. */
  address1?: string;
  /** Second line of the address. */
  address2?: string;
  /** City. */
  city?: string;
  /** State, as two letters in the US. */
  state?: string;
  /** Region, outside the US. */
  region?: string;
  /** Zip code, five digits, in the US. */
  zip?: string;
  /** The four digits after the zip code. */
  plus4?: string;
  /** Postal code, of whatever country. */
  postal?: string;
  /** Country, by its English name. */
  country?: string;
  /** Where it came from, in words of the client. */
  source?: string;
  /** Language it is in, or is written to in. */
  lang?: string | null | number;
  /** Groups the user is in. */
  groups?: (string | number)[] | null;
  /** Custom user fields. A change replaces only the names sent; a value may be a list. */
  fields?: {
    [name: string]: unknown;
  } | null;
  /** URIs of phones. Written, the list is what the user has afterwards: URIs of those that stay, and objects {phone, type (or phone_type), source}. */
  phones?: unknown[] | null;
};

export type User = {
  /** Id, unique among its kind. */
  id: number;
  /** Email address. */
  email: string;
  /** What stands before a name, such as Dr. */
  prefix: string;
  /** First name. */
  first_name: string;
  /** Middle name. */
  middle_name: string;
  /** Last name. */
  last_name: string;
  /** What stands after a name, such as Jr. */
  suffix: string;
  /** First line of the address. */
  address1: string;
  /** Second line of the address. */
  address2: string;
  /** City. */
  city: string;
  /** State, as two letters in the US. */
  state: string;
  /** Region, outside the US. */
  region: string;
  /** Zip code, five digits, in the US. */
  zip: string;
  /** The four digits after the zip code. */
  plus4: string;
  /** Postal code, of whatever country. */
  postal: string;
  /** Country, by its English name. */
  country: string;
  /** Where it came from, in words of the client. */
  source: string;
  /** Language it is in, or is written to in. */
  lang: string | null;
  /** No longer in use. */
  rand_id: number;
  /** Groups the user is in. */
  groups: string[];
  /** How the person stands; changed by subscriptions and bounces, never by a write here. */
  subscription_status: "subscribed" | "unsubscribed" | "bounced" | "never";
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** Hashed identifier of the user. */
  token: string;
  /** Custom user fields. A change replaces only the names sent; a value may be a list. */
  fields: {
    [name: string]: unknown;
  };
  /** Where a login token is asked for. */
  logintoken: string;
  /** URIs of phones. Written, the list is what the user has afterwards: URIs of those that stay, and objects {phone, type (or phone_type), source}. */
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
  /** Email address. */
  email?: string;
  /** What stands before a name, such as Dr. */
  prefix?: string;
  /** First name. */
  first_name?: string;
  /** Middle name. */
  middle_name?: string;
  /** Last name. */
  last_name?: string;
  /** What stands after a name, such as Jr. */
  suffix?: string;
  /** First line of the address. */
  address1?: string;
  /** Second line of the address. */
  address2?: string;
  /** City. */
  city?: string;
  /** State, as two letters in the US. */
  state?: string;
  /** Region, outside the US. */
  region?: string;
  /** Zip code, five digits, in the US. */
  zip?: string;
  /** The four digits after the zip code. */
  plus4?: string;
  /** Postal code, of whatever country. */
  postal?: string;
  /** Country, by its English name. */
  country?: string;
  /** Where it came from, in words of the client. */
  source?: string;
  /** Language it is in, or is written to in. */
  lang?: string | null | number;
  /** Groups the user is in. */
  groups?: (string | number)[] | null;
  /** Custom user fields. A change replaces only the names sent; a value may be a list. */
  fields?: {
    [name: string]: unknown;
  } | null;
  /** URIs of phones. Written, the list is what the user has afterwards: URIs of those that stay, and objects {phone, type (or phone_type), source}. */
  phones?: unknown[] | null;
};

export type AlloweduserfieldInput = {
  /** Its name. */
  name: string;
  /** What people are shown in place of the name. */
  display_name?: string;
  /** What it is for, in words for people. */
  description?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Alloweduserfield = {
  /** Id, unique among its kind. */
  id: number;
  /** Its name. */
  name: string;
  /** What people are shown in place of the name. */
  display_name: string;
  /** What it is for, in words for people. */
  description: string;
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type AlloweduserfieldChange = {
  /** Its name. */
  name?: string;
  /** What people are shown in place of the name. */
  display_name?: string;
  /** What it is for, in words for people. */
  description?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type UserfieldInput = {
  /** URI of the user; a new one needs it, as parent or user. */
  parent?: string | number;
  /** URI of the user; a new one needs it, as parent or user. */
  user?: string | number;
  /** Its name. */
  name: string;
  /** A field with a list of values has one of these for each. */
  value?: string;
};

export type Userfield = {
  /** Id, unique among its kind. */
  id: number;
  /** URI of the user; a new one needs it, as parent or user. */
  parent: string;
  /** Its name. */
  name: string;
  /** A field with a list of values has one of these for each. */
  value: string;
  /** URI of this object. */
  resource_uri: string;
};

export type UserfieldChange = {
  /** URI of the user; a new one needs it, as parent or user. */
  parent?: string | number;
  /** URI of the user; a new one needs it, as parent or user. */
  user?: string | number;
  /** Its name. */
  name?: string;
  /** A field with a list of values has one of these for each. */
  value?: string;
};

export type UsergroupInput = {
  /** Its name. */
  name: string;
};

export type Usergroup = {
  /** Id, unique among its kind. */
  id: number;
  /** Its name. */
  name: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of the user collection, filtered. */
  users: string;
  /** URI of this object. */
  resource_uri: string;
};

export type UsergroupChange = {
  /** Its name. */
  name?: string;
};

export type UsergeofieldInput = {
  /** The person it belongs to. */
  user: string | number;
  /** Its name. */
  name: string;
  /** A field with a list of values has one of these for each. */
  value?: string;
};

export type Usergeofield = {
  /** Id, unique among its kind. */
  id: number;
  /** The person it belongs to. */
  user: string;
  /** Its name. */
  name: string;
  /** A field with a list of values has one of these for each. */
  value: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type UsergeofieldChange = {
  /** The person it belongs to. */
  user?: string | number;
  /** Its name. */
  name?: string;
  /** A field with a list of values has one of these for each. */
  value?: string;
};

export type PhoneInput = {
  /** The person it belongs to. */
  user: string | number;
  /** Phone number. */
  phone: string;
  /** Of which kind it is. */
  type?: "home" | "mobile" | "work" | "fax" | "emergency" | "home_fax" | "work_fax" | "other";
  /** Of which kind it is. */
  phone_type?: "home" | "mobile" | "work" | "fax" | "emergency" | "home_fax" | "work_fax" | "other";
  /** Where it came from, in words of the client. */
  source?: string;
};

export type Phone = {
  /** Id, unique among its kind. */
  id: number;
  /** The person it belongs to. */
  user: string;
  /** Phone number. */
  phone: string;
  /** Digits alone, a leading + kept. */
  normalized_phone: string;
  /** Of which kind it is. */
  type: "home" | "mobile" | "work" | "fax" | "emergency" | "home_fax" | "work_fax" | "other";
  /** Where it came from, in words of the client. */
  source: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type PhoneChange = {
  /** The person it belongs to. */
  user?: string | number;
  /** Phone number. */
  phone?: string;
  /** Of which kind it is. */
  type?: "home" | "mobile" | "work" | "fax" | "emergency" | "home_fax" | "work_fax" | "other";
  /** Of which kind it is. */
  phone_type?: "home" | "mobile" | "work" | "fax" | "emergency" | "home_fax" | "work_fax" | "other";
  /** Where it came from, in words of the client. */
  source?: string;
};

export type Location = {
  /** Id, unique among its kind. */
  id: number;
  /** The person it belongs to. */
  user: string;
  /** Congressional district, as `CA_12`. */
  us_district: string;
  /** District of the upper house of the state. */
  us_state_senate: string;
  /** District of the lower house of the state. */
  us_state_district: string;
  /** County, in the US. */
  us_county: string;
  /** Code of the place. */
  loc_code: string;
  /** Degrees east of Greenwich. */
  longitude: number | null;
  /** Degrees north of the equator. */
  latitude: number | null;
  /** Two-letter code of the country. */
  country_code: string;
  /** Code of the region. */
  region_code: string;
  /** What latitude and longitude were found by. */
  lat_lon_precision: string;
  /** Time zone, as `America/New_York`. */
  timezone: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type Useroriginal = {
  /** Id, unique among its kind. */
  id: number;
  /** The person it belongs to. */
  user: string;
  /** First line of the address. */
  address1: string;
  /** Second line of the address. */
  address2: string;
  /** City. */
  city: string;
  /** State, as two letters in the US. */
  state: string;
  /** Zip code, five digits, in the US. */
  zip: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
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
  /** Id, unique among its kind. */
  id: number;
  /** The user who is kept. */
  primary_user: string;
  /** URIs of the users merged into the primary one. */
  users: unknown[];
  /** The user whose postal address is kept. */
  address_user: string;
  /** The user whose source is kept. */
  source_user: string;
  /** The user whose phone for text messages is kept. */
  sms_user: string | null;
  /** URIs of the lists wanted; null when not given. */
  lists: unknown[] | null;
  /** How it stands. */
  status: "pending" | "complete" | "failed";
  /** Why it failed. */
  errors: unknown[];
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type Upload = {
  /** Id, unique among its kind. */
  id: number;
  /** The page. */
  page: string;
  /** Name of the file as it was sent. */
  filename: string;
  /** Whether custom user fields nobody declared are declared by it. */
  autocreate_user_fields: boolean;
  /** Whether custom user fields are all it changes: its lines are no actions, and put nobody on a list. */
  user_fields_only: boolean;
  /** new, importing, completed, stopped, or died, which errors say the reason of. */
  status: "new" | "importing" | "completed" | "stopped" | "died";
  /** Columns of the file. */
  columns: unknown[];
  /** Lines below the header. */
  line_count: number | null;
  /** Lines that are done. */
  progress: number;
  /** Lines, of those that are done, that could not be imported. */
  error_count: number;
  /** When work on it began, in UTC; null before. */
  started_at: string | null;
  /** When work on it ended, in UTC; null before. */
  finished_at: string | null;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** Whether nothing more will be imported. */
  is_completed: boolean;
  /** How many errors there are: of lines that could not be imported, and why it died, where it did. */
  has_errors: number;
  /** URI of what was wrong, line by line. */
  errors: string;
  /** Where a POST stops it. */
  stop: string;
  /** URI of this object. */
  resource_uri: string;
};

export type Uploaderror = {
  /** Id, unique among its kind. */
  id: number;
  /** The upload it belongs to. */
  upload: string;
  /** Number of the line in the file. */
  line: number;
  /** What was wrong, in words. */
  message: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type Bounce = {
  /** Id, unique among its kind. */
  id: number;
  /** The person it belongs to. */
  user: string;
  /** The mailing. */
  mailing: string | null;
  /** Of which kind it is. */
  kind: "hard" | "soft" | "complaint";
  /** Code that came with it. */
  code: string;
  /** What the other mail server said. */
  diagnostic: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type MailinglistInput = {
  /** Its name. */
  name: string;
  /** Notes for those who work with it. */
  notes?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Whether it is taken where none is named. */
  is_default?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Whether it is the list for winning people back, which merges treat apart. */
  is_reengagement?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Mailinglist = {
  /** Id, unique among its kind. */
  id: number;
  /** Its name. */
  name: string;
  /** Notes for those who work with it. */
  notes: string;
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** Whether it is taken where none is named. */
  is_default: boolean;
  /** Whether it is the list for winning people back, which merges treat apart. */
  is_reengagement: boolean;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type MailinglistChange = {
  /** Its name. */
  name?: string;
  /** Notes for those who work with it. */
  notes?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Whether it is taken where none is named. */
  is_default?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Whether it is the list for winning people back, which merges treat apart. */
  is_reengagement?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Listdeletion = {
  /** Id, unique among its kind. */
  id: number;
  /** URI of the list, which is gone when this is complete. */
  list: string;
  /** How many were on it when it was asked for. */
  people: number;
  /** How many have been taken off it. */
  removed: number;
  /** How it stands. */
  status: "pending" | "complete" | "failed";
  /** Why it failed. */
  errors: unknown[];
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type SubscriptionInput = {
  /** The person it belongs to. */
  user: string | number;
  /** The list of subscribers. */
  list: string | number;
};

export type Subscription = {
  /** Id, unique among its kind. */
  id: number;
  /** The person it belongs to. */
  user: string;
  /** The list of subscribers. */
  list: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type Subscriptionhistory = {
  /** Id, unique among its kind. */
  id: number;
  /** The person it belongs to. */
  user: string;
  /** The list of subscribers. */
  list: string | null;
  /** How the person came on the list or left it. */
  change: "subscribe" | "subscribe_api" | "subscribe_import" | "unsubscribe" | "unsubscribe_email" | "unsubscribe_admin" | "unsubscribe_bounce" | "unsubscribe_complaint" | "unsubscribe_merge" | "unsubscribe_erase";
  /** The action it came with. */
  action: string | null;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type BlackholedemailInput = {
  /** Email address. */
  email: string;
};

export type Blackholedemail = {
  /** Id, unique among its kind. */
  id: number;
  /** Email address. */
  email: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type BlackholedemailChange = {
  /** Email address. */
  email?: string;
};

export type LanguageInput = {
  /** Its name. */
  name: string;
  /** ISO code, such as `en` of a language and `EUR` of a currency. */
  iso_code?: string;
  /** Place among its kind: lower ones come first. */
  ordering?: number;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** JSON as text. */
  translations?: string;
};

export type Language = {
  /** Id, unique among its kind. */
  id: number;
  /** Its name. */
  name: string;
  /** ISO code, such as `en` of a language and `EUR` of a currency. */
  iso_code: string;
  /** Place among its kind: lower ones come first. */
  ordering: number;
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** JSON as text. */
  translations: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type LanguageChange = {
  /** Its name. */
  name?: string;
  /** ISO code, such as `en` of a language and `EUR` of a currency. */
  iso_code?: string;
  /** Place among its kind: lower ones come first. */
  ordering?: number;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** JSON as text. */
  translations?: string;
};

export type Page = {
  /** Id, unique among its kind. */
  id: number;
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name: string;
  /** Its title, for people. */
  title: string;
  /** Of which kind it is. */
  type: "signup" | "petition" | "unsubscribe" | "whipcount" | "donation" | "import" | "eventcreate" | "eventsignup";
  /** How it stands. */
  status: "active" | "inactive";
  /** Where people are led after an action. */
  url: string;
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** How many are aimed at. */
  goal: number | null;
  /** What the goal counts, in words of the client. */
  goal_type: string;
  /** Custom fields by name; a value may be a list. A change takes those it names; null takes one away. */
  fields: {
    [name: string]: unknown;
  };
  /** Fields a submission must fill beside email or akid: their names, or objects with a `name`. */
  required_fields: unknown[];
  /** The list of subscribers. */
  list: string | null;
  /** Language it is in. */
  language: string | null;
  /** Pages in other languages that are the same campaign. */
  multilingual_campaign: string | null;
  /** Tags it has. */
  tags: string[];
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
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
  /** Its title, for people. */
  title?: string;
  /** How it stands. */
  status?: "active" | "inactive";
  /** Where people are led after an action. */
  url?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** How many are aimed at. */
  goal?: number | null;
  /** What the goal counts, in words of the client. */
  goal_type?: string;
  /** Custom fields by name; a value may be a list. A change takes those it names; null takes one away. */
  fields?: {
    [name: string]: unknown;
  } | null;
  /** Fields a submission must fill beside email or akid: their names, or objects with a `name`. */
  required_fields?: unknown[] | null;
  /** The list of subscribers. */
  list?: string | null | number;
  /** Language it is in. */
  language?: string | null | number;
  /** Pages in other languages that are the same campaign. */
  multilingual_campaign?: string | null | number;
  /** Tags it has. */
  tags?: (string | number | {
    /** URI of this object. */
    resource_uri: string;
  })[] | null;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup?: {
    [name: string]: unknown;
  } | null;
};

export type SignuppageInput = {
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name: string;
  /** Its title, for people. */
  title?: string;
  /** How it stands. */
  status?: "active" | "inactive";
  /** Where people are led after an action. */
  url?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** How many are aimed at. */
  goal?: number | null;
  /** What the goal counts, in words of the client. */
  goal_type?: string;
  /** Custom fields by name; a value may be a list. A change takes those it names; null takes one away. */
  fields?: {
    [name: string]: unknown;
  } | null;
  /** Fields a submission must fill beside email or akid: their names, or objects with a `name`. */
  required_fields?: unknown[] | null;
  /** The list of subscribers. */
  list?: string | null | number;
  /** Language it is in. */
  language?: string | null | number;
  /** Pages in other languages that are the same campaign. */
  multilingual_campaign?: string | null | number;
  /** Tags it has. */
  tags?: (string | number | {
    /** URI of this object. */
    resource_uri: string;
  })[] | null;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup?: {
    [name: string]: unknown;
  } | null;
};

export type PagefollowupInput = {
  /** Each page has one of its own; it stays with it. */
  page: string | number;
  /** Where people are led afterwards; empty: the url of the page. May hold `{{ akid }}`, `{{ action.id }}` and `{{ page.name }}`; with other tags of a template it is kept for the pages of a client, and people are led to the url of the page. */
  url?: string;
  /** Whether each person is sent a confirmation. */
  send_email?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Whether the addresses in notifications are told of each action. */
  send_notifications?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Kept for the pages of a client, as are taf_subject and taf_body: no mail is sent to addresses a visitor names. */
  send_taf?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Subject of the confirmation, a template. */
  email_subject?: string;
  /** Template of the confirmation, HTML. */
  email_body?: string;
  /** Sender of the confirmation, in place of a from line. */
  email_custom_from?: string;
  /** Sender of the confirmation. */
  email_from_line?: string | null | number;
  /** Wrapper around the confirmation. */
  email_wrapper?: string | null | number;
  /** Addresses told by mail of every action, with send_notifications. They hear of people: naming a new one takes the grant user:read. */
  notifications?: unknown[];
  /** Kept for the pages of a client. */
  taf_subject?: string;
  /** Kept for the pages of a client. */
  taf_body?: string;
};

export type Pagefollowup = {
  /** Id, unique among its kind. */
  id: number;
  /** Each page has one of its own; it stays with it. */
  page: string;
  /** Where people are led afterwards; empty: the url of the page. May hold `{{ akid }}`, `{{ action.id }}` and `{{ page.name }}`; with other tags of a template it is kept for the pages of a client, and people are led to the url of the page. */
  url: string;
  /** Whether each person is sent a confirmation. */
  send_email: boolean;
  /** Whether the addresses in notifications are told of each action. */
  send_notifications: boolean;
  /** Kept for the pages of a client, as are taf_subject and taf_body: no mail is sent to addresses a visitor names. */
  send_taf: boolean;
  /** Subject of the confirmation, a template. */
  email_subject: string;
  /** Template of the confirmation, HTML. */
  email_body: string;
  /** Sender of the confirmation, in place of a from line. */
  email_custom_from: string;
  /** Sender of the confirmation. */
  email_from_line: string | null;
  /** Wrapper around the confirmation. */
  email_wrapper: string | null;
  /** Addresses told by mail of every action, with send_notifications. They hear of people: naming a new one takes the grant user:read. */
  notifications: unknown[];
  /** Kept for the pages of a client. */
  taf_subject: string;
  /** Kept for the pages of a client. */
  taf_body: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type PagefollowupChange = {
  /** Each page has one of its own; it stays with it. */
  page?: string | number;
  /** Where people are led afterwards; empty: the url of the page. May hold `{{ akid }}`, `{{ action.id }}` and `{{ page.name }}`; with other tags of a template it is kept for the pages of a client, and people are led to the url of the page. */
  url?: string;
  /** Whether each person is sent a confirmation. */
  send_email?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Whether the addresses in notifications are told of each action. */
  send_notifications?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Kept for the pages of a client, as are taf_subject and taf_body: no mail is sent to addresses a visitor names. */
  send_taf?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Subject of the confirmation, a template. */
  email_subject?: string;
  /** Template of the confirmation, HTML. */
  email_body?: string;
  /** Sender of the confirmation, in place of a from line. */
  email_custom_from?: string;
  /** Sender of the confirmation. */
  email_from_line?: string | null | number;
  /** Wrapper around the confirmation. */
  email_wrapper?: string | null | number;
  /** Addresses told by mail of every action, with send_notifications. They hear of people: naming a new one takes the grant user:read. */
  notifications?: unknown[];
  /** Kept for the pages of a client. */
  taf_subject?: string;
  /** Kept for the pages of a client. */
  taf_body?: string;
};

export type CmsformInput = {
  /** The page. */
  page: string | number;
  /** Text above the form, HTML. */
  introduction_text?: string;
  /** Text about the page, HTML. */
  about_text?: string;
  /** What leads to the statement, HTML. */
  statement_leadin?: string;
  /** What people put their name to, HTML. */
  statement_text?: string;
  /** What is said after it, HTML. */
  thank_you_text?: string;
  /** Whether people meet it on pages of a client. */
  client_hosted?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Where it is on those pages. */
  client_url?: string;
  /** Set of templates, kept for the pages of a client. */
  templateset?: string;
};

export type Cmsform = {
  /** Id, unique among its kind. */
  id: number;
  /** The page. */
  page: string;
  /** Text above the form, HTML. */
  introduction_text: string;
  /** Text about the page, HTML. */
  about_text: string;
  /** What leads to the statement, HTML. */
  statement_leadin: string;
  /** What people put their name to, HTML. */
  statement_text: string;
  /** What is said after it, HTML. */
  thank_you_text: string;
  /** Whether people meet it on pages of a client. */
  client_hosted: boolean;
  /** Where it is on those pages. */
  client_url: string;
  /** Set of templates, kept for the pages of a client. */
  templateset: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type CmsformChange = {
  /** The page. */
  page?: string | number;
  /** Text above the form, HTML. */
  introduction_text?: string;
  /** Text about the page, HTML. */
  about_text?: string;
  /** What leads to the statement, HTML. */
  statement_leadin?: string;
  /** What people put their name to, HTML. */
  statement_text?: string;
  /** What is said after it, HTML. */
  thank_you_text?: string;
  /** Whether people meet it on pages of a client. */
  client_hosted?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Where it is on those pages. */
  client_url?: string;
  /** Set of templates, kept for the pages of a client. */
  templateset?: string;
};

export type MultilingualcampaignInput = {
  /** Its name. */
  name: string;
  /** URI of the page collection, filtered. Written, a list of the pages that are of it afterwards, as URIs or ids; the URI that was read changes nothing. */
  pages?: (string | number)[] | string | null;
};

export type Multilingualcampaign = {
  /** Id, unique among its kind. */
  id: number;
  /** Its name. */
  name: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of the page collection, filtered. Written, a list of the pages that are of it afterwards, as URIs or ids; the URI that was read changes nothing. */
  pages: string;
  /** URI of this object. */
  resource_uri: string;
};

export type MultilingualcampaignChange = {
  /** Its name. */
  name?: string;
  /** URI of the page collection, filtered. Written, a list of the pages that are of it afterwards, as URIs or ids; the URI that was read changes nothing. */
  pages?: (string | number)[] | string | null;
};

export type ActionInput = {
  /** Name of the page. */
  page: string;
  /** Required without akid. */
  email?: string;
  /** Required without email. */
  akid?: string;
  /** Of the person whose link led here. */
  referring_akid?: string;
  /** The mailing they came by: its id or URI. */
  mailing_id?: number | string;
  /** Ids or URIs. Default: the list of the page, else the default list. */
  lists?: (number | string)[];
  /** false leaves the lists alone. */
  opt_in?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** true sends no confirmation. */
  skip_confirmation?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** true leaves the lists alone. */
  suppress_subscribe?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Where it came from, in words of the client. */
  source?: string;
  /** What stands before a name, such as Dr. */
  prefix?: string;
  /** First name. */
  first_name?: string;
  /** Middle name. */
  middle_name?: string;
  /** Last name. */
  last_name?: string;
  /** What stands after a name, such as Jr. */
  suffix?: string;
  /** First line of the address. */
  address1?: string;
  /** Second line of the address. */
  address2?: string;
  /** City. */
  city?: string;
  /** State, as two letters in the US. */
  state?: string;
  /** Region, outside the US. */
  region?: string;
  /** Zip code, five digits, in the US. */
  zip?: string;
  /** The four digits after the zip code. */
  plus4?: string;
  /** Postal code, of whatever country. */
  postal?: string;
  /** Country, by its English name. */
  country?: string;
  /** First and last name, where neither is given. */
  name?: string;
  /** A number of the person, of the type that phone_type says. */
  phone?: string;
  /** Of the number in phone. */
  phone_type?: "home" | "mobile" | "work" | "fax" | "emergency" | "home_fax" | "work_fax" | "other";
  /** A number of the type home. */
  home_phone?: string;
  /** A number of the type mobile. */
  mobile_phone?: string;
  /** A number of the type work. */
  work_phone?: string;
  /** A number of the type fax. */
  fax_phone?: string;
  /** A number of the type emergency. */
  emergency_phone?: string;
  /** A number of the type home_fax. */
  home_fax_phone?: string;
  /** A number of the type work_fax. */
  work_fax_phone?: string;
  /** A number of the type other. */
  other_phone?: string;
  [name: string]: unknown;
};

export type Action = {
  /** Id, unique among its kind. */
  id: number;
  /** The person it belongs to. */
  user: string;
  /** The page. */
  page: string;
  /** The mailing. */
  mailing: string | null;
  /** The person whose link led here. */
  referring_user: string | null;
  /** The mailing of another person whose link led here. */
  referring_mailing: string | null;
  /** Where it came from, in words of the client. */
  source: string;
  /** Number of the link that led here. */
  link: number | null;
  /** Kept for clients; empty. */
  opq_id: string;
  /** Whether the person was made by it. */
  created_user: boolean;
  /** Whether the person was subscribed by it. */
  subscribed_user: boolean;
  /** Whether the link had been passed on by another person. */
  is_forwarded: boolean;
  /** How it stands. */
  status: "incomplete" | "complete" | "failed";
  /** Address on the net it was done from. */
  ip_address: string | null;
  /** The akid it was done with, to accounts with the grant user:read; to others empty, and akid merely names. */
  taken_with: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
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
  /** Where it came from, in words of the client. */
  source?: string;
  /** How it stands. */
  status?: "incomplete" | "complete" | "failed" | "completed";
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at?: string;
  /** Action fields. A change replaces only the names sent; a value may be a list. */
  fields?: {
    [name: string]: unknown;
  } | null;
};

export type ActionfieldInput = {
  /** URI of the action; a new one needs it, as parent or action. */
  parent?: string | number;
  /** URI of the action; a new one needs it, as parent or action. */
  action?: string | number;
  /** Its name. */
  name: string;
  /** A field with a list of values has one of these for each. */
  value?: string;
};

export type Actionfield = {
  /** Id, unique among its kind. */
  id: number;
  /** URI of the action; a new one needs it, as parent or action. */
  parent: string;
  /** Its name. */
  name: string;
  /** A field with a list of values has one of these for each. */
  value: string;
  /** URI of this object. */
  resource_uri: string;
};

export type ActionfieldChange = {
  /** URI of the action; a new one needs it, as parent or action. */
  parent?: string | number;
  /** URI of the action; a new one needs it, as parent or action. */
  action?: string | number;
  /** Its name. */
  name?: string;
  /** A field with a list of values has one of these for each. */
  value?: string;
};

export type EventcampaignInput = {
  /** Its name. */
  name: string;
  /** Its title, for people. */
  title?: string;
  /** What it is for, in words for people. */
  description?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Eventcampaign = {
  /** Id, unique among its kind. */
  id: number;
  /** Its name. */
  name: string;
  /** Its title, for people. */
  title: string;
  /** What it is for, in words for people. */
  description: string;
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of the event collection, filtered. */
  events: string;
  /** Its events that take place, for the public: filtered like the collection of events. */
  event_search: string;
  /** URI of this object. */
  resource_uri: string;
};

export type EventcampaignChange = {
  /** Its name. */
  name?: string;
  /** Its title, for people. */
  title?: string;
  /** What it is for, in words for people. */
  description?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type EventInput = {
  /** The campaign of events. */
  campaign?: string | number;
  /** The campaign of events. */
  campaign_id?: string | number;
  /** The person who hosts it. */
  creator?: string | null | number;
  /** Its title, for people. */
  title?: string;
  /** Name of the place. */
  venue?: string;
  /** First line of the address. */
  address1?: string;
  /** Second line of the address. */
  address2?: string;
  /** City. */
  city?: string;
  /** State, as two letters in the US. */
  state?: string;
  /** Region, outside the US. */
  region?: string;
  /** Zip code, five digits, in the US. */
  zip?: string;
  /** The four digits after the zip code. */
  plus4?: string;
  /** Postal code, of whatever country. */
  postal?: string;
  /** Country, by its English name. */
  country?: string;
  /** Congressional district, as `CA_12`. */
  us_district?: string;
  /** County, in the US. */
  us_county?: string;
  /** Degrees east of Greenwich. */
  longitude?: number | null;
  /** Degrees north of the equator. */
  latitude?: number | null;
  /** When it begins. */
  starts_at?: string | null;
  /** When it ends. */
  ends_at?: string | null;
  /** What everybody may read about it. */
  public_description?: string;
  /** How to get there. */
  directions?: string;
  /** What its host has to say to those who come. */
  note_to_attendees?: string;
  /** How many may come. */
  max_attendees?: number | null;
  /** Whether it is left out of searches. */
  is_private?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Whether staff let it be found: event_search leaves others out. */
  is_approved?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Whether its host is known to be one: event_search leaves others out. */
  host_is_confirmed?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** How it stands. */
  status?: "active" | "cancelled" | "deleted";
  /** Custom fields of the event; null is none. */
  fields?: {
    [name: string]: unknown;
  } | null;
};

export type Event = {
  /** Id, unique among its kind. */
  id: number;
  /** The campaign of events. */
  campaign: string;
  /** The person who hosts it. */
  creator: string | null;
  /** The action it was made with. */
  action: string | null;
  /** Its title, for people. */
  title: string;
  /** Name of the place. */
  venue: string;
  /** First line of the address. */
  address1: string;
  /** Second line of the address. */
  address2: string;
  /** City. */
  city: string;
  /** State, as two letters in the US. */
  state: string;
  /** Region, outside the US. */
  region: string;
  /** Zip code, five digits, in the US. */
  zip: string;
  /** The four digits after the zip code. */
  plus4: string;
  /** Postal code, of whatever country. */
  postal: string;
  /** Country, by its English name. */
  country: string;
  /** Congressional district, as `CA_12`. */
  us_district: string;
  /** County, in the US. */
  us_county: string;
  /** Degrees east of Greenwich. */
  longitude: number | null;
  /** Degrees north of the equator. */
  latitude: number | null;
  /** When it begins. */
  starts_at: string | null;
  /** When it ends. */
  ends_at: string | null;
  /** What everybody may read about it. */
  public_description: string;
  /** How to get there. */
  directions: string;
  /** What its host has to say to those who come. */
  note_to_attendees: string;
  /** How many may come. */
  max_attendees: number | null;
  /** Whether it is left out of searches. */
  is_private: boolean;
  /** Whether staff let it be found: event_search leaves others out. */
  is_approved: boolean;
  /** Whether its host is known to be one: event_search leaves others out. */
  host_is_confirmed: boolean;
  /** How it stands. */
  status: "active" | "cancelled" | "deleted";
  /** Custom fields of the event; null is none. */
  fields: {
    [name: string]: unknown;
  };
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** The same as starts_at, which is in UTC, too. */
  starts_at_utc: string | null;
  /** The same as ends_at, which is in UTC, too. */
  ends_at_utc: string | null;
  /** How many come: active signups, without hosts. */
  attendee_count: number;
  /** URI of the eventsignup collection, filtered. */
  signups: string;
  /** URI of this object. */
  resource_uri: string;
};

export type EventChange = {
  /** The campaign of events. */
  campaign?: string | number;
  /** The campaign of events. */
  campaign_id?: string | number;
  /** The person who hosts it. */
  creator?: string | null | number;
  /** Its title, for people. */
  title?: string;
  /** Name of the place. */
  venue?: string;
  /** First line of the address. */
  address1?: string;
  /** Second line of the address. */
  address2?: string;
  /** City. */
  city?: string;
  /** State, as two letters in the US. */
  state?: string;
  /** Region, outside the US. */
  region?: string;
  /** Zip code, five digits, in the US. */
  zip?: string;
  /** The four digits after the zip code. */
  plus4?: string;
  /** Postal code, of whatever country. */
  postal?: string;
  /** Country, by its English name. */
  country?: string;
  /** Congressional district, as `CA_12`. */
  us_district?: string;
  /** County, in the US. */
  us_county?: string;
  /** Degrees east of Greenwich. */
  longitude?: number | null;
  /** Degrees north of the equator. */
  latitude?: number | null;
  /** When it begins. */
  starts_at?: string | null;
  /** When it ends. */
  ends_at?: string | null;
  /** What everybody may read about it. */
  public_description?: string;
  /** How to get there. */
  directions?: string;
  /** What its host has to say to those who come. */
  note_to_attendees?: string;
  /** How many may come. */
  max_attendees?: number | null;
  /** Whether it is left out of searches. */
  is_private?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Whether staff let it be found: event_search leaves others out. */
  is_approved?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Whether its host is known to be one: event_search leaves others out. */
  host_is_confirmed?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** How it stands. */
  status?: "active" | "cancelled" | "deleted";
  /** Custom fields of the event; null is none. */
  fields?: {
    [name: string]: unknown;
  } | null;
};

export type EventfieldInput = {
  /** The event; filters may call it parent. */
  event: string | number;
  /** Its name. */
  name: string;
  /** Its value; one that is no text, as its JSON. */
  value: string;
};

export type Eventfield = {
  /** Id, unique among its kind. */
  id: number;
  /** The event; filters may call it parent. */
  event: string;
  /** Its name. */
  name: string;
  /** Its value; one that is no text, as its JSON. */
  value: string;
  /** URI of this object. */
  resource_uri: string;
};

export type EventfieldChange = {
  /** The event; filters may call it parent. */
  event?: string | number;
  /** Its name. */
  name?: string;
  /** Its value; one that is no text, as its JSON. */
  value?: string;
};

export type EventsignupInput = {
  /** The person it belongs to. */
  user: string | number;
  /** The event. */
  event: string | number;
  /** The page of events it was made on. */
  page?: string | null | number;
  /** Whether the person comes or hosts. */
  role?: "attendee" | "host";
  /** How it stands. */
  status?: "active" | "cancelled";
  /** Custom fields of the signup; null is none. */
  fields?: {
    [name: string]: unknown;
  } | null;
};

export type Eventsignup = {
  /** Id, unique among its kind. */
  id: number;
  /** The person it belongs to. */
  user: string;
  /** The event. */
  event: string;
  /** The page of events it was made on. */
  page: string | null;
  /** The action it was made with. */
  action: string | null;
  /** Whether the person comes or hosts. */
  role: "attendee" | "host";
  /** How it stands. */
  status: "active" | "cancelled";
  /** Custom fields of the signup; null is none. */
  fields: {
    [name: string]: unknown;
  };
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type EventsignupChange = {
  /** The person it belongs to. */
  user?: string | number;
  /** The event. */
  event?: string | number;
  /** The page of events it was made on. */
  page?: string | null | number;
  /** Whether the person comes or hosts. */
  role?: "attendee" | "host";
  /** How it stands. */
  status?: "active" | "cancelled";
  /** Custom fields of the signup; null is none. */
  fields?: {
    [name: string]: unknown;
  } | null;
};

export type EventcreatepageInput = {
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name: string;
  /** Its title, for people. */
  title?: string;
  /** How it stands. */
  status?: "active" | "inactive";
  /** Where people are led after an action. */
  url?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** How many are aimed at. */
  goal?: number | null;
  /** What the goal counts, in words of the client. */
  goal_type?: string;
  /** Custom fields by name; a value may be a list. A change takes those it names; null takes one away. */
  fields?: {
    [name: string]: unknown;
  } | null;
  /** Fields a submission must fill beside email or akid: their names, or objects with a `name`. */
  required_fields?: unknown[] | null;
  /** The list of subscribers. */
  list?: string | null | number;
  /** Language it is in. */
  language?: string | null | number;
  /** Pages in other languages that are the same campaign. */
  multilingual_campaign?: string | null | number;
  /** Tags it has. */
  tags?: (string | number | {
    /** URI of this object. */
    resource_uri: string;
  })[] | null;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup?: {
    [name: string]: unknown;
  } | null;
  /** The campaign its events belong to; null once that was deleted. */
  campaign: string | null | number;
};

export type Eventcreatepage = {
  /** Id, unique among its kind. */
  id: number;
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name: string;
  /** Its title, for people. */
  title: string;
  /** Of which kind it is. */
  type: "signup" | "petition" | "unsubscribe" | "whipcount" | "donation" | "import" | "eventcreate" | "eventsignup";
  /** How it stands. */
  status: "active" | "inactive";
  /** Where people are led after an action. */
  url: string;
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** How many are aimed at. */
  goal: number | null;
  /** What the goal counts, in words of the client. */
  goal_type: string;
  /** Custom fields by name; a value may be a list. A change takes those it names; null takes one away. */
  fields: {
    [name: string]: unknown;
  };
  /** Fields a submission must fill beside email or akid: their names, or objects with a `name`. */
  required_fields: unknown[];
  /** The list of subscribers. */
  list: string | null;
  /** Language it is in. */
  language: string | null;
  /** Pages in other languages that are the same campaign. */
  multilingual_campaign: string | null;
  /** Tags it has. */
  tags: string[];
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of the action collection, filtered. */
  actions: string;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup: {
    [name: string]: unknown;
  } | null;
  /** URI of the texts the page is shown with. */
  cms_form: string | null;
  /** The campaign its events belong to; null once that was deleted. */
  campaign: string | null;
  /** URI of this object. */
  resource_uri: string;
};

export type EventcreatepageChange = {
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name?: string;
  /** Its title, for people. */
  title?: string;
  /** How it stands. */
  status?: "active" | "inactive";
  /** Where people are led after an action. */
  url?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** How many are aimed at. */
  goal?: number | null;
  /** What the goal counts, in words of the client. */
  goal_type?: string;
  /** Custom fields by name; a value may be a list. A change takes those it names; null takes one away. */
  fields?: {
    [name: string]: unknown;
  } | null;
  /** Fields a submission must fill beside email or akid: their names, or objects with a `name`. */
  required_fields?: unknown[] | null;
  /** The list of subscribers. */
  list?: string | null | number;
  /** Language it is in. */
  language?: string | null | number;
  /** Pages in other languages that are the same campaign. */
  multilingual_campaign?: string | null | number;
  /** Tags it has. */
  tags?: (string | number | {
    /** URI of this object. */
    resource_uri: string;
  })[] | null;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup?: {
    [name: string]: unknown;
  } | null;
  /** The campaign its events belong to; null once that was deleted. */
  campaign?: string | null | number;
};

export type Eventcreateaction = {
  /** Id, unique among its kind. */
  id: number;
  /** The person it belongs to. */
  user: string;
  /** The page. */
  page: string;
  /** The mailing. */
  mailing: string | null;
  /** The person whose link led here. */
  referring_user: string | null;
  /** The mailing of another person whose link led here. */
  referring_mailing: string | null;
  /** Where it came from, in words of the client. */
  source: string;
  /** Number of the link that led here. */
  link: number | null;
  /** Kept for clients; empty. */
  opq_id: string;
  /** Whether the person was made by it. */
  created_user: boolean;
  /** Whether the person was subscribed by it. */
  subscribed_user: boolean;
  /** Whether the link had been passed on by another person. */
  is_forwarded: boolean;
  /** How it stands. */
  status: "incomplete" | "complete" | "failed";
  /** Address on the net it was done from. */
  ip_address: string | null;
  /** The akid it was done with, to accounts with the grant user:read; to others empty, and akid merely names. */
  taken_with: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
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
  /** Id, unique among its kind. */
  id: number;
  /** The person it belongs to. */
  user: string;
  /** The page. */
  page: string;
  /** The mailing. */
  mailing: string | null;
  /** The person whose link led here. */
  referring_user: string | null;
  /** The mailing of another person whose link led here. */
  referring_mailing: string | null;
  /** Where it came from, in words of the client. */
  source: string;
  /** Number of the link that led here. */
  link: number | null;
  /** Kept for clients; empty. */
  opq_id: string;
  /** Whether the person was made by it. */
  created_user: boolean;
  /** Whether the person was subscribed by it. */
  subscribed_user: boolean;
  /** Whether the link had been passed on by another person. */
  is_forwarded: boolean;
  /** How it stands. */
  status: "incomplete" | "complete" | "failed";
  /** Address on the net it was done from. */
  ip_address: string | null;
  /** The akid it was done with, to accounts with the grant user:read; to others empty, and akid merely names. */
  taken_with: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
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
  /** The same as `eventsignup`. */
  signup: string | null;
  /** URI of this object. */
  resource_uri: string;
};

export type DonationpageInput = {
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name: string;
  /** Its title, for people. */
  title?: string;
  /** How it stands. */
  status?: "active" | "inactive";
  /** Where people are led after an action. */
  url?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** How many are aimed at. */
  goal?: number | null;
  /** What the goal counts, in words of the client. */
  goal_type?: string;
  /** Custom fields by name; a value may be a list. A change takes those it names; null takes one away. */
  fields?: {
    [name: string]: unknown;
  } | null;
  /** Fields a submission must fill beside email or akid: their names, or objects with a `name`. */
  required_fields?: unknown[] | null;
  /** The list of subscribers. */
  list?: string | null | number;
  /** Language it is in. */
  language?: string | null | number;
  /** Pages in other languages that are the same campaign. */
  multilingual_campaign?: string | null | number;
  /** Tags it has. */
  tags?: (string | number | {
    /** URI of this object. */
    resource_uri: string;
  })[] | null;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup?: {
    [name: string]: unknown;
  } | null;
  /** Where its payments are booked; a new page takes the first import-stub account unless it names one. */
  payment_account?: string | null | number;
};

export type Donationpage = {
  /** Id, unique among its kind. */
  id: number;
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name: string;
  /** Its title, for people. */
  title: string;
  /** Of which kind it is. */
  type: "signup" | "petition" | "unsubscribe" | "whipcount" | "donation" | "import" | "eventcreate" | "eventsignup";
  /** How it stands. */
  status: "active" | "inactive";
  /** Where people are led after an action. */
  url: string;
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** How many are aimed at. */
  goal: number | null;
  /** What the goal counts, in words of the client. */
  goal_type: string;
  /** Custom fields by name; a value may be a list. A change takes those it names; null takes one away. */
  fields: {
    [name: string]: unknown;
  };
  /** Fields a submission must fill beside email or akid: their names, or objects with a `name`. */
  required_fields: unknown[];
  /** The list of subscribers. */
  list: string | null;
  /** Language it is in. */
  language: string | null;
  /** Pages in other languages that are the same campaign. */
  multilingual_campaign: string | null;
  /** Tags it has. */
  tags: string[];
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
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
  /** Its title, for people. */
  title?: string;
  /** How it stands. */
  status?: "active" | "inactive";
  /** Where people are led after an action. */
  url?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** How many are aimed at. */
  goal?: number | null;
  /** What the goal counts, in words of the client. */
  goal_type?: string;
  /** Custom fields by name; a value may be a list. A change takes those it names; null takes one away. */
  fields?: {
    [name: string]: unknown;
  } | null;
  /** Fields a submission must fill beside email or akid: their names, or objects with a `name`. */
  required_fields?: unknown[] | null;
  /** The list of subscribers. */
  list?: string | null | number;
  /** Language it is in. */
  language?: string | null | number;
  /** Pages in other languages that are the same campaign. */
  multilingual_campaign?: string | null | number;
  /** Tags it has. */
  tags?: (string | number | {
    /** URI of this object. */
    resource_uri: string;
  })[] | null;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup?: {
    [name: string]: unknown;
  } | null;
  /** Where its payments are booked; a new page takes the first import-stub account unless it names one. */
  payment_account?: string | null | number;
};

export type DonationformInput = {
  /** The page. */
  page: string | number;
  /** Text that asks for a donation, HTML. */
  ask_text?: string;
  /** What is said after it, HTML. */
  thank_you_text?: string;
  /** Products offered. */
  products?: (string | number)[];
  /** Candidates donations can be for. */
  candidates?: (string | number)[];
  /** Whether people meet it on pages of a client. */
  client_hosted?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Where it is on those pages. */
  client_url?: string;
};

export type Donationform = {
  /** Id, unique among its kind. */
  id: number;
  /** The page. */
  page: string;
  /** Text that asks for a donation, HTML. */
  ask_text: string;
  /** What is said after it, HTML. */
  thank_you_text: string;
  /** Products offered. */
  products: string[];
  /** Candidates donations can be for. */
  candidates: string[];
  /** Whether people meet it on pages of a client. */
  client_hosted: boolean;
  /** Where it is on those pages. */
  client_url: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type DonationformChange = {
  /** The page. */
  page?: string | number;
  /** Text that asks for a donation, HTML. */
  ask_text?: string;
  /** What is said after it, HTML. */
  thank_you_text?: string;
  /** Products offered. */
  products?: (string | number)[];
  /** Candidates donations can be for. */
  candidates?: (string | number)[];
  /** Whether people meet it on pages of a client. */
  client_hosted?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Where it is on those pages. */
  client_url?: string;
};

export type Donationaction = {
  /** Id, unique among its kind. */
  id: number;
  /** The person it belongs to. */
  user: string;
  /** The page. */
  page: string;
  /** The mailing. */
  mailing: string | null;
  /** The person whose link led here. */
  referring_user: string | null;
  /** The mailing of another person whose link led here. */
  referring_mailing: string | null;
  /** Where it came from, in words of the client. */
  source: string;
  /** Number of the link that led here. */
  link: number | null;
  /** Kept for clients; empty. */
  opq_id: string;
  /** Whether the person was made by it. */
  created_user: boolean;
  /** Whether the person was subscribed by it. */
  subscribed_user: boolean;
  /** Whether the link had been passed on by another person. */
  is_forwarded: boolean;
  /** How it stands. */
  status: "incomplete" | "complete" | "failed";
  /** Address on the net it was done from. */
  ip_address: string | null;
  /** The akid it was done with, to accounts with the grant user:read; to others empty, and akid merely names. */
  taken_with: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
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
  /** Id, unique among its kind. */
  id: number;
  /** Email address. */
  email: string;
  /** Its name. */
  name: string;
  /** The page. */
  page: string;
  /** Which fields were wrong. */
  errors: {
    [name: string]: unknown;
  };
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type Order = {
  /** Id, unique among its kind. */
  id: number;
  /** The action it came with. */
  action: string;
  /** The person it belongs to. */
  user: string;
  /** Name and address as given with the order. */
  user_detail: string;
  /** Name of the payment account. */
  account: string;
  /** Last four characters of the card number. */
  card_num_last_four: string;
  /** Three-letter ISO code. */
  currency: string;
  /** Sum, in its currency, a decimal as text such as 10.00. */
  total: string;
  /** In US dollars. */
  total_converted: string;
  /** Id of the donation elsewhere, unique. */
  import_id: string | null;
  /** How it was paid. */
  payment_method: string;
  /** How it stands. */
  status: "completed" | "reversed" | "failed" | "incomplete" | "pending";
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** Its parts. */
  orderdetails: string[];
  /** Its recurring profile, in a list. */
  orderrecurrings: string[];
  /** None: nothing is shipped from here. */
  shipping_address: string | null;
  /** Payments on it. */
  transactions: string[];
  /** POST here reverses it. */
  reverse: string;
  /** URI of this object. */
  resource_uri: string;
};

export type OrderChange = {
  /** The action it came with. */
  action?: string | number;
  /** The action it came with. */
  action_id?: string | number;
  /** Name of the payment account. */
  account?: string;
  /** Three-letter ISO code. */
  currency?: string;
  /** Sum, in its currency, a decimal as text such as 10.00. */
  total?: string | number;
  /** Id of the donation elsewhere, unique. */
  import_id?: string | null;
  /** How it was paid. */
  payment_method?: string;
  /** How it stands. */
  status?: "completed" | "reversed" | "failed" | "incomplete" | "pending" | "complete";
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at?: string;
};

export type Orderdetail = {
  /** Id, unique among its kind. */
  id: number;
  /** The order it belongs to. */
  order: string;
  /** The candidate it is for. */
  candidate: string | null;
  /** The product. */
  product: string | null;
  /** How many. */
  quantity: number;
  /** Money, in its currency, a decimal as text such as 10.00. */
  amount: string;
  /** In US dollars. */
  amount_converted: string;
  /** Three-letter ISO code of the currency. */
  currency: string;
  /** How it stands. */
  status: "completed" | "reversed" | "failed" | "incomplete" | "pending";
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type Orderuserdetail = {
  /** Id, unique among its kind. */
  id: number;
  /** Email address. */
  email: string;
  /** What stands before a name, such as Dr. */
  prefix: string;
  /** First name. */
  first_name: string;
  /** Middle name. */
  middle_name: string;
  /** Last name. */
  last_name: string;
  /** What stands after a name, such as Jr. */
  suffix: string;
  /** First line of the address. */
  address1: string;
  /** Second line of the address. */
  address2: string;
  /** City. */
  city: string;
  /** State, as two letters in the US. */
  state: string;
  /** Region, outside the US. */
  region: string;
  /** Zip code, five digits, in the US. */
  zip: string;
  /** The four digits after the zip code. */
  plus4: string;
  /** Postal code, of whatever country. */
  postal: string;
  /** Country, by its English name. */
  country: string;
  /** Where it came from, in words of the client. */
  source: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type OrderuserdetailChange = {
  /** Email address. */
  email?: string;
  /** What stands before a name, such as Dr. */
  prefix?: string;
  /** First name. */
  first_name?: string;
  /** Middle name. */
  middle_name?: string;
  /** Last name. */
  last_name?: string;
  /** What stands after a name, such as Jr. */
  suffix?: string;
  /** First line of the address. */
  address1?: string;
  /** Second line of the address. */
  address2?: string;
  /** City. */
  city?: string;
  /** State, as two letters in the US. */
  state?: string;
  /** Region, outside the US. */
  region?: string;
  /** Zip code, five digits, in the US. */
  zip?: string;
  /** The four digits after the zip code. */
  plus4?: string;
  /** Postal code, of whatever country. */
  postal?: string;
  /** Country, by its English name. */
  country?: string;
  /** Where it came from, in words of the client. */
  source?: string;
};

export type Orderrecurring = {
  /** Id, unique among its kind. */
  id: number;
  /** The order it belongs to. */
  order: string;
  /** The action it came with. */
  action: string;
  /** The person it belongs to. */
  user: string;
  /** Name of the payment account. */
  account: string;
  /** Id of the profile elsewhere. */
  recurring_id: string;
  /** When the card ends, MMYY. */
  exp_date: string;
  /** Its last four characters are kept. */
  card_num: string;
  /** Money, in its currency, a decimal as text such as 10.00. */
  amount: string;
  /** In US dollars. */
  amount_converted: string;
  /** Three-letter ISO code. */
  currency: string;
  /** How often. */
  period: "weeks" | "months";
  /** Day of the first charge. */
  start: string;
  /** How it stands. */
  status: "active" | "past_due" | "canceled_by_user" | "canceled_by_admin" | "canceled_by_processor" | "canceled_by_failure" | "canceled_by_expired";
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** POST here cancels it. */
  cancel: string;
  /** URI of this object. */
  resource_uri: string;
};

export type OrderrecurringChange = {
  /** Name of the payment account. */
  account?: string;
  /** Id of the profile elsewhere. */
  recurring_id?: string;
  /** When the card ends, MMYY. */
  exp_date?: string;
  /** Its last four characters are kept. */
  card_num?: string;
  /** Money, in its currency, a decimal as text such as 10.00. */
  amount?: string | number;
  /** Three-letter ISO code. */
  currency?: string;
  /** How often. */
  period?: "weeks" | "months";
  /** How often. */
  recurring_period?: "weeks" | "months";
  /** Day of the first charge. */
  start?: string;
  /** Day of the first charge. */
  recurring_start?: string;
  /** How it stands. */
  status?: "active" | "past_due" | "canceled_by_user" | "canceled_by_admin" | "canceled_by_processor" | "canceled_by_failure" | "canceled_by_expired";
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at?: string;
};

export type TransactionInput = {
  /** Of which kind it is. */
  type?: "sale" | "credit" | "recurring_order_create" | "recurring_order_update" | "recurring_order_cancel";
  /** The order it belongs to. */
  order: string | number;
  /** Name of the payment account. */
  account?: string;
  /** Money, in its currency, a decimal as text such as 10.00. */
  amount: string | number;
  /** In US dollars. */
  amount_converted?: string | number;
  /** Three-letter ISO code. */
  currency?: string;
  /** Whether it did what was asked. */
  success?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** How it stands. */
  status?: "completed" | "failed" | "reversed" | "incomplete" | "pending" | "complete";
  /** Id of the payment elsewhere. */
  trans_id?: string;
  /** Code of why it failed. */
  failure_code?: string;
  /** Why it failed, in short. */
  failure_description?: string;
  /** Why it failed, in words. */
  failure_message?: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at?: string;
};

export type Transaction = {
  /** Id, unique among its kind. */
  id: number;
  /** Of which kind it is. */
  type: "sale" | "credit" | "recurring_order_create" | "recurring_order_update" | "recurring_order_cancel";
  /** The order it belongs to. */
  order: string;
  /** Name of the payment account. */
  account: string;
  /** Money, in its currency, a decimal as text such as 10.00. */
  amount: string;
  /** In US dollars. */
  amount_converted: string;
  /** Three-letter ISO code. */
  currency: string;
  /** Whether it did what was asked. */
  success: boolean;
  /** How it stands. */
  status: "completed" | "failed" | "reversed" | "incomplete" | "pending";
  /** Id of the payment elsewhere. */
  trans_id: string;
  /** Code of why it failed. */
  failure_code: string;
  /** Why it failed, in short. */
  failure_description: string;
  /** Why it failed, in words. */
  failure_message: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** Always false: no money moves through here. */
  test_mode: boolean;
  /** POST here reverses it. */
  reverse: string;
  /** URI of this object. */
  resource_uri: string;
};

export type TransactionChange = {
  /** Of which kind it is. */
  type?: "sale" | "credit" | "recurring_order_create" | "recurring_order_update" | "recurring_order_cancel";
  /** The order it belongs to. */
  order?: string | number;
  /** Name of the payment account. */
  account?: string;
  /** Money, in its currency, a decimal as text such as 10.00. */
  amount?: string | number;
  /** In US dollars. */
  amount_converted?: string | number;
  /** Three-letter ISO code. */
  currency?: string;
  /** Whether it did what was asked. */
  success?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** How it stands. */
  status?: "completed" | "failed" | "reversed" | "incomplete" | "pending" | "complete";
  /** Id of the payment elsewhere. */
  trans_id?: string;
  /** Code of why it failed. */
  failure_code?: string;
  /** Why it failed, in short. */
  failure_description?: string;
  /** Why it failed, in words. */
  failure_message?: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at?: string;
};

export type PaymentaccountInput = {
  /** Its name. */
  name: string;
  /** Who processes the payments. */
  processor?: string;
  /** Three-letter ISO code. */
  currency?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Paymentaccount = {
  /** Id, unique among its kind. */
  id: number;
  /** Its name. */
  name: string;
  /** Who processes the payments. */
  processor: string;
  /** Three-letter ISO code. */
  currency: string;
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type PaymentaccountChange = {
  /** Its name. */
  name?: string;
  /** Who processes the payments. */
  processor?: string;
  /** Three-letter ISO code. */
  currency?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type CandidateInput = {
  /** Its name. */
  name: string;
  /** What it is for, in words for people. */
  description?: string;
  /** Where a picture is. */
  portrait_url?: string;
  /** How it stands. */
  status?: "active" | "inactive";
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Candidate = {
  /** Id, unique among its kind. */
  id: number;
  /** Its name. */
  name: string;
  /** What it is for, in words for people. */
  description: string;
  /** Where a picture is. */
  portrait_url: string;
  /** How it stands. */
  status: "active" | "inactive";
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type CandidateChange = {
  /** Its name. */
  name?: string;
  /** What it is for, in words for people. */
  description?: string;
  /** Where a picture is. */
  portrait_url?: string;
  /** How it stands. */
  status?: "active" | "inactive";
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type ProductInput = {
  /** Its name. */
  name: string;
  /** What it is for, in words for people. */
  description?: string;
  /** Price of one, a decimal as text such as 10.00. */
  price?: string;
  /** Whether it is sent by post. */
  shippable?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** How it stands. */
  status?: "active" | "inactive";
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Product = {
  /** Id, unique among its kind. */
  id: number;
  /** Its name. */
  name: string;
  /** What it is for, in words for people. */
  description: string;
  /** Price of one, a decimal as text such as 10.00. */
  price: string;
  /** Whether it is sent by post. */
  shippable: boolean;
  /** How it stands. */
  status: "active" | "inactive";
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type ProductChange = {
  /** Its name. */
  name?: string;
  /** What it is for, in words for people. */
  description?: string;
  /** Price of one, a decimal as text such as 10.00. */
  price?: string;
  /** Whether it is sent by post. */
  shippable?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** How it stands. */
  status?: "active" | "inactive";
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type CurrencyInput = {
  /** Three-letter ISO code. */
  iso_code: string;
  /** Its name. */
  name?: string;
  /** Units of this currency for one euro. */
  per_euro: string;
  /** Day of the rate. */
  rate_date?: string | null;
};

export type Currency = {
  /** Id, unique among its kind. */
  id: number;
  /** Three-letter ISO code. */
  iso_code: string;
  /** Its name. */
  name: string;
  /** Units of this currency for one euro. */
  per_euro: string;
  /** Day of the rate. */
  rate_date: string | null;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type CurrencyChange = {
  /** Three-letter ISO code. */
  iso_code?: string;
  /** Its name. */
  name?: string;
  /** Units of this currency for one euro. */
  per_euro?: string;
  /** Day of the rate. */
  rate_date?: string | null;
};

export type Backgroundtask = {
  /** Id, unique among its kind. */
  id: number;
  /** Name it is referred to by. */
  short_name: string;
  /** How rows are written: json, csv or tsv. */
  format: "json" | "csv" | "tsv";
  /** Whether the result is given out as a ZIP archive. */
  zipped: boolean;
  /** How it stands. */
  status: "pending" | "running" | "completed" | "failed";
  /** Rows of the result. */
  row_count: number | null;
  /** Size of the result. */
  byte_count: number | null;
  /** Why it failed, why it is being tried again, or whom it could not be mailed to. */
  errors: unknown[];
  /** When work on it began, in UTC; null before. */
  started_at: string | null;
  /** When work on it ended, in UTC; null before. */
  finished_at: string | null;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** Whether it is over. */
  finished: boolean;
  /** Whether it is over, as finished. */
  completed: boolean;
  /** status: complete, failed, running or pending; download_uri: where the result is, or null; errors. */
  details: {
    [name: string]: unknown;
  };
  /** Whether it did what was asked. */
  success: boolean;
  /** URI of the result, once there is one. */
  download: string | null;
  /** URI of this object. */
  resource_uri: string;
};

export type WhipcountpageInput = {
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name: string;
  /** Its title, for people. */
  title?: string;
  /** How it stands. */
  status?: "active" | "inactive";
  /** Where people are led after an action. */
  url?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** How many are aimed at. */
  goal?: number | null;
  /** What the goal counts, in words of the client. */
  goal_type?: string;
  /** Custom fields by name; a value may be a list. A change takes those it names; null takes one away. */
  fields?: {
    [name: string]: unknown;
  } | null;
  /** Fields a submission must fill beside email or akid: their names, or objects with a `name`. */
  required_fields?: unknown[] | null;
  /** The list of subscribers. */
  list?: string | null | number;
  /** Language it is in. */
  language?: string | null | number;
  /** Pages in other languages that are the same campaign. */
  multilingual_campaign?: string | null | number;
  /** Tags it has. */
  tags?: (string | number | {
    /** URI of this object. */
    resource_uri: string;
  })[] | null;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup?: {
    [name: string]: unknown;
  } | null;
  /** Who hosts the page. */
  hosted_with?: string | null;
  /** Texts and rules of the page. */
  whipcountform?: {
    [name: string]: unknown;
  } | null;
  /** Written as URIs, shown as objects. */
  target_groups?: unknown[];
};

export type Whipcountpage = {
  /** Id, unique among its kind. */
  id: number;
  /** Short name, unique among pages of every type: what submissions name in `page`. */
  name: string;
  /** Its title, for people. */
  title: string;
  /** Of which kind it is. */
  type: "signup" | "petition" | "unsubscribe" | "whipcount" | "donation" | "import" | "eventcreate" | "eventsignup";
  /** How it stands. */
  status: "active" | "inactive";
  /** Where people are led after an action. */
  url: string;
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** How many are aimed at. */
  goal: number | null;
  /** What the goal counts, in words of the client. */
  goal_type: string;
  /** Custom fields by name; a value may be a list. A change takes those it names; null takes one away. */
  fields: {
    [name: string]: unknown;
  };
  /** Fields a submission must fill beside email or akid: their names, or objects with a `name`. */
  required_fields: unknown[];
  /** The list of subscribers. */
  list: string | null;
  /** Language it is in. */
  language: string | null;
  /** Pages in other languages that are the same campaign. */
  multilingual_campaign: string | null;
  /** Tags it has. */
  tags: string[];
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of the action collection, filtered. */
  actions: string;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup: {
    [name: string]: unknown;
  } | null;
  /** URI of the texts the page is shown with. */
  cms_form: string | null;
  /** Who hosts the page. */
  hosted_with: string | null;
  /** Texts and rules of the page. */
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
  /** Its title, for people. */
  title?: string;
  /** How it stands. */
  status?: "active" | "inactive";
  /** Where people are led after an action. */
  url?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** How many are aimed at. */
  goal?: number | null;
  /** What the goal counts, in words of the client. */
  goal_type?: string;
  /** Custom fields by name; a value may be a list. A change takes those it names; null takes one away. */
  fields?: {
    [name: string]: unknown;
  } | null;
  /** Fields a submission must fill beside email or akid: their names, or objects with a `name`. */
  required_fields?: unknown[] | null;
  /** The list of subscribers. */
  list?: string | null | number;
  /** Language it is in. */
  language?: string | null | number;
  /** Pages in other languages that are the same campaign. */
  multilingual_campaign?: string | null | number;
  /** Tags it has. */
  tags?: (string | number | {
    /** URI of this object. */
    resource_uri: string;
  })[] | null;
  /** What follows an action: url, send_email, email_subject, email_body … A change replaces only what is sent. */
  followup?: {
    [name: string]: unknown;
  } | null;
  /** Who hosts the page. */
  hosted_with?: string | null;
  /** Texts and rules of the page. */
  whipcountform?: {
    [name: string]: unknown;
  } | null;
  /** Written as URIs, shown as objects. */
  target_groups?: unknown[];
};

export type Whipcountform = {
  /** Id, unique among its kind. */
  id: number;
  /** The page. */
  page: string;
  /** Text above the form, HTML. */
  introduction_text: string;
  /** What callers may say, HTML. */
  script_text: string;
  /** What callers are asked about the call, HTML. */
  survey_question_text: string;
  /** What is said after it, HTML. */
  thank_you_text: string;
  /** So many callers must have reported before a stance counts as known. */
  minimum_calls: number;
  /** Share of callers who must have reported the same, as a decimal string. */
  minimum_response_agreement: string;
  /** What the results are made of. */
  results_source: string;
  /** Whether people meet it on pages of a client. */
  client_hosted: boolean;
  /** Where it is on those pages. */
  client_url: string;
  /** URI of what it is shown with, kept for the pages of a client. */
  templateset: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type WhipcountformChange = {
  /** Text above the form, HTML. */
  introduction_text?: string;
  /** What callers may say, HTML. */
  script_text?: string;
  /** What callers are asked about the call, HTML. */
  survey_question_text?: string;
  /** What is said after it, HTML. */
  thank_you_text?: string;
  /** So many callers must have reported before a stance counts as known. */
  minimum_calls?: number;
  /** Share of callers who must have reported the same, as a decimal string. */
  minimum_response_agreement?: string;
  /** What the results are made of. */
  results_source?: string;
  /** Whether people meet it on pages of a client. */
  client_hosted?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Where it is on those pages. */
  client_url?: string;
  /** URI of what it is shown with, kept for the pages of a client. */
  templateset?: string;
};

export type Whipcountactioncalled = {
  /** Id, unique among its kind. */
  id: number;
  /** The action it was reported with. */
  whipcountaction: string;
  /** The target, whole. */
  target: {
    [name: string]: unknown;
  };
  /** What the target said, in words of the caller. */
  response: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type WhipcountactioncalledChange = {
  /** What the target said, in words of the caller. */
  response?: string;
};

export type WhipcountoverrideInput = {
  /** The page. */
  page: string | number;
  /** The person people call. */
  target: string | number;
  /** Where the target stands, whatever callers report. */
  stance: "uncommitted" | "supportive" | "opposed" | "message";
  /** A note for those who work with it. */
  note?: string;
};

export type Whipcountoverride = {
  /** Id, unique among its kind. */
  id: number;
  /** The page. */
  page: string;
  /** The person people call. */
  target: string;
  /** Where the target stands, whatever callers report. */
  stance: "uncommitted" | "supportive" | "opposed" | "message";
  /** A note for those who work with it. */
  note: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type WhipcountoverrideChange = {
  /** The page. */
  page?: string | number;
  /** The person people call. */
  target?: string | number;
  /** Where the target stands, whatever callers report. */
  stance?: "uncommitted" | "supportive" | "opposed" | "message";
  /** A note for those who work with it. */
  note?: string;
};

export type TargetInput = {
  /** Of which kind it is. */
  type: "senate" | "house" | "state_senate" | "state_house" | "executive" | "other";
  /** Country, by its English name. */
  country?: string;
  /** State, as two letters in the US. */
  state?: string;
  /** `CA_12` in the House, `CA_senior` or `CA_junior` in the Senate. */
  seat?: string;
  /** `CA_12`; at large is `AK_00`. */
  us_district?: string;
  /** First name. */
  first?: string;
  /** Last name. */
  last?: string;
  /** Gender. */
  gender?: string;
  /** Party. */
  party?: string;
  /** Its title, for people. */
  title?: string;
  /** Title in full. */
  long_title?: string;
  /** Phone number. */
  phone?: string;
  /** Fax number. */
  fax?: string;
  /** Email address. */
  email?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Target = {
  /** Id, unique among its kind. */
  id: number;
  /** Of which kind it is. */
  type: "senate" | "house" | "state_senate" | "state_house" | "executive" | "other";
  /** Country, by its English name. */
  country: string;
  /** State, as two letters in the US. */
  state: string;
  /** `CA_12` in the House, `CA_senior` or `CA_junior` in the Senate. */
  seat: string;
  /** `CA_12`; at large is `AK_00`. */
  us_district: string;
  /** First name. */
  first: string;
  /** Last name. */
  last: string;
  /** Gender. */
  gender: string;
  /** Party. */
  party: string;
  /** Its title, for people. */
  title: string;
  /** Title in full. */
  long_title: string;
  /** Phone number. */
  phone: string;
  /** Fax number. */
  fax: string;
  /** Email address. */
  email: string;
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
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
  /** Of which kind it is. */
  type?: "senate" | "house" | "state_senate" | "state_house" | "executive" | "other";
  /** Country, by its English name. */
  country?: string;
  /** State, as two letters in the US. */
  state?: string;
  /** `CA_12` in the House, `CA_senior` or `CA_junior` in the Senate. */
  seat?: string;
  /** `CA_12`; at large is `AK_00`. */
  us_district?: string;
  /** First name. */
  first?: string;
  /** Last name. */
  last?: string;
  /** Gender. */
  gender?: string;
  /** Party. */
  party?: string;
  /** Its title, for people. */
  title?: string;
  /** Title in full. */
  long_title?: string;
  /** Phone number. */
  phone?: string;
  /** Fax number. */
  fax?: string;
  /** Email address. */
  email?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Targetgroup = {
  /** Id, unique among its kind. */
  id: number;
  /** Its name. */
  name: string;
  /** Of which kind it is. */
  type: "senate" | "house" | "congress" | "special";
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** Whether nobody may change it. */
  readonly: boolean;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of its full list of targets. */
  all: string;
  /** URI of this object. */
  resource_uri: string;
};

export type TargetgroupChange = {
  /** Its name. */
  name?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** URIs of its targets, never shown here: `all` has the targets, page by page. A change replaces them all. */
  targets?: (string | number)[];
};

export type CongresstargetgroupInput = {
  /** Its name. */
  name: string;
  /** Of which kind it is. */
  type: "senate" | "house" | "congress";
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** URIs of its targets; `all` has the targets themselves, page by page. A change replaces them all. */
  targets?: (string | number)[];
};

export type Congresstargetgroup = {
  /** Id, unique among its kind. */
  id: number;
  /** Its name. */
  name: string;
  /** Of which kind it is. */
  type: "senate" | "house" | "congress";
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** Whether nobody may change it. */
  readonly: boolean;
  /** URIs of its targets; `all` has the targets themselves, page by page. A change replaces them all. */
  targets: string[];
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of its full list of targets. */
  all: string;
  /** URI of this object. */
  resource_uri: string;
};

export type CongresstargetgroupChange = {
  /** Its name. */
  name?: string;
  /** Of which kind it is. */
  type?: "senate" | "house" | "congress";
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** URIs of its targets; `all` has the targets themselves, page by page. A change replaces them all. */
  targets?: (string | number)[];
};

export type SpecialtargetgroupInput = {
  /** Its name. */
  name: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** URIs of its targets; `all` has the targets themselves, page by page. A change replaces them all. */
  targets?: (string | number)[];
};

export type Specialtargetgroup = {
  /** Id, unique among its kind. */
  id: number;
  /** Its name. */
  name: string;
  /** Of which kind it is. */
  type: "senate" | "house" | "congress" | "special";
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** Whether nobody may change it. */
  readonly: boolean;
  /** URIs of its targets; `all` has the targets themselves, page by page. A change replaces them all. */
  targets: string[];
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of its full list of targets. */
  all: string;
  /** URI of this object. */
  resource_uri: string;
};

export type SpecialtargetgroupChange = {
  /** Its name. */
  name?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** URIs of its targets; `all` has the targets themselves, page by page. A change replaces them all. */
  targets?: (string | number)[];
};

export type Tag = {
  /** Id, unique among its kind. */
  id: number;
  /** Its name. */
  name: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type FromlineInput = {
  /** Sender, as `"Name" <name@example.org>`. */
  from_line: string;
  /** Whether it is taken where none is named; the one that was so is it no more. */
  is_default?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Fromline = {
  /** Id, unique among its kind. */
  id: number;
  /** Sender, as `"Name" <name@example.org>`. */
  from_line: string;
  /** Whether it is taken where none is named; the one that was so is it no more. */
  is_default: boolean;
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type FromlineChange = {
  /** Sender, as `"Name" <name@example.org>`. */
  from_line?: string;
  /** Whether it is taken where none is named; the one that was so is it no more. */
  is_default?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type EmailwrapperInput = {
  /** Its name. */
  name: string;
  /** Template around the content of a mail, HTML. */
  template?: string;
  /** Template around the text version. */
  text_template?: string;
  /** Language it is in, or is written to in. */
  lang?: string | null | number;
  /** How to unsubscribe, in the text version. */
  unsubscribe_text?: string;
  /** How to unsubscribe, HTML. */
  unsubscribe_html?: string;
  /** Whether it is taken where none is named; the one that was so is it no more. */
  is_default?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Emailwrapper = {
  /** Id, unique among its kind. */
  id: number;
  /** Its name. */
  name: string;
  /** Template around the content of a mail, HTML. */
  template: string;
  /** Template around the text version. */
  text_template: string;
  /** Language it is in, or is written to in. */
  lang: string | null;
  /** How to unsubscribe, in the text version. */
  unsubscribe_text: string;
  /** How to unsubscribe, HTML. */
  unsubscribe_html: string;
  /** Whether it is taken where none is named; the one that was so is it no more. */
  is_default: boolean;
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type EmailwrapperChange = {
  /** Its name. */
  name?: string;
  /** Template around the content of a mail, HTML. */
  template?: string;
  /** Template around the text version. */
  text_template?: string;
  /** Language it is in, or is written to in. */
  lang?: string | null | number;
  /** How to unsubscribe, in the text version. */
  unsubscribe_text?: string;
  /** How to unsubscribe, HTML. */
  unsubscribe_html?: string;
  /** Whether it is taken where none is named; the one that was so is it no more. */
  is_default?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type SnippetInput = {
  /** As in {% include "name" %}. */
  name: string;
  /** What is included in HTML. */
  html?: string;
  /** What is included in text and subjects; made from the HTML where empty. */
  text?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Snippet = {
  /** Id, unique among its kind. */
  id: number;
  /** As in {% include "name" %}. */
  name: string;
  /** What is included in HTML. */
  html: string;
  /** What is included in text and subjects; made from the HTML where empty. */
  text: string;
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
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
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type MailingsubjectInput = {
  /** The mailing; a new subject stands behind those it has. */
  mailing: string | number;
  /** A template, of one line. */
  text: string;
  /** What mail programs show beside it. */
  preview_text?: string;
};

export type Mailingsubject = {
  /** Id, unique among its kind. */
  id: number;
  /** The mailing; a new subject stands behind those it has. */
  mailing: string;
  /** A template, of one line. */
  text: string;
  /** What mail programs show beside it. */
  preview_text: string;
  /** URI of this object. */
  resource_uri: string;
};

export type QueryreportInput = {
  /** Its name. */
  name: string;
  /** Name it is referred to by. */
  short_name: string;
  /** SQL statement. */
  sql: string;
  /** What the SQL is written in; REPORT_DIALECT unless given. */
  dialect?: "postgresql" | "mysql";
  /** What it is for, in words for people. */
  description?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Queryreport = {
  /** Id, unique among its kind. */
  id: number;
  /** Its name. */
  name: string;
  /** Name it is referred to by. */
  short_name: string;
  /** SQL statement. */
  sql: string;
  /** What the SQL is written in; REPORT_DIALECT unless given. */
  dialect: "postgresql" | "mysql";
  /** What it is for, in words for people. */
  description: string;
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type QueryreportChange = {
  /** Its name. */
  name?: string;
  /** Name it is referred to by. */
  short_name?: string;
  /** SQL statement. */
  sql?: string;
  /** What the SQL is written in; REPORT_DIALECT unless given. */
  dialect?: "postgresql" | "mysql";
  /** What it is for, in words for people. */
  description?: string;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Mergefile = {
  /** Id, unique among its kind. */
  id: number;
  /** Its name. */
  name: string;
  /** Name of the file as it was sent. */
  filename: string;
  /** How it stands. */
  status: "loaded";
  /** People it has a row for; of a file sent without the grant user:read, the rows that may be somebody’s. */
  row_count: number;
  /** The column that says whose a row is. */
  lookup_column: "email" | "user_id" | "akid";
  /** Names templates show as row.name. */
  columns: string[];
  /** What was left out of the file and why; empty when nothing was. */
  error: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type MergefileChange = {
  /** Its name. */
  name?: string;
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
  /** Id, unique among its kind. */
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
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
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
  /** Of a mailing that is there only html, text, custom_fromline, reply_to, subjects, notes, hidden, web_viewable, test_group, is_model are taken here. */
  notes?: string;
  /** Whether it can be read on the web. */
  web_viewable?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Mailings that are held against each other; a copy stays in it with keep_test_group. */
  test_group?: string | null | number;
  /** Whether it is left out of the choices people are offered. */
  hidden?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** HTML version, a template. */
  html?: string;
  /** Text version, a template. */
  text?: string;
  /** Sender stored with this mailing alone. */
  custom_fromline?: string;
  /** Reply-To address. */
  reply_to?: string;
  /** With the ids the results go by. Texts alone are taken, too. */
  subjects?: (string | {
    /** Id, unique among its kind. */
    id?: number;
    /** Text version, a template. */
    text?: string;
    /** What mail programs show beside the subject. */
    preview_text?: string;
  })[] | null;
  /** true makes a draft a model, which is copied and never sent; false makes it a draft again. */
  is_model?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
};

export type Mailing = {
  /** Id, unique among its kind. */
  id: number;
  /** Of a mailing that is there only html, text, custom_fromline, reply_to, subjects, notes, hidden, web_viewable, test_group, is_model are taken here. */
  notes: string;
  /** Sender. */
  fromline: string | null;
  /** Wrapper around the content; without one, the default. */
  emailwrapper: string | null;
  /** Language it is in, or is written to in. */
  lang: string | null;
  /** The page the mail leads to. */
  landing_page: string | null;
  /** File whose rows templates may show. */
  mergefile: string | null;
  /** Whether it can be read on the web. */
  web_viewable: boolean;
  /** Whether openings are counted. */
  track_opens: boolean;
  /** Whether clicks are counted. */
  track_clicks: boolean;
  /** Mailings that are held against each other; a copy stays in it with keep_test_group. */
  test_group: string | null;
  /** Whether it is left out of the choices people are offered. */
  hidden: boolean;
  /** Custom fields by name; a value may be a list. */
  fields: unknown[];
  /** Tags it has. */
  tags: string[];
  /** Whom it is for. The URI of its targeting fields. A new mailing takes these themselves, or the URI of another's, which it then has as that one has them now. */
  includes: string;
  /** Whom it is not for. The URI of its targeting fields. A new mailing takes these themselves, or the URI of another's, which it then has as that one has them now. */
  excludes: string;
  /** The most there may be. */
  limit: number | null;
  /** In which order. */
  sort_by: "zip" | "random" | null;
  /** Mails a second at most; may be fractional. Frozen when sending begins. */
  mails_per_second: number | null;
  /** Whether only people are mailed whom a target of the landing page stands for. */
  target_group_from_landing_page: boolean;
  /** Whether only people are mailed who have a row in the merge file. */
  target_mergefile: boolean;
  /** Whether the set of users is built anew right before sending. */
  rebuild_query_at_send: boolean;
  /** Version of the targeting; each change raises it. */
  targeting_version: number;
  /** Version of the targeting the saved set of users was built for. */
  targeting_version_saved: number | null;
  /** How the saved set of users stands. */
  query_status: "none" | "cleared" | "failed" | "queued" | "rebuilding" | "saved" | "invalid";
  /** When the last rebuild was asked for, in UTC. */
  query_queued_at: string | null;
  /** When the last rebuild began, in UTC. */
  query_started_at: string | null;
  /** When the last rebuild ended, in UTC. */
  query_completed_at: string | null;
  /** Seconds the last rebuild took that succeeded. */
  query_previous_runtime: number | null;
  /** Who gets proofs. */
  reviewers: string[];
  /** Users whom proofs are made for. */
  proof_users: unknown[];
  /** Proofs to each reviewer. */
  requested_proofs: number;
  /** Account shown as owner of the mailing. */
  submitter: string | null;
  /** How it stands. */
  status: "draft" | "model" | "sending" | "scheduled" | "rebuilding_at_send" | "recurring" | "queued" | "completed" | "stopped" | "died";
  /** When sending begins, in UTC, once the mailing has been queued. */
  scheduled_for: string | null;
  /** Account that scheduled it. */
  scheduled_by: string | null;
  /** When it was queued, in UTC. */
  queued_at: string | null;
  /** Account that queued it. */
  queued_by: string | null;
  /** When work on it began, in UTC; null before. */
  started_at: string | null;
  /** When work on it ended, in UTC; null before. */
  finished_at: string | null;
  /** Users in the set right before sending. */
  expected_send_count: number | null;
  /** The recurring mailing it was copied from. */
  recurring_source_mailing: string | null;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** HTML version, a template. */
  html: string;
  /** Text version, a template. */
  text: string;
  /** Sender stored with this mailing alone. */
  custom_fromline: string;
  /** Reply-To address. */
  reply_to: string;
  /** With the ids the results go by. Texts alone are taken, too. */
  subjects: {
    /** Id, unique among its kind. */
    id: number;
    /** Text version, a template. */
    text: string;
    /** What mail programs show beside the subject. */
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
  fromline?: string | null | number | {
    /** Sender, as `"Name" <name@example.org>`. */
    from_line?: string;
  };
  /** A from line stored with this mailing alone. */
  custom_fromline?: string | null;
  /** Reply-To address. */
  reply_to?: string | null;
  /** An email wrapper. */
  emailwrapper?: string | null | number;
  /** A language. */
  lang?: string | null | number;
  /** A page. */
  landing_page?: string | null | number;
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
  /** May be fractional. Frozen when sending begins. */
  mails_per_second?: number | null;
  /** Only people whom a target of the landing page stands for. */
  target_group_from_landing_page?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Only people with a row in the mergefile. */
  target_mergefile?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** A merge file, whose rows templates may show. */
  mergefile?: string | null | number;
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
    /** Miles around the places in zips; without zips nothing is built. */
    zip_radius?: number | null;
    /** Names of campaigns with a coming event near somebody. What is gone, by its id. */
    campaigns?: unknown[] | null;
    /** Miles between somebody and the event; 50 when it is not given. Without campaigns nothing is built. */
    campaign_radius?: number | null;
    /** Only events in the same state. */
    campaign_samestate_only?: boolean | null | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
    /** Only events in the same county. */
    campaign_same_county_only?: boolean | null | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
    /** Only events in the same congressional district. */
    campaign_same_district_only?: boolean | null | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
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
    has_donated?: boolean | null | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
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
      /** Name it is referred to by. */
      short_name: string;
      /** Values of its parameters, by name. */
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
    /** Miles around the places in zips; without zips nothing is built. */
    zip_radius?: number | null;
    /** Names of campaigns with a coming event near somebody. What is gone, by its id. */
    campaigns?: unknown[] | null;
    /** Miles between somebody and the event; 50 when it is not given. Without campaigns nothing is built. */
    campaign_radius?: number | null;
    /** Only events in the same state. */
    campaign_samestate_only?: boolean | null | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
    /** Only events in the same county. */
    campaign_same_county_only?: boolean | null | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
    /** Only events in the same congressional district. */
    campaign_same_district_only?: boolean | null | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
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
    has_donated?: boolean | null | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
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
      /** Name it is referred to by. */
      short_name: string;
      /** Values of its parameters, by name. */
      params: {
        [name: string]: unknown;
      };
    }[] | null;
  };
  /** When it is not the stored one, the answer is 409 and nothing changes. */
  targeting_version?: number;
};

export type Mailer = {
  /** Id, unique among its kind. */
  id: number;
  /** Notes for those who work with it. */
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
  /** Wrapper around the content; without one, the default. */
  emailwrapper: string | null;
  /** Language it is in, or is written to in. */
  lang: string | null;
  /** The page the mail leads to. */
  landing_page: string | null;
  /** A file with a row of values for each of some people; templates show them as row.name. */
  mergefile: string | null;
  /** Whether it can be read on the web. */
  web_viewable: boolean;
  /** false leaves the open pixel out of this mailing. */
  track_opens: boolean;
  /** false leaves the links of this mailing as they are. */
  track_clicks: boolean;
  /** Not shown in lists of the user interface. */
  hidden: boolean;
  /** Custom fields of the mailing, as {name, value}. Taken also as {key, value}, as pairs, or as one object. */
  fields: {
    /** Its name. */
    name: string;
    /** The value. */
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
    /** Miles around the places in zips; without zips nothing is built. */
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
    /** Miles between somebody and the event; 50 when it is not given. Without campaigns nothing is built. */
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
      /** SQL statement. */
      sql: string;
      /** Dialect of the SQL statement. */
      dialect: "postgresql" | "mysql";
    })[];
    /** Saved reports that give user ids in their first column. */
    query_reports?: {
      /** Name it is referred to by. */
      short_name: string;
      /** Values of its parameters, by name. */
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
    /** Miles around the places in zips; without zips nothing is built. */
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
    /** Miles between somebody and the event; 50 when it is not given. Without campaigns nothing is built. */
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
      /** SQL statement. */
      sql: string;
      /** Dialect of the SQL statement. */
      dialect: "postgresql" | "mysql";
    })[];
    /** Saved reports that give user ids in their first column. */
    query_reports?: {
      /** Name it is referred to by. */
      short_name: string;
      /** Values of its parameters, by name. */
      params: {
        [name: string]: unknown;
      };
    }[];
  };
  /** Most users mailed. */
  limit: number | null;
  /** In which order they are mailed, and who is left out beyond the limit. */
  sort_by: "zip" | "random" | null;
  /** May be fractional. Without it the instance's SEND_MAX_RATE; where that is not set, as fast as the workers and the relay allow. Frozen when sending begins. */
  mails_per_second: number | null;
  /** Whether only people are mailed whom a target of the landing page stands for. */
  target_group_from_landing_page: boolean;
  /** Whether only people are mailed who have a row in the merge file. */
  target_mergefile: boolean;
  /** Whether the set of users is built anew right before sending. */
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
  /** Proofs to each reviewer. */
  requested_proofs: number;
  /** Account shown as owner of the mailing. */
  submitter: string | null;
  /** Where the mailing stands. */
  status: "draft" | "model" | "sending" | "scheduled" | "rebuilding_at_send" | "recurring" | "queued" | "completed" | "stopped" | "died";
  /** UTC. Sending begins then, once the mailing has been queued. */
  scheduled_for: string | null;
  /** Account that scheduled it. */
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
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
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
  fromline?: string | null | number | {
    /** Sender, as `"Name" <name@example.org>`. */
    from_line?: string;
  };
  /** A from line stored with this mailing alone. */
  custom_fromline?: string | null;
  /** Reply-To address. */
  reply_to?: string | null;
  /** An email wrapper. */
  emailwrapper?: string | null | number;
  /** A language. */
  lang?: string | null | number;
  /** A page. */
  landing_page?: string | null | number;
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
  /** May be fractional. Frozen when sending begins. */
  mails_per_second?: number | null;
  /** Only people whom a target of the landing page stands for. */
  target_group_from_landing_page?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Only people with a row in the mergefile. */
  target_mergefile?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** A merge file, whose rows templates may show. */
  mergefile?: string | null | number;
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
    /** Miles around the places in zips; without zips nothing is built. */
    zip_radius?: number | null;
    /** Names of campaigns with a coming event near somebody. What is gone, by its id. */
    campaigns?: unknown[] | null;
    /** Miles between somebody and the event; 50 when it is not given. Without campaigns nothing is built. */
    campaign_radius?: number | null;
    /** Only events in the same state. */
    campaign_samestate_only?: boolean | null | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
    /** Only events in the same county. */
    campaign_same_county_only?: boolean | null | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
    /** Only events in the same congressional district. */
    campaign_same_district_only?: boolean | null | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
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
    has_donated?: boolean | null | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
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
      /** Name it is referred to by. */
      short_name: string;
      /** Values of its parameters, by name. */
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
    /** Miles around the places in zips; without zips nothing is built. */
    zip_radius?: number | null;
    /** Names of campaigns with a coming event near somebody. What is gone, by its id. */
    campaigns?: unknown[] | null;
    /** Miles between somebody and the event; 50 when it is not given. Without campaigns nothing is built. */
    campaign_radius?: number | null;
    /** Only events in the same state. */
    campaign_samestate_only?: boolean | null | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
    /** Only events in the same county. */
    campaign_same_county_only?: boolean | null | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
    /** Only events in the same congressional district. */
    campaign_same_district_only?: boolean | null | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
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
    has_donated?: boolean | null | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
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
      /** Name it is referred to by. */
      short_name: string;
      /** Values of its parameters, by name. */
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
  /** Id, unique among its kind. */
  id: number;
  /** The person it belongs to. */
  user: string | null;
  /** Id of the contact in the CRM; null until it is known. */
  crm_id: string | null;
  /** How the contact was found: by the stored id, by email, or created. */
  match_type: "id" | "email" | "created" | null;
  /** How it stands. */
  status: "pending" | "synced" | "failed" | "disconnected";
  /** When it was synced last, in UTC. */
  last_sync_at: string | null;
  /** What the CRM said when the last sync did not succeed; empty when it did. */
  last_error: string;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
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
  /** Id, unique among its kind. */
  id: number;
  /** Id of the user; one mapping each. */
  user_id: number;
  /** Id of the contact in the external system. */
  partner_contact_id: number;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
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
  /** Id, unique among its kind. */
  id: number;
  /** Id of the order; one mapping each. */
  order_id: number;
  /** Id of the contribution in the external system. */
  contribution_id: number;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
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
  /** Id, unique among its kind. */
  id: number;
  /** Id of the transaction; one mapping each. */
  transaction_id: number;
  /** Id of the contribution in the external system. */
  contribution_id: number;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
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
  /** Where it is on the web. */
  url: string;
  /** What it is for, in words for people. */
  description?: string;
  /** Of what it is told: mailing.completed, mailing.stopped, mailing.died, action, donation, unsubscribe, bounce, complaint. */
  events: unknown[];
  /** Whether it is in use. */
  active?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** whsec_ and 24 to 64 bytes in base64; deliveries are signed with it as Standard Webhooks has it. Never shown. */
  secret: string;
};

export type Webhook = {
  /** Id, unique among its kind. */
  id: number;
  /** Where it is on the web. */
  url: string;
  /** What it is for, in words for people. */
  description: string;
  /** Of what it is told: mailing.completed, mailing.stopped, mailing.died, action, donation, unsubscribe, bounce, complaint. */
  events: ("mailing.completed" | "mailing.stopped" | "mailing.died" | "action" | "donation" | "unsubscribe" | "bounce" | "complaint")[];
  /** Whether it is in use. */
  active: boolean;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
  updated_at: string;
  /** URI of the webhookdelivery collection, filtered. */
  deliveries: string;
  /** URI of this object. */
  resource_uri: string;
};

export type WebhookChange = {
  /** Where it is on the web. */
  url?: string;
  /** What it is for, in words for people. */
  description?: string;
  /** Of what it is told: mailing.completed, mailing.stopped, mailing.died, action, donation, unsubscribe, bounce, complaint. */
  events?: unknown[];
  /** Whether it is in use. */
  active?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** whsec_ and 24 to 64 bytes in base64; deliveries are signed with it as Standard Webhooks has it. Never shown. */
  secret?: string;
};

export type Webhookdelivery = {
  /** Id, unique among its kind. */
  id: number;
  /** The webhook it belongs to. */
  webhook: string;
  /** The event. */
  event: string;
  /** What it is about: a resource and an id. */
  resource: string;
  /** Id of the object it is about. */
  resource_id: number;
  /** How it stands. */
  status: "pending" | "delivered" | "failed";
  /** How often it was tried. */
  attempts: number;
  /** Of the last answer; null when none came. */
  last_status: number | null;
  /** Why the last attempt failed; empty where none did. */
  last_error: string;
  /** Not tried before. */
  next_at: string;
  /** When it was tried last, in UTC. */
  tried_at: string | null;
  /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
  created_at: string;
  /** URI of this object. */
  resource_uri: string;
};

export type Mailingtargeting = {
  /** Id, unique among its kind. */
  id: number;
  /** URI of this object. */
  resource_uri: string;
  /** The mailing. */
  mailing: string;
  /** includes or excludes. */
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
  /** Miles around the places in zips; without zips nothing is built. */
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
  /** Miles between somebody and the event; 50 when it is not given. Without campaigns nothing is built. */
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
    /** SQL statement. */
    sql: string;
    /** Dialect of the SQL statement. */
    dialect: "postgresql" | "mysql";
  })[];
  /** Saved reports that give user ids in their first column. */
  query_reports?: {
    /** Name it is referred to by. */
    short_name: string;
    /** Values of its parameters, by name. */
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
  /** The mailing it was a mail of. */
  mailing: string;
  /** As the mailing has it. */
  subject: string;
  /** When the relay took it, YYYY-MM-DDTHH:MM:SS in UTC. */
  created_at: string;
  /** URI of this object. */
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
  /** The order it belongs to. */
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
    /** Candidates and what each is given. */
    orderdetails?: ({
      /** The candidate it is for. */
      candidate: {
        /** Id, unique among its kind. */
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
    /** How often it is charged. */
    recurring_period?: "weeks" | "months";
    /** Day charges start; default today plus one period plus one day. */
    recurring_start?: string;
  };
  /** URI of the user. */
  user: {
    /** Email address. */
    email?: string;
    /** Identifier of a person, with the mailing it came by if there was one. */
    akid?: string;
    /** What stands before a name, such as Dr. */
    prefix?: string;
    /** First name. */
    first_name?: string;
    /** Middle name. */
    middle_name?: string;
    /** Last name. */
    last_name?: string;
    /** What stands after a name, such as Jr. */
    suffix?: string;
    /** First line of the address. */
    address1?: string;
    /** Second line of the address. */
    address2?: string;
    /** City. */
    city?: string;
    /** State, as two letters in the US. */
    state?: string;
    /** Region, outside the US. */
    region?: string;
    /** Zip code, five digits, in the US. */
    zip?: string;
    /** The four digits after the zip code. */
    plus4?: string;
    /** Postal code, of whatever country. */
    postal?: string;
    /** Country, by its English name. */
    country?: string;
    /** Where it came from, in words of the client. */
    source?: string;
    /** First and last name in one, where neither is given. */
    name?: string;
    /** Custom user fields; a prefix user_ is removed. */
    fields?: {
      [name: string]: unknown;
    };
    /** Ids or {name} objects; default the list of the page, empty for none. */
    lists?: unknown[];
    [name: string]: unknown;
  };
  /** The action it came with. */
  action?: {
    /** A timestamp in UTC. */
    created_at?: string;
    /** Where it came from, in words of the client. */
    source?: string;
    /** Custom fields by name; a value may be a list. */
    fields?: {
      [name: string]: unknown;
    };
    /** Whether the person is sent no confirmation: not, unless given. */
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
  /** Id of the payment elsewhere. */
  trans_id?: string;
  /** A decimal as text, such as "10.00". */
  amount?: string;
  /** Three-letter ISO code. */
  currency?: string;
  /** Unless given: true, but false where status is failed. */
  success?: boolean | 1 | 0 | "1" | "0" | "true" | "false" | "on" | "off";
  /** Unless given: completed, but failed where success is false. */
  status?: "completed" | "failed" | "reversed" | "complete";
  /** Code of why it failed. */
  failure_code?: string;
  /** Why it failed, in short. */
  failure_description?: string;
  /** Why it failed, in words. */
  failure_message?: string;
};

export type ProfileupdatepushInput = {
  /** Of the order the profile came with; wins over recurring_id. */
  order_id?: number | string;
  /** Of the profile elsewhere; refused where several profiles have it. */
  recurring_id?: string;
  /** A timestamp in UTC. */
  created_at?: string;
  /** Id of the payment elsewhere. */
  trans_id?: string;
  /** Money, in its currency, a decimal as text such as 10.00. */
  amount?: string | number;
  /** Three-letter ISO code. */
  currency?: string;
  /** How often it is charged. */
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
  /** Id of the payment elsewhere. */
  trans_id?: string;
  /** Who ended the profile. */
  canceled_by: "user" | "admin" | "processor" | "failure" | "expired";
};

export type EraserInput = {
  /** Id of the user. */
  user_id?: number;
  /** Email address. */
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
    listed: Mailinglist;
    read: Mailinglist;
    created: MailinglistInput;
    changed: MailinglistChange;
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
    created: MultilingualcampaignInput;
    changed: MultilingualcampaignChange;
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
      /** Id, unique among its kind. */
      id?: number;
      /** The person it belongs to. */
      user?: string;
      /** The page. */
      page?: string;
      /** The mailing. */
      mailing?: string | null;
      /** The person whose link led here. */
      referring_user?: string | null;
      /** The mailing of another person whose link led here. */
      referring_mailing?: string | null;
      /** Where it came from, in words of the client. */
      source?: string;
      /** Number of the link that led here. */
      link?: number | null;
      /** Kept for clients; empty. */
      opq_id?: string;
      /** Whether the person was made by it. */
      created_user?: boolean;
      /** Whether the person was subscribed by it. */
      subscribed_user?: boolean;
      /** Whether the link had been passed on by another person. */
      is_forwarded?: boolean;
      /** How it stands. */
      status?: "incomplete" | "complete" | "failed";
      /** Address on the net it was done from. */
      ip_address?: string | null;
      /** The akid it was done with, to accounts with the grant user:read; to others empty, and akid merely names. */
      taken_with?: string;
      /** When it was made. UTC, YYYY-MM-DDTHH:MM:SS. */
      created_at?: string;
      /** When it was changed last. UTC, YYYY-MM-DDTHH:MM:SS. */
      updated_at?: string;
      /** Identifier of a person, with the mailing it came by if there was one. */
      akid: string;
      /** Always null: no mail is sent to people a visitor names. */
      taf_emails_sent?: number | null;
      /** Type of the page, as `Petition`. */
      type?: string;
      /** Action fields. A change replaces only the names sent; a value may be a list. */
      fields?: {
        [name: string]: unknown;
      };
      /** The donation itself. */
      order?: {
        [name: string]: unknown;
      } | null;
      /** URI of this object. */
      resource_uri?: string;
      /** The event the person comes to. */
      event?: string | null;
      /** That they come; null once they have said so again. */
      eventsignup?: string | null;
      /** The same as `eventsignup`. */
      signup?: string | null;
      /** Id of the action. */
      action_id: number;
      /** Where to lead the person next. */
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
  eventfield: {
    listed: Eventfield;
    read: Eventfield;
    created: EventfieldInput;
    changed: EventfieldChange;
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
  eventcreateform: {
    listed: Cmsform;
    read: Cmsform;
    created: CmsformInput;
    changed: CmsformChange;
    deleted: true;
  };
  eventsignupform: {
    listed: Cmsform;
    read: Cmsform;
    created: CmsformInput;
    changed: CmsformChange;
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
  mailingsubject: {
    listed: Mailingsubject;
    read: Mailingsubject;
    created: MailingsubjectInput;
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
    changed: MergefileChange;
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

/** Paths that answer a POST sent again with the same Idempotency-Key with what the first one made. */
export const KEYED: readonly string[] = ["authuser/","authgroup/","user/","alloweduserfield/","userfield/","usergroup/","usergeofield/","phone/","usermerge/","upload/","list/","subscription/","blackholedemail/","language/","signuppage/","petitionpage/","importpage/","pagefollowup/","cmsform/","petitionform/","signupform/","multilingualcampaign/","unsubscribepage/","action/","actionfield/","eventcampaign/","campaign/","event/","eventfield/","eventsignup/","eventcreatepage/","eventsignuppage/","eventcreateform/","eventsignupform/","donationpage/","donationform/","transaction/","paymentaccount/","candidate/","product/","currency/","whipcountpage/","whipcountoverride/","target/","congresstargetgroup/","specialtargetgroup/","tag/","fromline/","emailwrapper/","snippet/","mailingtestgroup/","mailingsubject/","queryreport/","mergefile/","recurringschedule/","mailing/","mailer/","crmmap/","partnerusermap/","partnerordermap/","partnertransactionmap/","webhook/","mailer/*/rebuild/","mailer/*/proofs/","mailer/*/queue/","mailer/*/copy/","donationpush/","recurringpaymentpush/","profileupdatepush/","profilecancelpush/","eraser/","report/background/*/"];
