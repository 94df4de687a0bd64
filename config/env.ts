// Long: every setting with its default and meaning in one list, so that there is one place to look.

import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { Ajv } from 'ajv';
import { hostInUrl } from './host-in-url.ts';

// Every setting of the platform, in one place: name, default, meaning. `npm run settings` prints this as a table.

declare const read: unique symbol;

/** What a pattern cannot tell. The names stand in the sentence that refuses. */
const FORMATS = {
  'web address': (text: string) => /^https?:\/\/\S+$/.test(text) && URL.canParse(text),
  'host:port': (text: string) => /^[^\s/?#@]+$/.test(text) && URL.canParse(`http://${text}`),
  'IP address:port': (text: string) => /:\d+$/.test(text) && isIP(text.replace(/:\d+$/, '')) === 4 && URL.canParse(`http://${text}`),
  'addresses and networks': (text: string) => /^(true|false)$/.test(text) || text.split(',').every((each) => isNetwork(each.trim())),
  'IP addresses': (text: string) => text.split(',').every((each) => isIP(each.trim()) > 0),
  'domain=rate, with commas between': (text: string) => {
    const entries = text.split(',').filter((each) => each.trim());
    return entries.length > 0 && entries.every((each) => /^\s*[^\s=]+\s*=\s*\d+(\.\d+)?\s*$/.test(each));
  },
  'IP addresses, with a port or without': (text: string) => text.split(',').every((each) => isServer(each.trim())),
};

function isServer(text: string): boolean {
  const [, six, four, port = '53'] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  return isIP(text) > 0 || ((isIP(six ?? '') === 6 || isIP(four ?? '') === 4) && Number(port) <= 65_535);
}

function isNetwork(text: string): boolean {
  const [, address = '', bits = '0'] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  return family > 0 && Number(bits) <= (family === 4 ? 32 : 128);
}

/** What a value must keep to, by JSON Schema. */
interface Bounds {
  readonly pattern?: string;
  readonly format?: keyof typeof FORMATS;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

/** The JSON Schema of a setting. `Value` is what it is once it was read. */
interface Setting<Value> extends Bounds {
  readonly [read]?: Value;
  readonly type: 'string' | 'integer' | 'number' | 'boolean';
  readonly description: string;
  readonly default?: Value;
}

const text = (description: string, fallback: string, bounds: Bounds = {}): Setting<string> => ({
  type: 'string',
  description,
  default: fallback,
  ...bounds,
});
const oneOf = <Word extends string>(words: readonly Word[], description: string, fallback: Word): Setting<Word> => ({
  type: 'string',
  description,
  default: fallback,
  enum: words,
});
const count = (description: string, fallback: number, minimum = 1, maximum = 1_000_000_000): Setting<number> => ({
  type: 'integer',
  description,
  default: fallback,
  minimum,
  maximum,
});
const number = (description: string, fallback: number, bounds: Bounds): Setting<number> => ({
  type: 'number',
  description,
  default: fallback,
  ...bounds,
});
const flag = (description: string, fallback: boolean): Setting<boolean> => ({ type: 'boolean', description, default: fallback });

// Without a default: absent where nobody gives them.
const optional = (description: string, bounds: Bounds = {}): Setting<string | undefined> => ({ type: 'string', description, ...bounds });
const optionalNumber = (description: string, bounds: Bounds, type: 'integer' | 'number' = 'integer'): Setting<number | undefined> => ({
  type,
  description,
  ...bounds,
});
const optionalFlag = (description: string): Setting<boolean | undefined> => ({ type: 'boolean', description });

const SETTINGS = {
  NODE_ENV: oneOf(
    ['development', 'production', 'test'],
    'production refuses to start on a default password or default secrets',
    'development',
  ),
  HOST: text('address the API listens on', '127.0.0.1'),
  PORT: count('port the API listens on; 0 takes a free one', 8480, 0, 65535),
  BASE_URL: optional('public address of this service, without a trailing slash; default http://HOST:PORT', {
    pattern: '^https?://[^\\s/?#]+(/[^\\s?#]*)?$',
  }),
  CORS_ORIGINS: text(
    'sites whose pages may use the routes without credentials (action, userpublic, tracking, whip counts): origins like https://www.example.org with spaces between, or *; none unless given',
    '',
    { pattern: '^\\s*((\\*|https?://[^\\s/,]+)([\\s,]+|$))*$' },
  ),
  DATA_DIR: text('where the embedded PostgreSQL, the embedded Temporal server and uploads keep their files', '.data'),
  LOG_LEVEL: text('fatal, error, warn, info, debug or trace', 'info', {
    enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
  }),

  DATABASE_URL: optional('PostgreSQL to use; without it npm start runs an embedded one under DATA_DIR', { pattern: '^postgres(ql)?://' }),
  DATABASE_POOL: count('connections each process may hold to PostgreSQL for the API and short activities', 10, 1, 1000),
  COMMIT_SECONDS: count(
    'longest a request waits for the database to confirm a change, where its standby is away; then it is a 503, which says that the change may have been made. As long it waits for what somebody else holds there; then nothing was changed',
    10,
    1,
    600,
  ),
  ALLOW_ASYNC_STANDBY: flag(
    'true says nothing of a database that may lose what it has confirmed, such as one with an asynchronous standby',
    false,
  ),
  DATABASE_LONG_POOL: count(
    'connections each API process may hold for what reads many rows: collections, results, charts; one account has half of them at most',
    4,
    2,
    1000,
  ),
  LONG_READ_TIMEOUT_MS: count('longest one of these may take', 30_000, 100),
  AUDIENCE_SAMPLE: count(
    'people an audience is explained by where there are more than ten times as many: its counts are made up from them then, and it says so; of ten times as many where few of them are meant',
    30_000,
  ),
  REPORT_DATABASE_URL: optional('login of the restricted role for ad-hoc SQL; default: DATABASE_URL with the role campaign_report', {
    pattern: '^postgres(ql)?://',
  }),
  STATEMENT_TIMEOUT_MS: count('longest a statement of ad-hoc SQL or raw_sql targeting may run', 120_000),
  FAST_REBUILD: flag('false makes every rebuild a full one, also where fast_rebuild is asked for', true),

  REPORT_DIALECT: oneOf(
    ['postgresql', 'mysql'],
    'what ad-hoc SQL, raw_sql and new saved reports are written in where they do not say it: postgresql or mysql',
    'postgresql',
  ),
  REPORT_SLOTS: count('reports one API process runs at a time; more of them wait, so that reports never starve sending', 4, 1, 40),
  REPORT_WAIT_MS: count('longest a report waits for a slot before the answer is 503', 10_000, 0),
  REPORT_MAX_ROWS: count('most rows a report may give', 1_000_000),
  REPORT_MAX_MB: count('most megabytes the result of a report may have', 1_000),
  REPORT_MEMORY_MB: count(
    'megabytes of its own a report, raw_sql or query report may take of the database server; watched where that runs on the same machine',
    128,
    32,
  ),
  REPORT_CACHE_AFTER_MS: count('the result of a report that took longer than this is kept; what is faster is always made anew', 2_000, 0),
  REPORT_CACHE_SECONDS: count('how long such a result is given to who asks for the same, unless they say refresh; 0 keeps none', 600, 0),
  REPORT_CACHE_MB: count('megabytes of results kept; the oldest go first, one alone may take a tenth', 64, 0, 10_000),
  REPORT_FILES: oneOf(
    ['folder', 'database'],
    'where results of reports in the background are kept: folder is DATA_DIR/reports, which API and workers must share; database is for several machines that share none',
    'folder',
  ),
  REPORT_FILE_DAYS: count('days the result of a report in the background stays', 30, 1, 10_000),
  AUDIT_LOG_DAYS: count('days a line of the audit log stays; 0 keeps all of them', 730, 0, 36_500),
  TRACKING_DAYS: count(
    'days each opening and click stays for reports and clicks by link; results and charts stay in any case; 0 keeps all of them',
    0,
    0,
    36_500,
  ),
  PUSH_KEY_DAYS: count('days the Idempotency-Key of a request is remembered', 30, 1, 10_000),
  DONATION_ATTEMPT_DAYS: count(
    'days it stays written down whose donation push was refused, and for which fields; 0 keeps it',
    90,
    0,
    36_500,
  ),
  BACKGROUND_REPORT_TIMEOUT_MS: count('longest a report in the background may run', 3_600_000, 1, 10_000_000),
  BACKGROUND_REPORT_MAX_ROWS: count('most rows a report in the background may give', 20_000_000),
  BACKGROUND_REPORT_MAX_MB: count('most megabytes the result of a report in the background may have', 10_000),

  TEMPORAL_ADDRESS: optional('host:port of a Temporal server; without it npm start runs an embedded one under DATA_DIR', {
    format: 'host:port',
  }),
  TEMPORAL_TLS: optionalFlag('whether connections to Temporal are encrypted; default: when any other setting for TLS, or a key, is given'),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: optional("file of the certificate Temporal's is checked against; default: those the system trusts"),
  TEMPORAL_TLS_SERVER_NAME: optional("name Temporal's certificate is for, where it is not the host of TEMPORAL_ADDRESS"),
  TEMPORAL_TLS_CLIENT_CERT_PATH: optional('file of our certificate, where Temporal asks for one'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: optional('file of the key to it'),
  TEMPORAL_API_KEY: optional('key for a Temporal that asks for one, such as Temporal Cloud'),
  TEMPORAL_NAMESPACE: text('Temporal namespace', 'default'),
  TEMPORAL_CLI_PATH: optional('the temporal binary for the embedded server; default: PATH, the SDK download, then a build with Go'),
  WORKER_BUILD_ID: optional(
    'what Temporal is to know this build of the workers by: it is given runs once npm run cli -- workers current has named it; without it any worker takes any run',
    { pattern: '^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$' },
  ),
  WORKER_DEPLOYMENT: text('what Temporal is to know all workers of this platform by, whatever their build', 'campaign-platform', {
    pattern: '^[A-Za-z0-9_-]{1,100}$',
  }),
  TEMPORAL_UI_URL: optional('address of the Temporal web UI, for links; known by itself when embedded', { format: 'web address' }),
  INBOX_URL: optional(
    'address of a page that shows all mail that was sent, for a link on the login page; known by itself when npm start runs a sink',
    { format: 'web address' },
  ),

  PAYLOAD_KEYS: optional(
    'keys with which what Temporal keeps is encrypted, as id:key with spaces between, each key 32 bytes in base64: the first encrypts, all decrypt; without them nothing is encrypted',
    { pattern: '^\\s*[A-Za-z0-9._-]+:[A-Za-z0-9+/]+=*(\\s+[A-Za-z0-9._-]+:[A-Za-z0-9+/]+=*)*\\s*$' },
  ),
  CODEC_HOST: text('address npm run codec-server listens on: whoever reaches it reads what is encrypted', '127.0.0.1'),
  CODEC_PORT: count('port of npm run codec-server', 8488, 0, 65535),

  SMTP_URL: optional(
    'relay for all mail, smtp://user:password@host:port or smtps://…; ?requireTLS=true|false, ?tls.rejectUnauthorized=false, ?ignoreTLS=true where the defaults do not fit; without it npm start runs a sink with an inbox',
    {
      pattern: '^smtps?://',
    },
  ),
  SMTP_RELAYS: optional(
    'several relays instead of the one of SMTP_URL: URLs like it, with spaces between, each with its ?weight=2 (share of the mails, default 1), &connections=16 (per worker process, default SMTP_CONNECTIONS) and &rate=50 (mails per second over all workers)',
    { pattern: '^\\s*smtps?://' },
  ),
  DOMAIN_RATES: optional(
    'most mails per second to a recipient domain, over all mailings and workers, like gmail.com=50,*.example=5; the domains below one share its rate',
    { format: 'domain=rate, with commas between' },
  ),
  SMTP_CONNECTIONS: count('connections to the relay per worker process', 32, 1, 1000),
  SMTP_TIMEOUT_MS: count('longest a relay may take over one step', 60_000),
  SMTP_CHUNKING: flag('false hands mails over one by one with DATA also where the relay takes several at a time (CHUNKING)', true),
  MAIL_DOMAIN: text('domain of Message-ID and bounce addresses', 'campaign.localhost', {
    pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$',
  }),
  DEFAULT_FROM: text('sender of mail that names no other', '"Campaign Platform" <campaign@campaign.localhost>', {
    pattern: '^(.*<[^<>@\\s]+@[^<>@\\s]+>|[^<>@\\s]+@[^<>@\\s]+)$',
  }),

  WORKER_PROCESSES: optionalNumber('worker processes npm start runs; default: one for every two cores', { minimum: 1, maximum: 256 }),
  SHUTDOWN_GRACE_SECONDS: count('how long a worker that is told to end may finish what it does', 20, 1, 3600),

  TRACK_OPENS: flag('false leaves the open pixel out of mails', true),
  TRACK_CLICKS: flag('false leaves the links of mails as they are', true),
  SENDING_ENABLED: flag('false refuses every queue request', true),
  REQUIRE_DOMAIN_CHECK: flag('true refuses to queue a mailing whose from domain has not passed npm run check-domain lately', false),
  DOMAIN_CHECK_HOURS: count('how long a passed check of a from domain holds', 168, 1, 100_000),
  SENDING_ADDRESSES: optional('IP addresses mail leaves from, with commas between, for npm run check-domain; default: those of the relay', {
    format: 'IP addresses',
  }),
  DNS_SERVERS: optional('IP addresses of name servers npm run check-domain asks, with commas between; default: those of the machine', {
    format: 'IP addresses, with a port or without',
  }),
  SEND_ONLY_TO: optional(
    'test mode: addresses and domains, with commas between, that get mail; everybody else is skipped, in mailings, proofs and every other mail',
    { pattern: '^[^\\s,]+(\\s*,\\s*[^\\s,]+)*$' },
  ),
  SEND_UNDO_SECONDS: count('pause between queue and the first mail, in which stop means that nobody was mailed', 0, 0, 86_400),
  SENDING_HOURS: optional('hours of the day in which mailings are sent, such as 09:00-20:00; outside them they pause', {
    pattern: '^([01]\\d|2[0-3]):[0-5]\\d-([01]\\d|2[0-3]):[0-5]\\d$',
  }),
  SENDING_TIMEZONE: text(
    'time zone of SENDING_HOURS, and the one in which the console asks when a mailing goes out, such as America/New_York',
    'UTC',
  ),
  SEND_MAX_RATE: optionalNumber(
    'most mails per second for a mailing that names no rate',
    { exclusiveMinimum: 0, maximum: 1_000_000 },
    'number',
  ),
  CAMPAIGN_SLOTS: count('short activities (jobs about users, mails to single people) one worker process runs at a time', 20, 1, 1000),
  SEND_LANES: optionalNumber('most workers that send one mailing side by side; default: as many as there are, at least 2', {
    minimum: 1,
    maximum: 64,
  }),
  SEND_SLICE_SECONDS: count('length of one send activity, times the lanes of the mailing', 12, 1, 60),
  SEND_SLOTS: count('send activities one worker process runs at a time', 8, 1, 64),
  SEND_SHARD_SIZE: count('recipients in one shard of a mailing', 10_000, 10),
  SEND_LEASE_SECONDS: count('how long a silent worker keeps its shard', 10, 2, 300),
  SEND_TRIES: count('how often a recipient put off by the relay (4xx) is tried before it counts as failed', 5, 1, 100),
  SEND_REFUSED_IN_A_ROW: count(
    'a mailing is died after so many refusals (5xx) without a mail accepted in between: not every recipient can be wrong',
    200,
  ),
  SEND_RETRY_SECONDS: count('pause before the first retry of those put off; doubles each time', 60, 1, 86_400),
  SEND_RELAY_GIVE_UP_HOURS: count('how long a relay may be asked in vain before the mailing is died', 72, 1, 10_000),
  SCHEDULE_GRACE_MINUTES: count('a scheduled mailing that is late by more than this goes back to draft', 60, 1, 100_000),

  CRM_KIND: text(
    'the CRM users are synced with: none switches the sync off, http is the contract of docs/crm.md, civicrm is CiviCRM APIv4',
    'none',
    {
      enum: ['none', 'http', 'civicrm'],
    },
  ),
  CRM_URL: optional('address of the CRM: the base of the http contract, or of CiviCRM up to and without /civicrm/ajax/api4', {
    format: 'web address',
  }),
  CRM_TOKEN: optional('credential for the CRM, sent as a bearer token; from the environment only'),
  CRM_RATE: number('most requests per second to the CRM, over all workers', 5, { exclusiveMinimum: 0, maximum: 10_000 }),
  CRM_TIMEOUT_MS: count('longest one request to the CRM or the partner system may take', 10_000, 10, 600_000),
  CRM_BODY_LIMIT: count('largest answer of the CRM or the partner system in bytes', 1024 * 1024, 1024),
  CRM_RETRY_SECONDS: count('pause after the first failure of the CRM; doubles each time, up to CRM_RETRY_MOST_SECONDS', 5, 1, 86_400),
  CRM_RETRY_MOST_SECONDS: count('longest pause while the CRM is away', 900, 1, 86_400),
  CRM_GIVE_UP_HOURS: count('how long the CRM may be away before a sync counts as failed', 72, 1, 10_000),
  CRM_RESYNC_MINUTES: count('how often users that changed are synced again', 15, 1, 100_000),
  CRM_BATCH: count('mappings one activity of a round works on', 100, 1, 10_000),
  CRM_REPORT: optional('short name of a query report: the users in its first column are taken into the sync at each round'),
  CRM_REF_PREFIX: text(
    'begins the references and idempotency keys we give records there; one for each installation that shares a CRM',
    'campaign',
  ),
  CRM_USER_FIELDS: text('custom user fields sent along, with commas between', ''),

  PARTNER_KIND: text('the contacts and contributions system of the partner maps: none, http or civicrm', 'none', {
    enum: ['none', 'http', 'civicrm'],
  }),
  PARTNER_URL: optional('address of the partner system, like CRM_URL', { format: 'web address' }),
  PARTNER_TOKEN: optional('credential for the partner system; from the environment only'),
  PARTNER_RATE: number('most requests per second to the partner system, over all workers', 5, { exclusiveMinimum: 0, maximum: 10_000 }),
  PARTNER_MINUTES: count('how often users, orders and transactions without a mapping get a record there', 60, 1, 100_000),

  ADMIN_USERNAME: text('first superuser', 'admin'),
  ADMIN_PASSWORD: text('password of the first superuser', 'admin-password'),
  ADMIN_EMAIL: optional('address of the first superuser; default that of DEFAULT_FROM', { pattern: '^[^@\\s]+@[^@\\s]+$' }),
  ACCOUNT_CACHE_MS: count(
    'milliseconds an API goes by an account as it read it last; a change of one is answered after that, when it holds in every API',
    1_000,
    0,
    60_000,
  ),
  API_URL: optional('where the command line (npm run cli) finds the API; default BASE_URL', { format: 'web address' }),
  API_USERNAME: optional('account of the command line; default ADMIN_USERNAME'),
  API_PASSWORD: optional('its password; default ADMIN_PASSWORD'),
  CONSOLE_SESSION_HOURS: count('how long somebody stays logged in at the console', 12, 1, 8760),
  SECRET_KEY: text('key of akids, tracking links and remembered credentials', 'development-secret-key'),
  BOUNCE_PORT: optionalNumber('port at which a worker takes bounces and complaints over SMTP; 0 takes a free one; without it, none', {
    minimum: 0,
    maximum: 65_535,
  }),
  BOUNCE_HOST: text('address the bounce listener listens on', '127.0.0.1'),
  BOUNCE_CONNECTIONS: count('connections the bounce listener holds at a time; more are told to come again', 50, 1, 10_000),
  COMPLAINT_ADDRESS: optional('where abuse reports are sent to; default abuse@MAIL_DOMAIN', { pattern: '^[^@\\s]+@[^@\\s]+$' }),
  SOFT_BOUNCE_LIMIT: count('so many soft bounces within SOFT_BOUNCE_DAYS count as a hard one', 4, 1, 1000),
  SOFT_BOUNCE_DAYS: count('days over which soft bounces are counted', 30, 1, 10_000),
  STRICT_USER_FIELDS: flag('true refuses custom user fields nobody declared', false),
  WEBHOOKS_INSIDE: flag('true lets webhooks, and checks of links in mails, lead to addresses of this machine and its networks', false),
  WEBHOOK_KEEP_DAYS: count('days deliveries to webhooks that are over are kept', 30, 1, 10_000),
  OPEN_USER_FIELDS: count(
    'so many custom user fields may be declared for a caller without credentials to declare one more by using it; 0: they never do',
    1000,
    0,
  ),
  OPEN_CONFIRMATIONS_PER_HOUR: count(
    'most confirmations one person gets in an hour for actions sent without credentials; the actions beyond are taken without one',
    10,
    0,
  ),
  API_STATUS_CODES: text(
    'specification, or live for PUT 204, donationpush 201 with the parts of its order as URIs, and eraser 201',
    'specification',
    {
      enum: ['specification', 'live'],
    },
  ),
  API_ERROR_BODIES: text(
    'specification, or full for a JSON body with 401, 404 and 405, too, which have none by the specification',
    'specification',
    {
      enum: ['specification', 'full'],
    },
  ),
  API_BODY_LIMIT: count('largest JSON body in bytes', 10 * 1024 * 1024, 1024),
  UPLOAD_LIMIT: count('largest uploaded file in bytes', 1024 * 1024 * 1024, 1024, 1_000_000_000_000),
  MERGEFILE_LIMIT: count('largest merge file in bytes', 50 * 1024 * 1024, 1024),
  API_DRAIN_SECONDS: count(
    'seconds an API that is told to end still answers, while /health/ready says 503 so that a proxy turns to the others',
    0,
    0,
    300,
  ),
  RATE_LIMIT_PER_MINUTE: count('requests per minute and address; 0 is no limit', 0, 0),
  OPEN_RATE_LIMIT_PER_MINUTE: count(
    'requests without credentials per minute and address to endpoints that are open to everybody; 0 is no limit; openings, clicks, unsubscribing and health checks are not counted',
    600,
    0,
  ),
  WORKER_METRICS: optional(
    'IP address and port where a worker tells its metrics and those of the Temporal SDK to Prometheus; the second worker of npm start takes the next port, and so on',
    { format: 'IP address:port' },
  ),
  WORKER_HEALTH: optional(
    'host:port where a worker answers /health/live and /health/ready; the second worker of npm start takes the next port, and so on',
    { pattern: '^[^:/]+:[0-9]{1,5}$', format: 'host:port' },
  ),
  TRACES_URL: optional('OTLP/HTTP address traces are sent to, such as http://localhost:4318/v1/traces', { format: 'web address' }),
  TRACES_RATIO: number('share of requests that are traced', 1, { minimum: 0, maximum: 1 }),
  REQUEST_TIMEOUT_SECONDS: count('longest a caller may take to send a request, uploads among them', 900, 1, 86_400),
  REFUSED_BODY_SECONDS: count(
    'how long the rest of a body is read and dropped after a refusal, so that a client that sends all of it before it listens gets the answer',
    60,
    1,
    3600,
  ),
  STALLED_ANSWER_SECONDS: count('a connection is ended whose caller has taken nothing of a long answer for so long', 60, 1, 3600),
  TRUST_PROXY: text(
    'whose X-Forwarded-For tells the caller’s address: false is nobody’s, true is everybody’s, else addresses and networks with commas between',
    'false',
    { format: 'addresses and networks' },
  ),
};

type Settings = typeof SETTINGS;
type ValueOf<Name extends keyof Settings> = Settings[Name] extends Setting<infer Value> ? Value : never;
type OptionalName = { [Name in keyof Settings]: undefined extends ValueOf<Name> ? Name : never }[keyof Settings];

/** The settings as they were read. */
export type Env = { [Name in Exclude<keyof Settings, OptionalName>]: ValueOf<Name> } & {
  [Name in OptionalName]?: Exclude<ValueOf<Name>, undefined>;
} & { BASE_URL: string };

export const envSchema = {
  type: 'object',
  properties: SETTINGS as Record<keyof Settings, { description: string; default?: unknown }>,
  required: Object.entries(SETTINGS).flatMap(([name, setting]) => ('default' in setting ? [name] : [])),
} as const;

const check = new Ajv({
  coerceTypes: true,
  useDefaults: true,
  allErrors: true,
  strict: false,
  formats: FORMATS,
  // Every program compiles this as it starts, and uses it once: without them that takes half.
  validateSchema: false,
  addUsedSchema: false,
  code: { optimize: false },
}).compile(envSchema);

const DEFAULT_SECRETS = ['ADMIN_PASSWORD', 'SECRET_KEY'] as const;

/** A setting that cannot be used; the message names it. */
export class SettingError extends Error {}

/**
 * The settings, read and checked once.
 * @param source usually process.env: strings by name; empty strings count as absent
 * @throws SettingError naming every setting that is wrong, or, in production, every secret left at its default
 */
export function readEnv(source: Record<string, string | undefined> = process.env): Env {
  const given = Object.fromEntries(
    Object.keys(envSchema.properties).flatMap((name) => {
      const value = givenAs(source, name);
      if (value && value.trim() === '') throw new SettingError(`${name} is blank: leave it out, or give it a value`);
      return value ? [[name, value]] : [];
    }),
  );
  if (!check(given)) {
    const wrong = (check.errors ?? []).map(({ instancePath, keyword, message, params }) => {
      const words = keyword === 'enum' ? `must be one of ${params['allowedValues'].join(', ')}` : message;
      return `${instancePath.slice(1)} ${words}`;
    });
    throw new SettingError(`Settings that cannot be used: ${wrong.join('; ')}`);
  }
  const env = given as unknown as Env;
  if (env.NODE_ENV === 'production') {
    const left = DEFAULT_SECRETS.filter((name) => env[name] === (envSchema.properties[name] as { default?: string }).default);
    if (left.length) throw new SettingError(`Production needs its own ${left.join(' and ')}: they are still at their defaults`);
  }
  const homeless = (['CRM', 'PARTNER'] as const).filter((system) => env[`${system}_KIND`] !== 'none' && !env[`${system}_URL`]);
  if (homeless.length) throw new SettingError(homeless.map((system) => `${system}_KIND needs ${system}_URL`).join('; '));
  if (!isTimeZone(env.SENDING_TIMEZONE))
    throw new SettingError(`SENDING_TIMEZONE: there is no time zone ${env.SENDING_TIMEZONE}; zones have names like Asia/Kolkata`);
  env.BASE_URL = (env.BASE_URL ?? `http://${hostInUrl(env.HOST)}:${env.PORT}`).replace(/\/+$/, '');
  return env;
}

/** What a setting is given as, or what the file holds that NAME_FILE names: orchestrators mount secrets as files. */
function givenAs(source: Record<string, string | undefined>, name: string): string | undefined {
  const file = source[`${name}_FILE`];
  if (!file) return source[name];
  if (source[name]) throw new SettingError(`${name} and ${name}_FILE are both given`);
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (text) return text;
  } catch (error) {
    throw new SettingError(`${name}_FILE: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  throw new SettingError(`${name}_FILE: ${file} is empty`);
}

/**
 * The settings a process cannot do without, though others can.
 * @throws SettingError naming those that are missing
 */
export function needed<Name extends keyof Env>(env: Env, ...names: Name[]): { [N in Name]: NonNullable<Env[N]> } {
  const missing = names.filter((name) => env[name] === undefined);
  if (missing.length) throw new SettingError(`Settings that are missing: ${missing.join(', ')} (npm start brings its own)`);
  return env as { [N in Name]: NonNullable<Env[N]> };
}

/** What a runtime takes beside the names of zones means another time to the database: BST is Dhaka's here and London's there, +02:00 is west of Greenwich there. */
const NO_ZONE = /^(?!CET|EET|EST|GMT|HST|MET|MST|PRC|ROC|ROK|UCT|UTC|WET)[A-Z]{3}$|^[^A-Z]/i;

function isTimeZone(name: string): boolean {
  if (NO_ZONE.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
