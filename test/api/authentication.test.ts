import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureFirstSuperuser } from '../../core/accounts/first-superuser.ts';
import { hashPassword, verifyPassword } from '../../core/accounts/password.ts';
import { LoginThrottle } from '../../core/accounts/throttle.ts';
import type { Pool } from '../../db/driver.ts';
import { createPool } from '../../db/pool.ts';
import { sqlOn } from '../../db/sql.ts';
import { ADMIN, basic, passwordsInEarnest, startApi, type TestApi } from '../support/api.ts';
import { createDatabase } from '../support/database.ts';

describe('authentication', () => {
  let api: TestApi;
  const as = (username: string, password: string) => ({ authorization: basic({ username, password }) });
  const get = (url: string, headers: Record<string, string>) => api.call('GET', url, undefined, headers);
  before(async () => {
    api = await startApi();
    passwordsInEarnest();
    await api.create('tag', { name: 'first' });
  });
  after(() => api.close());

  it('answers 401, empty, with a challenge, to no or wrong credentials', async () => {
    const wrong = [
      '',
      'Basic',
      'Basic !!!',
      'Basic YWRtaW4=',
      'Bearer abc',
      basic({ ...ADMIN, password: 'wrong' }),
      basic({ ...ADMIN, username: 'nobody' }),
    ];
    for (const authorization of [...wrong, basic({ username: 'admin\0', password: 'x' })]) {
      const answer = await get('/rest/v1/tag/', { authorization });
      assert.deepEqual([answer.statusCode, answer.body], [401, ''], authorization);
      assert.equal(answer.headers['www-authenticate'], 'Basic realm="campaign-platform"');
    }
    const open = { authorization: '' };
    assert.equal((await get('/rest/v1/', open)).statusCode, 401);
    assert.equal((await get('/rest/v1/tag/99999/', open)).statusCode, 401, 'nobody learns what is there');
  });

  it('answers what needs no credentials to wrong ones as to none, but for what goes by who calls', async () => {
    const ann = await api.read(await api.create('user', { email: 'ann@example.org' }));
    const open = ['/health/live', '/unsubscribe/', '/rest/v1/openapi.json', `/rest/v1/userpublic/${ann.token}/`];
    const wrong = ['Basic !!!', 'Bearer abc', basic({ username: 'former', password: 'x' })];
    for (const authorization of wrong) {
      const sent = await api.call('POST', '/rest/v1/action/', { page: 'none', email: 'bob@example.org' }, { authorization });
      assert.equal(sent.statusCode, 401, 'whoever sends for many is told');
      for (const url of open) {
        const [answer, toNone] = [await get(url, { authorization }), await get(url, { authorization: '' })];
        assert.deepEqual([answer.statusCode, answer.body], [toNone.statusCode, toNone.body], `${url} ${authorization}`);
      }
    }
  });

  it('reads credentials in UTF-8 and, as clients in Python send them, in Latin-1', async () => {
    await api.create('authuser', { username: 'rené', password: 'mot de passe: été' });
    const sent = (password: string, encoding: 'utf8' | 'latin1') =>
      get('/rest/v1/', { authorization: `Basic ${Buffer.from(`rené:${password}`, encoding).toString('base64')}` });
    for (const encoding of ['utf8', 'latin1'] as const) {
      assert.equal((await sent('mot de passe: été', encoding)).statusCode, 200, encoding);
      assert.equal((await sent('mot de passe: ete', encoding)).statusCode, 401, encoding);
    }
  });

  it('gives an account what its groups grant, and says what is missing', async () => {
    const group = await api.create('authgroup', { name: 'readers', grants: ['tag:read', 'list:write'] });
    const account = await api.create('authuser', { username: 'reader', password: 'reader-password', groups: [group] });
    const reader = as('reader', 'reader-password');
    assert.equal((await get('/rest/v1/tag/', reader)).statusCode, 200);
    assert.equal((await get('/rest/v1/', reader)).statusCode, 200);
    const refused = await api.call('POST', '/rest/v1/tag/', { name: 'x' }, reader);
    assert.deepEqual([refused.statusCode, refused.json()], [403, { errors: { permission: ['tag:write'] } }]);
    assert.equal((await get('/rest/v1/list/', reader)).statusCode, 403);
    assert.equal((await api.call('POST', '/rest/v1/list/', { name: 'by reader' }, reader)).statusCode, 201);

    for (const grant of ['tag:red', 'mailer:erase', 'tag', '', 5]) {
      const mistyped = await api.call('PATCH', group, { grants: [grant] });
      assert.deepEqual([mistyped.statusCode, Object.keys(mistyped.json().authgroup ?? {})], [400, ['grants']], String(grant));
    }

    // What changes holds at once.
    await api.call('PATCH', group, { grants: ['*'] });
    assert.equal((await api.call('POST', '/rest/v1/tag/', { name: 'now' }, reader)).statusCode, 201);
    await api.call('PATCH', account, { groups: [] });
    assert.equal((await get('/rest/v1/tag/', reader)).statusCode, 403);
    await api.call('PATCH', account, { is_active: false });
    assert.equal((await get('/rest/v1/tag/', reader)).statusCode, 401);
    await api.call('PATCH', account, { is_active: true, password: 'another-password' });
    assert.equal((await get('/rest/v1/', reader)).statusCode, 401);
    assert.equal((await get('/rest/v1/', as('reader', 'another-password'))).statusCode, 200);
    await api.call('DELETE', account);
    assert.equal((await get('/rest/v1/', as('reader', 'another-password'))).statusCode, 401);
  });

  it('lets nobody but a superuser change accounts and groups', async () => {
    const group = await api.create('authgroup', { name: 'all but', grants: ['*'] });
    await api.create('authuser', { username: 'climber', password: 'climber-password', groups: [group] });
    const climber = as('climber', 'climber-password');
    const { objects } = (await get('/rest/v1/authuser/?username=climber', climber)).json();
    assert.equal(objects.length, 1);
    for (const [method, url, body] of [
      ['PATCH', objects[0].resource_uri, { is_superuser: true }],
      ['PATCH', '/rest/v1/authuser/1/', { password: 'taken-over' }],
      ['POST', '/rest/v1/authuser/', { username: 'new', password: 'new-password', is_superuser: true }],
      ['POST', '/rest/v1/authgroup/', { name: 'new', grants: [] }],
      ['DELETE', '/rest/v1/authuser/1/', undefined],
    ] as const) {
      assert.equal((await api.call(method, url, body, climber)).statusCode, 403, `${method} ${url}`);
    }
  });

  it('never shows a password, and refuses to lose the last superuser', async () => {
    const admin = await api.read('/rest/v1/authuser/1/');
    assert.equal(admin.username, ADMIN.username);
    assert.doesNotMatch(
      JSON.stringify([admin, await api.read('/rest/v1/authuser/'), await api.read('/rest/v1/authuser/schema/')]),
      /scrypt/,
    );
    assert.ok(!('password' in admin));
    for (const [method, body] of [
      ['DELETE', undefined],
      ['PATCH', { is_superuser: false }],
      ['PATCH', { is_active: false }],
    ] as const) {
      const answer = await api.call(method, '/rest/v1/authuser/1/', body);
      assert.deepEqual([answer.statusCode, answer.json()], [400, { authuser: { is_superuser: ['This is the last active superuser.'] } }]);
    }
    const short = await api.call('POST', '/rest/v1/authuser/', { username: 'short', password: 'short' });
    assert.deepEqual(short.json(), { authuser: { password: ['password must have at least 8 characters.'] } });
    const bare = await api.call('POST', '/rest/v1/authuser/', { username: 'bare' });
    assert.deepEqual(bare.json(), { authuser: { password: ['This field is required.'] } });
    const colon = await api.call('POST', '/rest/v1/authuser/', { username: 'a:b', password: 'long enough' });
    assert.equal(colon.statusCode, 400);
  });

  it('lets nobody in for longer where its clock is set back: an account that another process ended is ended here, too', async () => {
    const account = await api.create('authuser', { username: 'leaver', password: 'leaver-password', is_superuser: true });
    const leaver = as('leaver', 'leaver-password');
    assert.equal((await get('/rest/v1/', leaver)).statusCode, 200);
    mock.timers.enable({ apis: ['Date'], now: Date.now() - 600_000 });
    try {
      await api.pool.query('update auth_user set is_active = false where id = $1', [Number(account.split('/').at(-2))]);
      await sleep(2 * api.env.ACCOUNT_CACHE_MS);
      assert.equal((await get('/rest/v1/', leaver)).statusCode, 401);
    } finally {
      mock.timers.reset();
    }
  });

  it('costs the slow hash once per credential', async () => {
    await api.create('authuser', { username: 'quick', password: 'quick-password' });
    const quick = as('quick', 'quick-password');
    /** Of the processor, with the threads that hash. */
    const time = async (requests: number) => {
      const start = process.cpuUsage();
      await Promise.all(Array.from({ length: requests }, () => get('/rest/v1/', quick)));
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    };
    const first = await time(1);
    const later = await time(20);
    assert.ok(later < first, `the first ${first} ms, twenty later ones ${later} ms`);
  });

  it('makes the first superuser once, and leaves a changed password alone', async () => {
    const env = { ADMIN_USERNAME: 'first', ADMIN_PASSWORD: 'first-password', DEFAULT_FROM: '"Campaign" <campaign@example.org>' };
    await Promise.all([ensureFirstSuperuser(api.orm, env), ensureFirstSuperuser(api.orm, env)]);
    assert.equal((await get('/rest/v1/tag/', as('first', 'first-password'))).statusCode, 200);
    const { objects } = await api.read('/rest/v1/authuser/?username=first');
    assert.deepEqual([objects.length, objects[0].is_superuser, objects[0].email], [1, true, 'campaign@example.org']);
    await api.call('PATCH', objects[0].resource_uri, { password: 'changed-password' });
    await ensureFirstSuperuser(api.orm, env);
    assert.equal((await get('/rest/v1/tag/', as('first', 'first-password'))).statusCode, 401);
    assert.equal((await get('/rest/v1/tag/', as('first', 'changed-password'))).statusCode, 200);
  });

  it('slows down who guesses, and nobody whose credential is known', async () => {
    await api.create('authuser', { username: 'guessed', password: 'guessed-password' });
    const known = as('guessed', 'guessed-password');
    assert.equal((await get('/rest/v1/', known)).statusCode, 200);
    const guesses = [];
    for (let index = 0; index < 12; index++) guesses.push(await get('/rest/v1/', as('guessed', `guess ${index}`)));
    assert.deepEqual(
      guesses.map(({ statusCode }) => statusCode),
      [...Array(10).fill(401), 429, 429],
    );
    assert.ok(Number(guesses.at(-1)!.headers['retry-after']) > 0);
    assert.equal((await get('/rest/v1/', known)).statusCode, 200);
  });
});

