import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { ADMIN, basic, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, enterAs, text } from '../support/console-visitor.ts';
import { idIn } from '../support/mailings.ts';

describe('accounts in the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;

  before(async () => {
    api = await startApi({});
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const read = async (url: string) => {
    const answer = await visitor.get(url);
    equal(answer.statusCode, 200, `${url}: ${answer.statusCode} ${text(answer.body)}`);
    return answer;
  };
  const seen = async (url: string) => text((await read(url)).body);
  const secretIn = (body: string) => /class="secret">([^<]+)</.exec(body)?.[1];
  /** Sends the form of a page as it stands, with these changed. */
  const send = async (at: string, fields: Record<string, string | string[]>) => {
    const { body } = await read(at);
    const version = /name="version" value="([^"]+)"/.exec(body)?.[1];
    return visitor.post(at, { _csrf: visitor.token({ body } as never), ...(version && { version }), ...fields });
  };

  it('makes a group, and an account whose password is shown once', async () => {
    match(await seen('/console/accounts/'), /1 of 1 account can log in .*admin – everything – .*There is no group yet/);
    const group = await send('/console/accounts/groups/new', {
      name: ' Newsletter <b>',
      grants: ['user:read', 'mailer:read', 'mailer:send'],
      others: '',
    });
    const at = String(group.headers.location).replace('?saved=1', '');
    match(at, /^\/console\/accounts\/groups\/\d+\/$/, text(group.body));
    const stored = await api.read(`/rest/v1/authgroup/${idIn(at)}/`);
    deepEqual([stored.name, stored.grants], ['Newsletter <b>', ['user:read', 'mailer:read', 'mailer:send']]);
    const made = await send('/console/accounts/new', {
      username: 'ada',
      first_name: 'Ada',
      email: '',
      is_active: '1',
      is_staff: '1',
      groups: String(idIn(at)),
    });
    equal(made.statusCode, 200);
    match(text(made.body), /The account is made\. .*it is shown this once/);
    const password = secretIn(made.body)!;
    equal((await api.call('GET', '/rest/v1/user/', undefined, { authorization: basic({ username: 'ada', password }) })).statusCode, 200);
    const { objects } = await api.read('/rest/v1/authuser/?username=ada');
    equal(secretIn((await read(`/console/accounts/${objects[0].id}/`)).body), undefined);
    match(
      await seen('/console/accounts/'),
      /2 of 2 accounts can log in .*ada Ada console and API Newsletter &lt;b&gt;.*Newsletter &lt;b&gt; 1 user:read, mailer:read, mailer:send/,
    );
    const ada = new ConsoleVisitor(api.app);
    equal((await ada.logIn({ username: 'ada', password })).headers.location, '/console/');
    const page = (await ada.get('/console/people/')).body;
    doesNotMatch(page, /Accounts/);
  });

  it('switches off, changes what an account may do, and gives new passwords', async () => {
    const { objects } = await api.read('/rest/v1/authuser/?username=ada');
    const at = `/console/accounts/${objects[0].id}/`;
    const fresh = await visitor.submit(at, `${at}password`);
    const password = secretIn(fresh.body)!;
    const login = { authorization: basic({ username: 'ada', password }) };
    equal((await api.call('GET', '/rest/v1/user/', undefined, login)).statusCode, 200);
    const ada = new ConsoleVisitor(api.app);
    await ada.logIn({ username: 'ada', password });
    equal((await ada.get('/console/people/')).statusCode, 200);
    const off = await send(at, { username: 'ada', is_staff: '1', email: 'ada@example.org' });
    equal(off.headers.location, `${at}?saved=1`, text(off.body));
    equal((await api.call('GET', '/rest/v1/user/', undefined, login)).statusCode, 401);
    equal((await ada.get('/console/people/')).statusCode, 303, 'and the session is over');
    const account = await api.read(`/rest/v1/authuser/${objects[0].id}/`);
    deepEqual([account.is_active, account.is_staff, account.groups, account.email], [false, true, [], 'ada@example.org']);
    match(await seen('/console/accounts/'), /1 of 2 accounts can log in .*ada – nothing: switched off/);
    await send(at, { username: 'ada', is_staff: '1', is_active: '1' });
    equal((await api.call('GET', '/rest/v1/user/', undefined, login)).statusCode, 403);
  });

  it('leaves whoever gives themselves a new password where they are, and nobody else who was there by the old one', async () => {
    const login = { username: 'self', password: 'long-enough' };
    const at = `/console/accounts/${idIn(await api.create('authuser', { ...login, is_superuser: true }))}/`;
    const [self, elsewhere] = [new ConsoleVisitor(api.app), new ConsoleVisitor(api.app)];
    for (const each of [self, elsewhere]) await each.logIn(login);
    const page = await self.get(at);
    const once = /name="once" value="([^"]+)"/.exec(page.body)![1]!;
    const sent = { _csrf: self.token(page), once };
    const given = await self.post(`${at}password`, sent);
    match(text(given.body), /logged in by it, but for you here, is logged out/);
    equal((await elsewhere.get(at)).statusCode, 303);
    // Pressed a second time it shows it once more, and does not end at the login without it.
    const again = await self.post(`${at}password`, sent);
    deepEqual([again.statusCode, secretIn(again.body)], [200, secretIn(given.body)]);
    const password = secretIn(given.body)!;
    equal((await api.call('GET', '/rest/v1/user/', undefined, { authorization: basic({ username: 'self', password }) })).statusCode, 200);
    await visitor.submit(at, `${at}password`);
    equal((await self.get(at)).statusCode, 303, 'somebody else has given them another one');
    await api.call('DELETE', `/rest/v1/authuser/${idIn(at)}/`);
  });

  it('changes a group for all who have it', async () => {
    const { objects } = await api.read('/rest/v1/authgroup/');
    const at = `/console/accounts/groups/${objects[0].id}/`;
    match((await read(at)).body, /value="mailer:send" checked/);
    const saved = await send(at, { name: 'Readers', grants: ['user:read'], others: 'somewhere:read, elsewhere:write' });
    equal(saved.headers.location, `${at}?saved=1`);
    deepEqual((await api.read(`/rest/v1/authgroup/${objects[0].id}/`)).grants, ['user:read', 'somewhere:read', 'elsewhere:write']);
    match((await read(at)).body, /id="others" name="others" type="text" value="somewhere:read elsewhere:write"/);
    for (const [fields, status, words] of [
      [{ name: '', grants: [] }, 400, /must not be blank/],
      [{ name: 'x', grants: ['user:fly'] }, 400, /must hold grants like user:read/],
      [{ name: 'x\0', grants: [] }, 400, /NUL/],
    ] as const) {
      const refused = await send(at, { ...fields, grants: [...fields.grants] });
      equal(refused.statusCode, status);
      match(text(refused.body), words);
    }
  });

  it('says who was there meanwhile, what is taken, and who must stay', async () => {
    const { objects } = await api.read('/rest/v1/authuser/?username=ada');
    const at = `/console/accounts/${objects[0].id}/`;
    const stale = await read(at);
    const version = /name="version" value="([^"]+)"/.exec(stale.body)![1]!;
    await send(at, { username: 'ada', first_name: 'Augusta', is_active: '1', is_staff: '1' });
    const late = await visitor.post(at, { _csrf: visitor.token(stale), version, username: 'ada', first_name: 'Mine' });
    equal(late.statusCode, 409);
    match(text(late.body), /Somebody else has changed this account/);
    match(late.body, /value="Mine"/);
    const taken = await send('/console/accounts/new', { username: 'admin' });
    equal(taken.statusCode, 409);
    match(text(taken.body), /There is an account of this name already/);
    for (const username of ['', 'a:b', 'a\0b']) equal((await send('/console/accounts/new', { username })).statusCode, 400, username);
    const last = await send('/console/accounts/1/', { username: 'admin', is_active: '1', is_staff: '1' });
    equal(last.statusCode, 400);
    match(text(last.body), /This is the last active superuser/);
    for (const nothing of ['999999/', '0/', '99999999999/', 'x/', 'groups/999999/', 'groups/x/'])
      equal((await visitor.get(`/console/accounts/${nothing}`)).statusCode, 404, nothing);
  });

  it('says it also where what was sent first could not be: nobody gets back what another took from them', async () => {
    const versionIn = (body: string) => /name="version" value="([^"]+)"/.exec(body)![1]!;
    const { objects } = await api.read('/rest/v1/authuser/?username=ada');
    await api.call('PATCH', objects[0].resource_uri, { is_superuser: true });
    const group = await api.create('authgroup', { name: 'Senders', grants: ['mailer:send'] });
    const forms = [
      [`/console/accounts/${objects[0].id}/`, { username: 'ada', is_superuser: '1', is_active: '1' }, { username: '' }],
      [`/console/accounts/groups/${idIn(group)}/`, { name: 'Senders', grants: ['mailer:send'] }, { name: '' }],
    ] as const;
    for (const [at, mine, wrong] of forms) {
      const stale = await read(at);
      if (at.includes('groups')) await api.call('PATCH', group, { grants: ['mailer:read'] });
      else await api.call('PATCH', objects[0].resource_uri, { is_superuser: false });
      const sent = { _csrf: visitor.token(stale), ...mine };
      const refused = await visitor.post(at, { ...sent, version: versionIn(stale.body), ...wrong } as never);
      equal(refused.statusCode, 400, at);
      const late = await visitor.post(at, { ...sent, version: versionIn(refused.body) } as never);
      deepEqual([late.statusCode, /Somebody else has changed/.test(late.body)], [409, true], at);
      equal((await visitor.post(at, { ...sent, version: versionIn(late.body) } as never)).statusCode, 303, 'once they know');
    }
  });

  it('is for superusers only, whatever else an account may do', async () => {
    const other = await enterAs(api, 'other', ['*']);
    const home = await other.get('/console/');
    doesNotMatch(home.body, /Accounts/);
    const _csrf = other.token(home);
    for (const path of ['', 'new', '1/', 'groups/new', 'groups/1/']) {
      const refused = await other.get(`/console/accounts/${path}`);
      equal(refused.statusCode, 403, path);
      match(text(refused.body), /Accounts and groups are for superusers only/);
    }
    for (const path of ['new', '1/', '1/password', 'groups/new', 'groups/1/'])
      equal((await other.post(`/console/accounts/${path}`, { _csrf, username: 'x', name: 'x', is_superuser: '1' })).statusCode, 403, path);
    doesNotMatch(JSON.stringify(await api.read('/rest/v1/auditlog/')), /long-enough|secret/);
  });

  it('counts all accounts, and leads to each', async () => {
    await api.pool.query(
      `insert into auth_user (username, password, is_active, is_staff, is_superuser, date_joined)
       select 'robot' || n, '!', n % 2 = 0, false, false, now() from generate_series(1, 1200) n`,
    );
    const { rows } = await api.pool.query('select count(*)::int as n, count(*) filter (where is_active)::int as active from auth_user');
    const words = (n: number) => n.toLocaleString('en');
    match(await seen('/console/accounts/'), new RegExp(`${words(rows[0].active)} of ${words(rows[0].n)} accounts can log in`));
    const found: string[] = [];
    for (let at: string | undefined = '/console/accounts/'; at; ) {
      const { body } = await read(at);
      found.push(...[...body.matchAll(/href="\/console\/accounts\/(\d+)\/"/g)].map(([, id]) => id!));
      const next = /href="(\?after=\d+)" rel="next">/.exec(body)?.[1];
      at = next && `/console/accounts/${next}`;
    }
    deepEqual([found.length, new Set(found).size], [rows[0].n, rows[0].n]);
  });
});
