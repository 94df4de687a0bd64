import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RouteOptions } from 'fastify';
import { OPEN, type Permission, permissionPage, permissionsOf } from '../../api/describe/permissions.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';

describe('every route and every grant', function () {
  this.timeout(60_000);
  const routes: RouteOptions[] = [];
  let api: TestApi;
  let permissions: Permission[];
  let group: string;
  let visitor: ConsoleVisitor;
  let token: string;
  const login = { authorization: basic({ username: 'somebody', password: 'somebody-password' }) };

  before(async () => {
    api = await startApi({}, (app) => app.addHook('onRoute', (route) => void routes.push(route)));
    permissions = permissionsOf(routes);
    group = await api.create('authgroup', { name: 'tested', grants: [] });
    await api.create('authuser', { username: 'somebody', password: 'somebody-password', is_staff: true, groups: [group] });
    visitor = new ConsoleVisitor(api.app);
    await allow(['mailer:read']);
    await visitor.logIn({ username: 'somebody', password: 'somebody-password' });
    token = visitor.token(await visitor.get('/console/'));
  });
  after(() => api.close());

  const grants = () => [...new Set(permissions.map(({ who }) => who))].filter((who) => who.includes(':'));
  const allow = async (wanted: string[]) => assert.equal((await api.call('PATCH', group, { grants: wanted })).statusCode, 202);
  // Of something that is not there: being let in is seen, and nothing is changed.
  const concrete = (url: string) => url.replace(/:\w+/g, '999999').replace('*', 'x');
  const isPage = ({ url, who }: Permission) => url.startsWith('/console/') && who !== OPEN;
  const ask = async ({ method, url }: Permission) => (await api.call(method, concrete(url), undefined, { authorization: '' })).statusCode;
  /** With the credentials of the account, or at the console with its cookie. */
  const askAsSomebody = async (route: Permission) => {
    const url = concrete(route.url);
    if (!isPage(route)) return (await api.call(route.method, url, undefined, login)).statusCode;
    return (await (route.method === 'POST' ? visitor.post(url, { _csrf: token }) : visitor.get(url))).statusCode;
  };

  it('are in docs/permissions.md (else: npm run describe -- permissions > docs/permissions.md)', () => {
    assert.equal(readFileSync(join(import.meta.dirname, '../../docs/permissions.md'), 'utf8'), permissionPage(permissions));
    assert.ok(permissions.length > 300 && grants().length > 100, `${permissions.length} routes, ${grants().length} grants`);
  });

  it('without credentials: only what is open lets in', async () => {
    for (const route of permissions) {
      const code = await ask(route);
      if (route.who === OPEN)
        assert.ok(
          code !== 401 && (code !== 403 || route.url.startsWith('/console/')) && code < 500,
          `${route.method} ${route.url} answers ${code}`,
        );
      // A page leads to the login; a form without a token of ours is not even looked at.
      else if (isPage(route)) assert.ok(code === 303 || code === 403, `${route.method} ${route.url} answers ${code}`);
      else assert.equal(code, 401, `${route.method} ${route.url}`);
    }
  });

  it('with every grant but the one it needs: refused', async () => {
    for (const grant of grants()) {
      await allow(grants().filter((each) => each !== grant));
      for (const route of permissions.filter(({ who }) => who === grant)) {
        assert.equal(await askAsSomebody(route), 403, `${route.method} ${route.url} without ${grant}`);
      }
    }
  });

  it('with that one only: let in, and nothing breaks', async () => {
    for (const grant of grants()) {
      await allow([grant]);
      for (const route of permissions.filter(({ who }) => who === grant)) {
        const code = await askAsSomebody(route);
        // Which of these are for superusers alone is known only once there is something to change: test/api/authentication.test.ts.
        if (/^auth(user|group):(write|delete)$/.test(grant))
          assert.ok([400, 403, 404].includes(code), `${route.method} ${route.url}: ${code}`);
        else assert.ok(code !== 401 && code !== 403 && code < 500, `${route.method} ${route.url} with ${grant} answers ${code}`);
      }
    }
  });
});