describe('a stored password', () => {
  before(passwordsInEarnest);

  it('is right only with the password it was made of', async () => {
    const hash = await hashPassword('pässword');
    assert.match(hash, /^scrypt\$32768\$8\$3\$/);
    assert.equal(await verifyPassword('pässword', hash), true);
    assert.equal(await verifyPassword('passwörd', hash), false);
    assert.notEqual(await hashPassword('pässword'), hash);
    for (const broken of [null, '', 'scrypt$1', 'plain', hash.replace('scrypt', 'md5')]) {
      assert.equal(await verifyPassword('pässword', broken), false);
    }
  });
});

describe('the throttle of failed logins', () => {
  let pool: Pool;
  before(async () => {
    pool = createPool(await createDatabase(), 4);
  });
  after(() => pool.end());

  it('closes per account and address, per address and per account, for a minute, over all processes', async () => {
    const [one, other] = [new LoginThrottle(sqlOn(pool)), new LoginThrottle(sqlOn(pool))];
    const guesses = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? one : other).guess('ann', '1.1.1.1')));
    assert.ok(guesses.filter((seconds) => seconds === 0).length <= 10, 'ten at most are looked at');
    const wait = async (name: string, address: string) => {
      const seconds = await other.guess(name, address);
      if (seconds === 0) await other.succeeded(name, address);
      return seconds;
    };
    for (let count = 0; count < 10; count++) await one.guess('ann', '1.1.1.1');
    const closed = await wait('ann', '1.1.1.1');
    assert.ok(closed > 50 && closed <= 60, `${closed} s`);
    assert.equal(await wait('ann', '2.2.2.2'), 0);
    assert.equal(await wait('bob', '1.1.1.1'), 0);
    for (let count = 0; count < 50; count++) await one.guess(`name ${count}`, '1.1.1.1');
    assert.ok((await wait('bob', '1.1.1.1')) > 0, 'many names from one address');
    for (let count = 0; count < 90; count++) await one.guess('ann', `9.9.${count}.1`);
    assert.ok((await wait('ann', '3.3.3.3')) > 0, 'one name from many addresses');
    await pool.query(`update auth_failure set until = now()`);
    assert.equal(await wait('ann', '1.1.1.1'), 0);
  });

  it('is open again, and counts anew, where the clock of the database was set back', async () => {
    const throttle = new LoginThrottle(sqlOn(pool));
    for (let count = 0; count < 11; count++) await throttle.guess('eve', '7.7.7.7');
    assert.ok((await throttle.guess('eve', '7.7.7.7')) > 0);
    await pool.query(`update auth_failure set until = until + interval '3 hours'`);
    for (let count = 0; count < 10; count++) assert.equal(await throttle.guess('eve', '7.7.7.7'), 0);
    const closed = await throttle.guess('eve', '7.7.7.7');
    assert.ok(closed > 0 && closed <= 60, `${closed} s`);
  });

  it('leaves no row of a name that is tried where the way is closed, nor of one that was right', async () => {
    const throttle = new LoginThrottle(sqlOn(pool));
    const rows = async () => (await pool.query('select count(*)::int as n from auth_failure')).rows[0].n;
    for (let count = 0; count < 50; count++) await throttle.guess(`tried ${count}`, '4.4.4.4');
    const before = await rows();
    for (let count = 0; count < 20; count++) assert.ok((await throttle.guess(`more ${count}`, '4.4.4.4')) > 0);
    assert.equal(await rows(), before);
    assert.equal(await throttle.guess('right', '5.5.5.5'), 0);
    await throttle.succeeded('right', '5.5.5.5');
    assert.equal(await rows(), before);
    // Many at once get past the look, and are taken back.
    await Promise.all(Array.from({ length: 80 }, (_, n) => throttle.guess(`at once ${n}`, '6.6.6.6')));
    assert.equal(await rows(), before + 101);
  });
});
