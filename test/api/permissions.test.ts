import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RouteOptions } from 'fastify';
import { OPEN, type Permission, permissionPage, permissionsOf } from '../../api/describe/permissions.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';

describe('every route and every grant', () => {
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
      // A page leads to the login, which stands in no frame; a form without a token of ours is not even looked at.
      else if (isPage(route))
        assert.ok(
          code === 303 || code === 403 || (code === 401 && route.url.endsWith('/preview')),
          `${route.method} ${route.url} answers ${code}`,
        );
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

  it('with every grant but the one it needs beside: refused', async () => {
    const two = permissions.filter(({ beside }) => beside);
    assert.ok(two.length > 10);
    for (const route of two) {
      await allow(grants().filter((each) => each !== route.beside));
      assert.equal(await askAsSomebody(route), 403, `${route.method} ${route.url} without ${route.beside}`);
    }
  });

  it('with that one only: let in, and nothing breaks', async () => {
    for (const grant of grants()) {
      for (const route of permissions.filter(({ who }) => who === grant)) {
        await allow([grant, route.beside].filter(Boolean));
        const code = await askAsSomebody(route);
        // Which of these are for superusers alone is known only once there is something to change: test/api/authentication.test.ts.
        if (/^auth(user|group):(write|delete)$/.test(grant))
          assert.ok([400, 403, 404].includes(code), `${route.method} ${route.url}: ${code}`);
        else assert.ok(code !== 401 && code !== 403 && code < 500, `${route.method} ${route.url} with ${grant} answers ${code}`);
      }
    }
  });

  describe('filters through relations', () => {
    /** A filter that goes through relations, and the grants it takes. */
    interface Reach {
      url: string;
      filter: string;
      to: string;
      needs: string[];
    }
    const steps = (url: string, to: string, path: string[], needs: string[]): Reach[] =>
      permissions
        .filter((route) => route.method === 'GET' && route.url === `/rest/v1/${to}/`)
        .flatMap(({ joins }) => joins)
        .map((join) => ({ url, filter: [...path, join.filter].join('__'), to: join.to, needs: [...needs, join.permission] }));
    /** Of every collection, one and two steps far; of those that lead on from there, each seventh. */
    const reaches = (): Reach[] => {
      const first = permissions.flatMap(({ method, url, who, joins }) =>
        method === 'GET' ? joins.map(({ filter, to, permission }) => ({ url, filter, to, needs: [who, permission] })) : [],
      );
      const second = first.flatMap(({ url, filter, to, needs }) => steps(url, to, [filter], needs));
      const third = second
        .filter((each) => steps(each.url, each.to, [], []).length > 0)
        .filter((_, index) => index % 7 === 0)
        .flatMap(({ url, filter, to, needs }) => steps(url, to, filter.split('__'), needs));
      return [...first, ...second, ...third];
    };
    const answer = async ({ url, filter }: Reach) =>
      (await api.call('GET', `${concrete(url)}?${filter}__id=1`, undefined, login)).statusCode;

    it('take the grant to read each resource they go through', async () => {
      const all = reaches();
      assert.ok(all.length > 120 && all.some(({ filter }) => filter.split('__').length > 2), `${all.length} filters`);
      const byNeeds = Map.groupBy(all, ({ needs }) => [...new Set(needs)].sort().join(' '));
      for (const [text, group] of byNeeds) {
        const needs = text.split(' ');
        for (const missing of needs) {
          await allow(grants().filter((grant) => grant !== missing));
          for (const each of group) assert.equal(await answer(each), 403, `${each.url}?${each.filter}__id without ${missing}`);
        }
        await allow(needs);
        for (const each of group) {
          const code = await answer(each);
          assert.ok([200, 400, 404].includes(code), `${each.url}?${each.filter}__id with ${text} answers ${code}`);
        }
      }
    });

    it('say which grant is missing, and take none for the relation by id', async () => {
      await allow(['action:read']);
      for (const filter of [
        'user__email=a@example.org',
        'user__zip__gt=1',
        'user__email__startswith=a',
        'page__list__name=x',
        'user__language__name=x',
      ]) {
        const refused = await api.call('GET', `/rest/v1/action/?${filter}`, undefined, login);
        assert.equal(refused.statusCode, 403, filter);
        assert.match(refused.json().errors.permission[0], filter.startsWith('user') ? /user:read/ : /page:read/);
      }
      for (const filter of ['user=1', 'user__in=1,2', 'user__isnull=false', 'order_by=-id']) {
        assert.equal((await api.call('GET', `/rest/v1/action/?${filter}`, undefined, login)).statusCode, 200, filter);
      }
      for (const order of ['user__email', '-user__zip', 'page__name']) {
        assert.equal((await api.call('GET', `/rest/v1/action/?order_by=${order}`, undefined, login)).statusCode, 400, order);
      }
    });

    it('so do the targets that stand for a user, whose district they tell', async () => {
      const page = await api.create('whipcountpage', { name: 'whose-district' });
      const targets = (filter: string) => api.call('GET', `${page}targets/?${filter}`, undefined, login);
      await allow(['page:read']);
      assert.equal((await targets('zip=10001')).statusCode, 200);
      const refused = await targets('user=1');
      assert.equal(refused.statusCode, 403);
      assert.match(refused.json().errors.permission[0], /user:read/);
      await allow(['page:read', 'user:read']);
      assert.equal((await targets('user=1')).statusCode, 200);
    });

    it('reach no column that is hidden or only written', async () => {
      await allow(['*']);
      for (const filter of ['password__startswith=a', 'groups__x=1', 'order_by=password']) {
        assert.equal((await api.call('GET', `/rest/v1/authuser/?${filter}`, undefined, login)).statusCode, 400, filter);
      }
    });
  });
});
