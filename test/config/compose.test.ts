import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { envSchema, readEnv } from '../../config/env.ts';
import { PARAMETERS } from '../../embedded/postgres.ts';

interface Service {
  build?: string;
  image: string;
  environment: Record<string, string>;
  command?: string[];
  stop_grace_period?: string;
  ports?: string[];
  healthcheck?: object;
  deploy: { resources: { limits: { cpus: string; memory: string } } };
}

const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'temporal-docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as { services: Record<string, Service> };
const ours = Object.entries(compose.services).filter(([, { build }]) => build);

/** As Compose does it: `${NAME:-default}`, and `${NAME:?message}` for what has to be given. */
function interpolated(value: string, given: Record<string, string>): string {
  return value.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_all, name: string, kind: string, rest: string) => {
    if (given[name]) return given[name];
    if (kind === '?') throw new Error(`${name} is missing: ${rest}`);
    return rest;
  });
}

const settingsOf = (service: Service, given: Record<string, string>) =>
  Object.fromEntries(Object.entries(service.environment).map(([name, value]) => [name, interpolated(String(value), given)]));

describe('temporal-docker-compose.yml', () => {
  const GIVEN = {
    BASE_URL: 'https://campaign.example.org',
    DATABASE_PASSWORD: 'abc123',
    SMTP_URL: 'smtps://user:password@relay.example.org',
    MAIL_DOMAIN: 'example.org',
    DEFAULT_FROM: 'Campaign <campaign@example.org>',
    ADMIN_PASSWORD: 'a password of its own',
    SECRET_KEY: 'a key of its own',
  };

  it('is what the Compose specification allows', () => {
    const schemaFile = join(dirname(createRequire(import.meta.url).resolve('dclint/package.json')), 'schemas/compose.schema.json');
    const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
    addFormats.default(ajv);
    const check = ajv.compile({ ...JSON.parse(readFileSync(schemaFile, 'utf8')), $schema: undefined });
    check(parse(text, { merge: true }));
    assert.deepEqual(check.errors, null);
    assert.equal(check({ services: { api: { imagine: 'x' } } }), false);
  });

  it('has every part, and gives ours nothing but settings there are', () => {
    const parts = ['postgres', 'temporal-schema', 'temporal', 'temporal-ui', 'migrate', 'api', 'worker'];
    assert.deepEqual(Object.keys(compose.services), parts);
    assert.deepEqual(
      ours.map(([name]) => name),
      ['migrate', 'api', 'worker'],
    );
    for (const [, { environment }] of ours) {
      assert.deepEqual(
        Object.keys(environment).filter((name) => !(name in envSchema.properties)),
        [],
      );
    }
  });

  it('runs programs that exist, on settings that are accepted', () => {
    for (const [, service] of ours) {
      assert.ok(readFileSync(join(root, service.command!.at(-1)!), 'utf8').includes('live('));
      assert.equal(readEnv(settingsOf(service, GIVEN)).NODE_ENV, 'production');
    }
  });

  it('refuses to start without secrets, or with the default ones', () => {
    const api = compose.services['api']!;
    for (const name of Object.keys(GIVEN)) {
      assert.throws(() => settingsOf(api, { ...GIVEN, [name]: '' }), new RegExp(`${name} is missing`));
    }
    for (const name of ['SECRET_KEY', 'ADMIN_PASSWORD'] as const) {
      const fallback = String((envSchema.properties[name] as { default?: string }).default);
      assert.throws(() => readEnv(settingsOf(api, { ...GIVEN, [name]: fallback })), new RegExp(`its own ${name}`));
    }
    assert.match(compose.services['postgres']!.environment['POSTGRES_PASSWORD']!, /:\?/);
  });

  it('has PostgreSQL write nothing of people to its log, as the embedded one', () => {
    const settings = compose.services['postgres']!.command!.flatMap((word) => (word.startsWith('-c') ? [word.slice(2)] : []));
    const ofLog = Object.entries(PARAMETERS).filter(([name]) => /^log_(min|error)_/.test(name));
    assert.equal(ofLog.length, 3);
    assert.deepEqual(
      ofLog.map(([name, value]) => `${name}=${value}`).filter((setting) => !settings.includes(setting)),
      [],
    );
  });

  it('gives a worker that is told to end the time the relay may take', () => {
    const worker = compose.services['worker']!;
    const { SMTP_TIMEOUT_MS, SHUTDOWN_GRACE_SECONDS } = readEnv(settingsOf(worker, GIVEN));
    assert.ok(SHUTDOWN_GRACE_SECONDS > SMTP_TIMEOUT_MS / 1000 + 5, `${SHUTDOWN_GRACE_SECONDS} s of grace`);
    assert.match(worker.stop_grace_period!, /^\d+s$/);
    assert.ok(Number.parseInt(worker.stop_grace_period!, 10) > SHUTDOWN_GRACE_SECONDS);
  });

  it('limits every part, lets only this host in, and scales the workers', () => {
    for (const [name, service] of Object.entries(compose.services)) {
      assert.ok(service.deploy.resources.limits.memory && service.deploy.resources.limits.cpus, name);
      for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:/);
    }
    for (const name of ['postgres', 'temporal', 'api']) assert.ok(compose.services[name]!.healthcheck, name);
    const worker = compose.services['worker'] as Service & { container_name?: string };
    assert.ok(!worker.container_name && !worker.ports, 'neither a fixed name nor a port: any number may run');
  });
});
