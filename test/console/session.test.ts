import assert from 'node:assert/strict';
import { ADMIN, passwordsInEarnest, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { untilWaiting } from '../support/sessions.ts';

describe('logging in at the console', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    passwordsInEarnest();
  });
  after(() => api.close());

  const account = (more: object) => api.create('authuser', { password: 'long-enough', ...more });

  it('leads who is not logged in to the login, and from there to where they wanted', async () => {
    const visitor = new ConsoleVisitor(api.app);
    const turned = await visitor.get('/console/mailings/7/?x=1');
    assert.equal(turned.statusCode, 303);
    assert.equal(turned.headers.location, '/console/login?next=%2Fconsole%2Fmailings%2F7%2F%3Fx%3D1');
    const entered = await visitor.logIn(ADMIN, '/console/mailings/7/?x=1');
    assert.equal(entered.headers.location, '/console/mailings/7/?x=1');
    assert.equal((await visitor.get('/console/')).statusCode, 200);
  });

  it('leads back to a search of several words', async () => {
    const wanted = '/console/mailings/?q=spring+fair*';
    const fresh = new ConsoleVisitor(api.app);
    const { headers } = await fresh.get(wanted);
    const next = new URL(String(headers.location), 'http://console').searchParams.get('next')!;
    assert.equal((await fresh.logIn(ADMIN, next)).headers.location, wanted);
  });

  it('says to whoever pressed a button after their session had ended that it was not done, and leads back to what it was about', async () => {
    const visitor = new ConsoleVisitor(api.app);
    const turned = await visitor.post('/console/mailings/7/stop', {});
    assert.equal(turned.statusCode, 303);
    assert.equal(turned.headers.location, '/console/login?undone=1&next=%2Fconsole%2Fmailings%2F7%2F');
    assert.match((await visitor.get(turned.headers.location!)).body, /role="alert"><p>[^<]*was not done/);
    for (const [form, place] of [
      ['/console/lists/', '/console/lists/'],
      ['/console/lists/7/', '/console/lists/7/'],
      ['/console/people/7/subscribe', '/console/people/7/'],
      ['/console/imports/draft/7/start', '/console/imports/draft/7/'],
      ['/console/webhooks/7/retry', '/console/webhooks/7/'],
      ['/console/reports/people_in/', '/console/reports/people_in/'],
      ['/console/reports/sql/', '/console/reports/sql/'],
      ['/console/accounts/groups/7/', '/console/accounts/groups/7/'],
      ['/console/accounts/7/password', '/console/accounts/7/'],
      ['/console/mailings/new', '/console/mailings/new'],
      ['/console/mailings/7/edit/', '/console/mailings/7/edit/'],
      ['/console/mailings/7/edit/test', '/console/mailings/7/edit/'],
      ['/console/mailings/7/choose/keep', '/console/mailings/7/choose/'],
      ['/console/mailings/7/confirm/queue', '/console/mailings/7/confirm/queue'],
      ['/console/mailings/7/preview/find', '/console/mailings/7/preview/'],
      ['/console/mailings/7/recurring', '/console/mailings/7/'],
    ])
      assert.equal((await visitor.post(form!, {})).headers.location, `/console/login?undone=1&next=${encodeURIComponent(place!)}`);
    assert.doesNotMatch((await visitor.get('/console/login?next=%2Fconsole%2F')).body, /was not done/);
  });

  it('tells scripts of pages that nobody is logged in, also where a browser says nothing of what it asks for, as over plain HTTP', async () => {
    const scripts = [
      ['GET', '/console/mailings/7/live', 'application/json'],
      ['POST', '/console/mailings/7/edit/', 'application/json'],
      ['POST', '/console/mailings/7/choose/counts', '*/*'],
    ] as const;
    for (const [method, url, accept] of scripts) {
      const answer = await api.app.inject({ method, url, headers: { accept } });
      assert.deepEqual([answer.statusCode, answer.json()], [401, { problems: ['Nobody is logged in.'] }], url);
    }
    const page = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8' };
    assert.equal((await api.app.inject({ url: '/console/mailings/7/', headers: page })).statusCode, 303);
  });

  it('leads the bare address there, and says where programs look', async () => {
    const visitor = new ConsoleVisitor(api.app);
    const bare = await visitor.get('/');
    assert.deepEqual([bare.statusCode, bare.headers.location], [303, '/console/']);
    const login = await visitor.get('/console/login');
    for (const [, path] of login.body.matchAll(/href="(\/docs\/|\/rest[^"]+)"/g))
      assert.equal((await visitor.get(path!)).statusCode, 200, path);
    assert.match(login.body, /API reference/);
  });

  for (const next of [
    'https://evil.test/',
    '//evil.test/',
    '/console//evil.test',
    '/rest/v1/',
    '/console/\\evil.test',
    'javascript:alert(1)',
  ]) {
    it(`leads nobody to ${next}`, async () => {
      const entered = await new ConsoleVisitor(api.app).logIn(ADMIN, next);
      assert.equal(entered.headers.location, '/console/');
    });
  }

  it('sets a cookie that scripts and other sites cannot use, and that the API takes for nothing', async () => {
    const visitor = new ConsoleVisitor(api.app);
    const { headers } = await visitor.logIn(ADMIN);
    const session = [headers['set-cookie']].flat().find((cookie) => cookie?.startsWith('campaign_console='))!;
    assert.match(session, /HttpOnly/);
    assert.match(session, /SameSite=Lax/);
    assert.match(session, /Path=\/console/);
    assert.doesNotMatch(session, /Secure/);
    const { statusCode } = await api.call('GET', '/rest/v1/mailer/', undefined, { authorization: '', cookie: session.split(';')[0]! });
    assert.equal(statusCode, 401);
  });

  it('sends the cookie over TLS only, where the service has it', async () => {
    const secure = await startApi({ BASE_URL: 'https://platform.test' });
    try {
      const { headers } = await new ConsoleVisitor(secure.app).logIn(ADMIN);
      for (const cookie of [headers['set-cookie']].flat()) assert.match(cookie!, /Secure/);
      // Over plain HTTP a browser keeps none: whoever logs in there again and again is told.
      const forgetful = () => new ConsoleVisitor(secure.app);
      const _csrf = forgetful().token(await forgetful().get('/console/login'));
      const { statusCode, body } = await forgetful().post('/console/login', { _csrf, ...ADMIN });
      assert.equal(statusCode, 403);
      assert.match(body, /role="alert"><p>Your browser sent no cookie[^<]* https:\/\/platform\.test\/console\//);
      const another = forgetful();
      await another.get('/console/login');
      assert.match((await another.post('/console/login', { _csrf, ...ADMIN })).body, /not the last one/);
    } finally {
      await secure.close();
    }
  });

  it('refuses a wrong password, an account that is closed, and accounts of programs', async () => {
    await account({ username: 'gone', is_staff: true, is_active: false });
    await account({ username: 'program' });
    const status = async (login: { username: string; password: string }) => (await new ConsoleVisitor(api.app).logIn(login)).statusCode;
    assert.equal(await status({ username: 'admin', password: 'wrong' }), 401);
    assert.equal(await status({ username: 'no<b>body', password: 'x\0y' }), 401);
    assert.equal(await status({ username: 'gone', password: 'long-enough' }), 401);
    assert.equal(await status({ username: 'program', password: 'long-enough' }), 403);
  });

  it('slows down who guesses', async () => {
    await account({ username: 'guessed', is_staff: true });
    const visitor = new ConsoleVisitor(api.app);
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) statuses.push((await visitor.logIn({ username: 'guessed', password: `guess ${n}` })).statusCode);
    assert.deepEqual([...new Set(statuses)], [401, 429]);
    const late = await visitor.logIn({ username: 'guessed', password: 'long-enough' });
    assert.equal(late.statusCode, 429);
    assert.ok(Number(late.headers['retry-after']) > 0);
  });

  it('takes no form that was not made for this session', async () => {
    const visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
    const foreign = new ConsoleVisitor(api.app);
    await foreign.logIn(ADMIN);
    const token = foreign.token(await foreign.get('/console/'));
    const forms: Record<string, string | string[]>[] = [
      {},
      { _csrf: '' },
      { _csrf: 'x'.repeat(80) },
      { _csrf: token },
      { _csrf: [token, token] },
    ];
    for (const payload of forms) {
      const answer = await visitor.post('/console/logout', payload);
      assert.equal(answer.statusCode, 403);
    }
    assert.equal((await visitor.get('/console/')).statusCode, 200);
  });

  it('ends with the log-out, for the cookie too', async () => {
    const visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
    const stolen = visitor.copy();
    await visitor.submit('/console/', '/console/logout');
    assert.equal((await stolen.get('/console/')).statusCode, 303);
  });

  it('ends when the account is closed, is no longer staff, or has a new password', async () => {
    const uri = await account({ username: 'leaver', is_staff: true });
    const group = await api.create('authgroup', { name: 'readers', grants: ['mailer:read'] });
    await api.call('PATCH', uri, { groups: [group] });
    for (const [change, undo] of [
      [{ is_active: false }, { is_active: true }],
      [{ is_staff: false }, { is_staff: true }],
      [{ password: 'another-one' }, { password: 'long-enough' }],
    ]) {
      const visitor = new ConsoleVisitor(api.app);
      await visitor.logIn({ username: 'leaver', password: 'long-enough' });
      assert.equal((await visitor.get('/console/')).statusCode, 200);
      await api.call('PATCH', uri, change);
      assert.equal((await visitor.get('/console/')).statusCode, 303);
      await api.call('PATCH', uri, undo);
      assert.equal((await visitor.get('/console/')).statusCode, 303, 'and stays so');
    }
  });

  it('lets nobody in by a password that is changed while they log in', async () => {
    await account({ username: 'robbed', is_staff: true });
    const visitor = new ConsoleVisitor(api.app);
    const owner = await api.pool.connect();
    await owner.query('begin');
    await owner.query(
      `update auth_user set password = (select password from auth_user where username = 'admin') where username = 'robbed'`,
    );
    const entering = visitor.logIn({ username: 'robbed', password: 'long-enough' });
    await untilWaiting(api.pool);
    await owner.query('commit');
    owner.release();
    assert.equal((await entering).statusCode, 401);
    assert.equal((await visitor.get('/console/')).statusCode, 303);
  });

  it('ends by itself after CONSOLE_SESSION_HOURS', async () => {
    const visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
    await api.pool.query(`update auth_consolesession set expires_at = now()`);
    assert.equal((await visitor.get('/console/')).statusCode, 303);
    await new ConsoleVisitor(api.app).logIn(ADMIN);
    const { rows } = await api.pool.query('select count(*)::int as kept from auth_consolesession');
    assert.equal(rows[0].kept, 1);
  });

  it('shows nothing to who has no grant for it', async () => {
    await account({ username: 'grantless', is_staff: true });
    const visitor = new ConsoleVisitor(api.app);
    await visitor.logIn({ username: 'grantless', password: 'long-enough' });
    const answer = await visitor.get('/console/mailings/');
    assert.equal(answer.statusCode, 403);
    assert.match(answer.body, /mailer:read/);
  });

  it('lets pages run no script but its own and stand in no frame', async () => {
    const { headers, body } = await new ConsoleVisitor(api.app).get('/console/login');
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.doesNotMatch(body, /<script>|<script [^>]*>[^<]|\sstyle=|\son\w+=/);
    assert.equal(headers['cache-control'], 'no-store');
  });

  it('has browsers keep what pages are made up with, but not what another release asks for under a name of its own', async () => {
    const { body } = await new ConsoleVisitor(api.app).get('/console/login');
    const paths = [...body.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    const kept = async (path: string) => {
      const { statusCode, headers } = await api.app.inject({ url: path });
      return [statusCode, headers['cache-control']];
    };
    for (const path of paths) {
      assert.deepEqual(await kept(path), [200, 'public, max-age=31536000, immutable'], path);
      assert.deepEqual(await kept(path.replace(/[^/]+(?=\/[^/]+$)/, 'another-one')), [200, 'no-store'], path);
    }
    assert.equal(paths.length, 4);
  });

  it('stands in no OpenAPI document', async () => {
    const { paths } = await api.read('/rest/v1/openapi.json');
    assert.deepEqual(
      Object.keys(paths).filter((path) => path.startsWith('/console')),
      [],
    );
  });
});
