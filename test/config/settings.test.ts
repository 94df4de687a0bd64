import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describeSettings, envExample } from '../../config/describe.ts';
import { needed, readEnv, SettingError } from '../../config/env.ts';
import { temporalConnection } from '../../config/temporal.ts';
import { connectionTo } from '../../db/connection.ts';
import { isTimezone } from '../../domain/recurrence.ts';
import { dataFolder } from '../support/data-folder.ts';

describe('the settings', () => {
  it('all have a description, and work without any being given', () => {
    for (const { name, description } of describeSettings()) assert.ok(description.length > 5, name);
    assert.equal(readEnv({}).BASE_URL, 'http://127.0.0.1:8480');
  });

  it('are all in .env.example, which is up to date', () => {
    const example = readFileSync(`${import.meta.dirname}/../../.env.example`, 'utf8');
    assert.equal(example, envExample(), 'run: npm run --silent settings -- --env > .env.example');
    const everything = parseEnv(example.replaceAll(/^#(?=[A-Z])/gm, ''));
    assert.deepEqual(new Set(Object.keys(everything)), new Set(describeSettings().map(({ name }) => name)));
    assert.deepEqual(readEnv(everything as Record<string, string>), readEnv({}));
  });

  it('name everything that is wrong at once', () => {
    assert.throws(
      () => readEnv({ PORT: 'eighty', SMTP_URL: 'http://relay' }),
      (error: Error) => {
        assert.ok(error instanceof SettingError);
        assert.match(error.message, /PORT must be integer/);
        assert.match(error.message, /SMTP_URL must match pattern/);
        return true;
      },
    );
  });

  it('refuse what would stand in every mail and lead nowhere', () => {
    for (const [name, values] of Object.entries({
      BASE_URL: ['campaign.example.org', 'https://', 'https://campaign.example.org/?x=1', 'https://campaign.example.org /'],
      MAIL_DOMAIN: ['@example.org', 'https://example.org', 'mail example.org', 'bücher.example', '-'],
      DEFAULT_FROM: ['Campaign', 'Campaign news@example.org', '"Campaign" <news>', '<news@example.org'],
    }))
      for (const value of values) assert.throws(() => readEnv({ [name]: value }), new RegExp(`${name} must match pattern`), value);
    for (const BASE_URL of ['https://campaign.example.org', 'http://[::1]:8480', 'https://example.org/campaign/'])
      assert.equal(readEnv({ BASE_URL }).BASE_URL, BASE_URL.replace(/\/$/, ''));
    for (const MAIL_DOMAIN of ['localhost', 'xn--bcher-kva.example']) assert.equal(readEnv({ MAIL_DOMAIN }).MAIL_DOMAIN, MAIL_DOMAIN);
    for (const DEFAULT_FROM of ['news@example.org', 'Käthe & Co <news@example.org>', '"A <b>" <news@example.org>'])
      assert.equal(readEnv({ DEFAULT_FROM }).DEFAULT_FROM, DEFAULT_FROM);
    assert.equal(readEnv({ HOST: '::1' }).BASE_URL, 'http://[::1]:8480');
  });

  it('take a time zone where a form takes it: what the runtime and the database do not understand alike is refused', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const short = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
    const names = [
      ...Intl.supportedValuesOf('timeZone'),
      ...short,
      'utc',
      'ist',
      '+02:00',
      '-0530',
      'Z',
      'EST5EDT',
      'Etc/GMT+5',
      'Nowhere',
    ];
    const taken = (SENDING_TIMEZONE: string) => {
      try {
        return readEnv({ SENDING_TIMEZONE }).SENDING_TIMEZONE === SENDING_TIMEZONE;
      } catch (error) {
        assert.match((error as Error).message, /^SENDING_TIMEZONE: there is no time zone /);
        return false;
      }
    };
    for (const name of ['Asia/Kolkata', 'Europe/London', 'UTC', 'CET']) assert.ok(taken(name), name);
    for (const name of ['IST', 'BST', 'AST', 'pst', '+02:00']) assert.ok(!taken(name), name);
    for (const name of names) assert.equal(taken(name), isTimezone(name), name);
  });

  it('are refused at the start, and not where a library trips over them', () => {
    for (const [name, values] of Object.entries({
      TRUST_PROXY: ['999.1.1.1', '10.0.0.0/33', '::1/129', 'fff', '10.0.0.1,', 'yes'],
      TEMPORAL_ADDRESS: ['temporal:7233 ', 'two hosts', 'temporal:99999', 'http://temporal:7233', '::1'],
      WORKER_METRICS: ['localhost:9464', '127.0.0.1:99999', '127.0.0.1', '0.0.0:9464'],
      WORKER_HEALTH: ['0.0.0.0:99999', 'health'],
      TRACES_URL: ['http://', 'http:// x', 'https://host:99999/v1/traces'],
      TEMPORAL_UI_URL: ['javascript:alert(1)', 'temporal:8233'],
      SEND_MAX_RATE: ['Infinity', '1e999', '-1', '0'],
      LOG_LEVEL: ['info ', 'loud'],
      SENDING_ADDRESSES: ['mail.example.org', '192.0.2.1;192.0.2.2', '192.0.2.0/24', '192.0.2.1,'],
      DOMAIN_RATES: ['a=1=2', 'a=1 b=2', 'a=1;b=2', 'a=1,b', 'a=1,b=fast', 'a=0x10', 'a.example', ','],
      DNS_SERVERS: ['ns.example.org', '192.0.2.1:x', '192.0.2.1:99999', '[192.0.2.1]', '2001:db8::1 2001:db8::2'],
    }))
      for (const value of values)
        assert.throws(() => readEnv({ [name]: value }), new RegExp(`cannot be used: ${name} must `), `${name}=${value}`);
    for (const [name, values] of Object.entries({
      TRUST_PROXY: ['true', '127.0.0.1', '10.0.0.0/8, 192.168.0.0/16', 'fd00::/8', '::ffff:10.0.0.1'],
      TEMPORAL_ADDRESS: ['temporal:7233', '[::1]:7233', 'my.tmprl.cloud:7233', 'temporal_frontend'],
      WORKER_METRICS: ['0.0.0.0:9464'],
      WORKER_HEALTH: ['localhost:8481'],
      TRACES_URL: ['http://localhost:4318/v1/traces'],
      SENDING_ADDRESSES: ['192.0.2.1', '192.0.2.1, 2001:db8::1'],
      DOMAIN_RATES: ['gmail.com=50', ' gmail.com = 50, *.example=2.5,', 'bücher.example=1'],
      DNS_SERVERS: ['192.0.2.1', '192.0.2.1:5353, 2001:db8::1,[2001:db8::1]:53'],
    }))
      for (const value of values) assert.equal(readEnv({ [name]: value })[name as 'TRUST_PROXY'], value);
    assert.throws(() => readEnv({ LOG_LEVEL: 'loud' }), /must be one of fatal, error, warn, info, debug, trace, silent/);
  });

  it('are refused where they are blank: as a number that would be none, as a secret everybody would guess it', () => {
    for (const name of ['OPEN_RATE_LIMIT_PER_MINUTE', 'PORT', 'SECRET_KEY', 'HOST', 'SEND_ONLY_TO'])
      assert.throws(() => readEnv({ [name]: ' \t' }), new RegExp(`^Error: ${name} is blank`), name);
    const empty = join(dataFolder(), 'empty');
    writeFileSync(empty, '\n');
    assert.throws(() => readEnv({ SEND_ONLY_TO_FILE: empty }), /SEND_ONLY_TO_FILE: .*\/empty is empty/);
  });

  it('refuse default secrets in production', () => {
    assert.throws(() => readEnv({ NODE_ENV: 'production', ADMIN_PASSWORD: 'own' }), /Production needs its own SECRET_KEY/);
    assert.doesNotThrow(() => readEnv({ NODE_ENV: 'production', ADMIN_PASSWORD: 'own', SECRET_KEY: 'own' }));
  });

  it('say which are missing for a part that runs alone', () => {
    assert.throws(() => needed(readEnv({}), 'DATABASE_URL', 'TEMPORAL_ADDRESS'), /missing: DATABASE_URL, TEMPORAL_ADDRESS/);
  });

  it('do not switch an external system on without its address', () => {
    assert.throws(() => readEnv({ CRM_KIND: 'http', PARTNER_KIND: 'civicrm' }), /CRM_KIND needs CRM_URL; PARTNER_KIND needs PARTNER_URL/);
    assert.equal(readEnv({ CRM_KIND: 'http', CRM_URL: 'https://crm.example' }).CRM_KIND, 'http');
  });

  it('may each come in a file, but not twice', () => {
    const file = join(dataFolder(), 'secret');
    writeFileSync(file, 'own key\n');
    assert.equal(readEnv({ SECRET_KEY_FILE: file }).SECRET_KEY, 'own key');
    assert.throws(() => readEnv({ SECRET_KEY_FILE: file, SECRET_KEY: 'other' }), /SECRET_KEY and SECRET_KEY_FILE are both given/);
    assert.throws(() => readEnv({ SECRET_KEY_FILE: '/nope' }), /SECRET_KEY_FILE: \/nope cannot be read \(ENOENT\)/);
  });

  it('leave no doubt whether a connection to the database is encrypted, and where it leads', () => {
    const refused = (rest: string, words: RegExp) =>
      assert.throws(
        () => connectionTo(`postgresql://someone:secret@${rest}`),
        (error: Error) => error instanceof SettingError && words.test(error.message) && !error.message.includes('secret'),
        rest,
      );
    refused('one,two:5433/campaign', /DATABASE_URL names several hosts/);
    refused('one/campaign?sslmode=prefer', /DATABASE_URL: sslmode is one of disable, require/);
    refused('one/campaign?sslmode=verify-ca', /sslmode=verify-ca needs sslrootcert/);
    refused('one/campaign?sslmode=verify-full&sslrootcert=/nope', /\/nope cannot be read \(ENOENT\)/);
    refused('/campaign?host=one,two', /DATABASE_URL names several hosts/);
    refused('localhost/campaign?host=one%2Ctwo', /DATABASE_URL names several hosts/);
    refused('one/campaign?sslmod=require', /DATABASE_URL: nothing heeds sslmod behind the \?/);
    refused('one/campaign?SSLMODE=require', /nothing heeds SSLMODE/);
    refused('one/campaign?ssl=require', /nothing holds to ssl=require: .* sslmode=verify-full/);
    for (const strict of [
      'channel_binding=require',
      'gssencmode=require',
      'target_session_attrs=standby',
      'ssl_min_protocol_version=TLSv1.3',
    ])
      refused(`one/campaign?sslmode=require&${strict}`, new RegExp(`nothing holds to ${strict}`));
    refused('one/campaign?sslmode=require&require_auth=scram-sha-256', /nothing heeds require_auth/);
    assert.ok(connectionTo('postgresql://one/campaign?connect_timeout=5&keepalives=1&target_session_attrs=read-write&application_name=x'));
    refused('one:port/campaign', /DATABASE_URL is no URL/);
    refused('/campaign?host=/var/run/postgresql', /DATABASE_URL is no URL: .*localhost\/NAME\?host=/);
    const sslOf = (mode: string) => structuredClone(connectionTo(`postgresql://one/campaign?sslmode=${mode}`).ssl);
    assert.deepEqual(['disable', 'require', 'no-verify', 'verify-full'].map(sslOf), [
      false,
      { rejectUnauthorized: false },
      { rejectUnauthorized: false },
      {},
    ]);
    for (const socket of ['/campaign', 'someone:secret@localhost/campaign'])
      assert.equal(connectionTo(`postgresql://${socket}?host=/var/run/postgresql`).host, '/var/run/postgresql');
  });

  it('encrypt connections to Temporal as soon as anything is given that only TLS can use', () => {
    const tlsOf = (more: object) => temporalConnection(readEnv({ TEMPORAL_ADDRESS: 'temporal:7233', ...more }));
    assert.deepEqual(tlsOf({}), { address: 'temporal:7233' });
    assert.deepEqual(tlsOf({ TEMPORAL_TLS: 'true' }), { address: 'temporal:7233', tls: {} });
    assert.deepEqual(tlsOf({ TEMPORAL_API_KEY: 'key' }), { address: 'temporal:7233', tls: {}, apiKey: 'key' });
    assert.throws(() => tlsOf({ TEMPORAL_API_KEY: 'key', TEMPORAL_TLS: 'false' }), /TEMPORAL_API_KEY goes over TLS only/);
    assert.throws(() => tlsOf({ TEMPORAL_TLS_CLIENT_CERT_PATH: '/dev/null' }), /need each other/);
  });
});
