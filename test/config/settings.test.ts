import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describeSettings, envExample } from '../../config/describe.ts';
import { needed, readEnv, SettingError } from '../../config/env.ts';

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
});
