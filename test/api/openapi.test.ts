import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { startApi, type TestApi } from '../support/api.ts';
import { chromiumPath, startBrowser } from '../support/browser.ts';

/** For people, and no part of the API. */
const PAGES = /^\/(docs|console|$)/;

describe('the OpenAPI document', () => {
  let api: TestApi;
  // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
  let document: any;
  const routes: { method: string; path: string }[] = [];
  before(async () => {
    api = await startApi({}, (app) => {
      app.addHook('onRoute', ({ method, url }) => {
        for (const each of [method].flat())
          if (each !== 'HEAD') routes.push({ method: each.toLowerCase(), path: url.replace(/:(\w+)/g, '{$1}') });
      });
    });
    document = (await api.call('GET', '/rest/v1/openapi.json', undefined, { authorization: '' })).json();
  });
  after(() => api.close());

  it('is made when the API begins to listen: nobody waits behind whoever asks for it first', async () => {
    const other = await startApi();
    try {
      await other.app.listen({ port: 0, host: '127.0.0.1' });
      const began = process.threadCpuUsage();
      const answer = await other.call('GET', '/rest/v1/openapi.json', undefined, { authorization: '' });
      const { user, system } = process.threadCpuUsage(began);
      assert.equal(answer.statusCode, 200);
      assert.ok((user + system) / 1000 < 100, `${(user + system) / 1000} ms`);
    } finally {
      await other.close();
    }
  });

  it('is not sent again to whoever has it', async () => {
    const ask = (headers = {}) => api.call('GET', '/rest/v1/openapi.json', undefined, { authorization: '', ...headers });
    const first = await ask();
    assert.deepEqual([first.statusCode, first.headers['cache-control']], [200, 'no-cache']);
    const { etag } = first.headers;
    assert.match(String(etag), /^"[\w-]{43}"$/);
    assert.equal(Number(first.headers['content-length']), first.rawPayload.length);
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ask({ 'if-none-match': tag });
      assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', etag], String(tag));
    }
    assert.equal((await ask({ 'if-none-match': '"other"' })).statusCode, 200);
  });

  it('is OpenAPI 3.1 and holds every route', () => {
    assert.equal(document.openapi, '3.1.0');
    assert.deepEqual(document.servers, [{ url: 'http://platform.test' }]);
    const missing = routes.filter(({ method, path }) => !PAGES.test(path) && !document.paths[path]?.[method]);
    assert.deepEqual(missing, []);
    assert.ok(routes.length > 100, `${routes.length} routes`);
    const ids = routes.map(({ method, path }) => document.paths[path]?.[method]?.operationId).filter(Boolean);
    assert.equal(new Set(ids).size, ids.length, 'every operation has a name of its own');
    for (const id of ['mailer_list', 'mailer_rebuild', 'user_update', 'action_create']) assert.ok(ids.includes(id), id);
    for (const { method, path } of routes.filter(({ path }) => !PAGES.test(path))) {
      const operation = document.paths[path][method];
      assert.ok(operation.summary && operation.tags?.length === 1, `${method} ${path} has a summary and one heading`);
      const codes = Object.keys(operation.responses);
      assert.ok(
        codes.some((code) => /^[23]/.test(code)),
        `${method} ${path} has an answer: ${codes}`,
      );
      if (!operation.security) assert.ok(codes.includes('401'), `${method} ${path} may answer 401`);
    }
  });

  it('names its parameters and bodies', () => {
    const { parameters } = document.paths['/rest/v1/user/'].get;
    assert.ok(parameters.some((each: { name: string; in: string }) => each.name === 'subscription_status' && each.in === 'query'));
    const { $ref } = document.paths['/rest/v1/user/'].post.requestBody.content['application/json'].schema;
    const body = document.components.schemas[$ref.split('/').at(-1)];
    assert.deepEqual(body.required, ['email']);
    assert.equal(body.properties.subscription_status, undefined);
    assert.deepEqual(document.paths['/rest/v1/userpublic/{akid}/'].get.security, []);
  });

  it('does not promise that nothing was changed where a change may have been made', () => {
    // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
    for (const [path, methods] of Object.entries<Record<string, any>>(document.paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        const said = responses['503']?.description;
        if (!['post', 'put', 'patch', 'delete'].includes(method)) continue;
        assert.ok(said === undefined || /may have been/.test(said), `${method} ${path}: ${said}`);
      }
    }
    assert.match(document.paths['/rest/v1/action/'].post.responses['503'].description, /may have been/);
  });

  it('describes what is really answered', async () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    const check = async (method: string, path: string, url: string, payload?: unknown, headers?: Record<string, string>) => {
      const answer = await api.call(method, url, payload, headers);
      const described = document.paths[path][method.toLowerCase()].responses[answer.statusCode];
      assert.ok(described, `${method} ${url} answered ${answer.statusCode}, which is not described: ${answer.body}`);
      const content = described.content?.['application/json'];
      if (!content) assert.equal(answer.body, '', `${method} ${url} ${answer.statusCode} is described as empty`);
      else {
        const valid = ajv.compile({ ...content.schema, components: document.components });
        assert.ok(valid(answer.json()), `${method} ${url} ${answer.statusCode}: ${JSON.stringify(valid.errors)} ${answer.body}`);
      }
      for (const header of Object.keys(described.headers ?? {}))
        assert.ok(answer.headers[header.toLowerCase()], `${method} ${url}: ${header}`);
      return answer;
    };
    const bodies: Record<string, object> = {
      language: { name: 'English', iso_code: 'en' },
      list: { name: 'News' },
      user: { email: 'ann@example.org', lang: 1, zip: '10001', fields: { shirt: ['L', 'M'] } },
      subscription: { user: 1, list: 1 },
      alloweduserfield: { name: 'hat' },
      blackholedemail: { email: 'trap@example.org' },
      tag: { name: 'climate' },
      fromline: { from_line: '"A" <a@example.org>' },
      emailwrapper: { name: 'plain', template: '{{ content }}', lang: 1 },
      queryreport: { name: 'All', short_name: 'all', sql: 'select id from core_user' },
      signuppage: { name: 'join', list: 1, tags: [1], fields: { a: 1 }, required_fields: ['zip'] },
      unsubscribepage: { name: 'leave' },
      petitionpage: { name: 'sign', followup: { url: 'https://example.org/' } },
      importpage: { name: 'import' },
      cmsform: { page: 1, statement_text: 'We' },
      phone: { user: 1, phone: '555 0100' },
      campaign: { name: 'meet' },
      event: { campaign: 1, creator: 1, fields: { a: 1 } },
      eventsignup: { user: 1, event: 1 },
      authgroup: { name: 'readers', grants: ['tag:read'] },
      authuser: { username: 'reader', password: 'reader-password', groups: ['/rest/v1/authgroup/1/'] },
    };
    for (const [name, body] of Object.entries(bodies)) {
      const path = `/rest/v1/${name}/`;
      const made = await check('POST', path, path, body);
      assert.equal(made.statusCode, 201, `${name}: ${made.body}`);
      await check('POST', path, path, []);
      await check('POST', path, path, body, { authorization: '' });
    }
    await check('POST', '/rest/v1/action/', '/rest/v1/action/', { page: 'join', email: 'bob@example.org', zip: '1', action_a: ['x', 'y'] });
    await check(
      'POST',
      '/rest/v1/action/',
      '/rest/v1/action/',
      { page: 'join', email: 'eve@example.org', zip: '1' },
      { authorization: '' },
    );
    await check('POST', '/rest/v1/action/', '/rest/v1/action/', { page: 'nowhere', email: 'eve@example.org' });
    await check('POST', '/rest/v1/action/', '/rest/v1/action/', { page: 'join' });
    await check('POST', '/rest/v1/action/', '/rest/v1/action/', { page: 'leave', email: 'ann@example.org' });

    const reader = { authorization: `Basic ${Buffer.from('reader:reader-password').toString('base64')}` };
    await check('POST', '/rest/v1/mailer/', '/rest/v1/mailer/', { subjects: ['Hello'], html: '<p>Hello</p>' });
    const resources = Object.keys(await api.read('/rest/v1/'));
    for (const name of resources) {
      const path = `/rest/v1/${name}/`;
      // Some collections want a filter; some have nothing in them here, and are described by their own tests.
      const { objects = [] } = (await check('GET', path, path)).json();
      assert.ok(objects.length > 0 || !(name in bodies), `there is a ${name} to look at`);
      await check('GET', path, `${path}?nonsense=1`);
      if (name !== 'tag') assert.equal((await check('GET', path, path, undefined, reader)).statusCode, 403);
      await check('GET', `${path}schema/`, `${path}schema/`);
      if (objects.length === 0) continue;
      const detail = `${path}{id}/`;
      await check('GET', detail, objects[0].resource_uri);
      await check('GET', detail, `${path}99999/`);
      const { patch, put } = document.paths[detail];
      for (const method of [patch && 'PATCH', put && 'PUT'].filter(Boolean)) {
        assert.equal((await check(method, detail, objects[0].resource_uri, objects[0])).statusCode, 202);
        await check(method, detail, objects[0].resource_uri, 'x', { 'content-type': 'application/json' });
        await check(method, detail, `${path}99999/`, {});
      }
    }
    await check('DELETE', '/rest/v1/tag/{id}/', '/rest/v1/tag/1/');
    await check('DELETE', '/rest/v1/tag/{id}/', '/rest/v1/tag/1/');
    await check('POST', '/rest/v1/list/', '/rest/v1/list/', { name: 'News' });
    const [ann] = (await api.read('/rest/v1/user/')).objects;
    await check('GET', '/rest/v1/userpublic/{akid}/', `/rest/v1/userpublic/${ann.token}/`);
    await check('GET', '/rest/v1/userpublic/{akid}/', '/rest/v1/userpublic/.1.aaaaaa/');
    await check('GET', '/rest/v1/', '/rest/v1/');
    await check('GET', '/rest/v1/openapi.json', '/rest/v1/openapi.json');
    for (const path of ['/health/live', '/health/ready']) await check('GET', path, path);
  });
});

