import assert from 'node:assert/strict';
import { readEnv } from '../../config/env.ts';
import { isOtherwise, settingsThatDiffer, workerIdentity } from '../../config/worker-identity.ts';

describe('what workers ask Temporal for work as', () => {
  const of = (more: Record<string, string> = {}) => workerIdentity(readEnv(more));

  it('tells which settings are not alike, and no value of any', () => {
    const [ours, others] = [of(), of({ MAIL_DOMAIN: 'mail.example', SEND_ONLY_TO: 'ann@example.org', SEND_SLOTS: '3' })];
    assert.deepEqual(settingsThatDiffer([ours, ours]), []);
    assert.deepEqual(settingsThatDiffer([ours, others, ours]), ['MAIL_DOMAIN', 'SEND_ONLY_TO']);
    assert.deepEqual(settingsThatDiffer([ours, of({ SECRET_KEY: 'another' })]), ['SECRET_KEY']);
    assert.match(others, /^\d+@[^/]+\/[\w-]{21}$/);
  });

  it('knows nothing of releases before, and what they have in common with one that looks at more settings', () => {
    const ours = of({ BASE_URL: 'https://a.example' });
    assert.deepEqual(settingsThatDiffer([ours, '17@host', 'a/b/17@host']), []);
    assert.deepEqual(settingsThatDiffer([ours, `${of({ BASE_URL: 'https://b.example' })}abc`]), ['BASE_URL']);
  });

  it('tells whether one has a setting otherwise than who asks, who has the same key', () => {
    const [a, b] = [{ BASE_URL: 'https://a.example' }, { BASE_URL: 'https://b.example' }];
    const among = [of(a), '17@host', of(b)];
    const other = (env: Record<string, string>, identities: string[]) => isOtherwise('BASE_URL', readEnv(env), identities);
    assert.deepEqual([other(a, [of(a)]), other(a, among), other(b, [of(a)])], [false, true, true]);
    assert.deepEqual([other({ ...b, SECRET_KEY: 'another' }, [of(a)]), other(b, ['17@host']), other(b, [])], [false, false, false]);
  });
});