describe('the API page', () => {
  it('is served from here, with nothing fetched from elsewhere', async () => {
    const api = await startApi();
    try {
      const page = await api.call('GET', '/docs/', undefined, { authorization: '' });
      assert.equal(page.statusCode, 200);
      assert.match(String(page.headers['content-type']), /text\/html/);
      const bare = await api.call('GET', '/docs?from=elsewhere', undefined, { authorization: '' });
      assert.deepEqual([bare.statusCode, bare.headers.location], [301, '/docs/']);
      const loaded = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
      assert.ok(loaded.length > 0);
      for (const url of loaded) {
        assert.doesNotMatch(url, /^(https?:)?\/\//, `${url} is not ours`);
        const asset = await api.call('GET', new URL(url, 'http://platform.test/docs/').pathname, undefined, { authorization: '' });
        assert.equal(asset.statusCode, 200, url);
      }
      assert.match(page.body, /\/rest\/v1\/openapi\.json/);
    } finally {
      await api.close();
    }
  });

  it('has no button that calls its maker, and a policy under which no request leaves this service', async function () {
    const api = await startApi();
    try {
      const { headers } = await api.call('GET', '/docs/', undefined, { authorization: '' });
      const policy = String(headers['content-security-policy']);
      assert.match(policy, /^default-src 'none'; script-src 'self' 'sha256-[^']+'; /);
      assert.match(policy, /connect-src 'self';.*frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/);
      if (!chromiumPath) {
        console.log('      no Chromium on this machine (set CHROMIUM_PATH): what the page loads was not looked at');
        return this.skip();
      }
      const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
      const page = await (await startBrowser()).newPage();
      const [asked, complaints]: string[][] = [[], []];
      page.on('request', (request) => asked!.push(request.url()));
      page.on('console', (message) => /Content Security Policy/.test(message.text()) && complaints!.push(message.text()));
      page.on('pageerror', (error) => complaints!.push(error.message));
      await page.goto(`${url}/docs/`);
      await page.getByRole('heading', { name: 'Campaign platform' }).first().waitFor();
      await page.getByText('Every resource and where it is').first().waitFor();
      // Until it has asked for nothing for two seconds; the browser's own word for that does not come while the page works through a long document.
      for (let before = -1; before < asked!.length; await page.waitForTimeout(2000)) before = asked!.length;
      for (const button of [/ask ai/i, /^share$/i, /^deploy$/i, /generate mcp/i, /connect mcp/i, /configure/i]) {
        assert.equal(await page.getByText(button).count(), 0, String(button));
        assert.equal(await page.getByRole('button', { name: button }).count(), 0, String(button));
      }
      assert.deepEqual(
        asked!.filter((each) => !each.startsWith(url) && !/^(data|blob):/.test(each)),
        [],
      );
      assert.ok(asked!.includes(`${url}/rest/v1/openapi.json`));
      assert.deepEqual(complaints, []);
      // A version that tried all the same would be stopped here.
      const stopped = await page.evaluate(() => fetch('http://127.0.0.1:9/').then(String, String));
      assert.match(stopped, /TypeError/);
      assert.match(complaints!.join(), /Content Security Policy/);
      await page.close();
    } finally {
      await api.close();
    }
  });
});
