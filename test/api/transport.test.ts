import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import pg from 'pg';
import { readEnv } from '../../config/env.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { endSessions } from '../support/sessions.ts';

describe('transport', () => {
  let api: TestApi;
  let tag: string;
  before(async () => {
    api = await startApi({ API_BODY_LIMIT: '4096' });
    tag = await api.create('tag', { name: 'first' });
  });
  after(() => api.close());

  it('takes every path with and without the trailing slash, and doubled slashes as one, without a redirect', async () => {
    const id = tag.match(/\d+/g)!.at(-1);
    const spellings = ['GET', 'PATCH', 'PUT', 'DELETE'].flatMap((method) =>
      [`/rest/v1/tag/${id}`, `/rest/v1/tag/${id}/`, `/rest/v1//tag/${id}//`, `//rest/v1/tag//${id}`].map((url) => [method, url] as const),
    );
    for (const [method, url] of spellings.filter(([each]) => each !== 'DELETE')) {
      const { statusCode } = await api.call(method, url, method === 'GET' ? undefined : { name: 'first' });
      assert.equal(statusCode, method === 'GET' ? 200 : 202, `${method} ${url}`);
    }
    for (const [index, [, url]] of spellings.filter(([each]) => each === 'DELETE').entries()) {
      const made = await api.create('tag', { name: `gone ${index}` });
      const path = url.replace(`tag/${id}`, made.slice('/rest/v1/'.length, -1)).replace(`tag//${id}`, made.slice('/rest/v1/'.length, -1));
      assert.equal((await api.call('DELETE', path)).statusCode, 204, path);
    }
    for (const url of ['/rest/v1/tag', '/rest/v1/tag/', '/rest//v1/tag//']) {
      assert.equal((await api.call('POST', url, { name: `by ${url}` })).statusCode, 201, url);
    }
    assert.equal((await api.call('GET', '/rest/v1')).statusCode, 200);
  });

  it('takes a JSON content type without a body, and a GET with either', async () => {
    const json = { 'content-type': 'application/json' };
    const made = await api.create('tag', { name: 'empty bodies' });
    assert.equal((await api.call('PATCH', made, undefined, json)).statusCode, 202);
    assert.equal((await api.call('DELETE', made, undefined, json)).statusCode, 204);
    assert.equal((await api.call('GET', tag, undefined, json)).statusCode, 200);
    assert.equal((await api.call('GET', tag, '{"ignored": true}', json)).statusCode, 200);
    assert.equal((await api.call('GET', tag, '{ not even JSON', json)).statusCode, 200);
    const missing = await api.call('POST', '/rest/v1/tag/', undefined, json);
    assert.deepEqual([missing.statusCode, missing.json()], [400, { tag: { name: ['This field is required.'] } }]);
  });

  it('ignores format=json and any Accept', async () => {
    assert.equal((await api.read(`${tag}?format=json`)).name, 'first');
    const { meta } = await api.read('/rest/v1/tag/?format=json&_limit=1');
    assert.match(meta.next, /format=json/);
    const answer = await api.call('GET', tag, undefined, { accept: 'text/plain' });
    assert.match(String(answer.headers['content-type']), /^application\/json/);
  });

  it('answers 404 empty where nothing is', async () => {
    const away = ['/nothing', '/rest/v1/nothing/', '/rest/v1/tag/99999/', '/rest/v1/tag/0/', '/rest/v1/tag/-1/', '/rest/v1/tag/x/'];
    for (const url of [
      ...away,
      '/rest/v1/tag/99999999999999999999/',
      '/rest/v1/tag/1.5/',
      '/rest/v1/tag/%00/',
      `/rest/v1/tag/${'9'.repeat(600)}/`,
    ]) {
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const answer = await api.call(method, url, method === 'PATCH' ? { name: 'x' } : undefined);
        assert.ok(
          answer.statusCode === 404 || (url === '/rest/v1/nothing/' && answer.statusCode === 404),
          `${method} ${url}: ${answer.statusCode}`,
        );
        assert.equal(answer.body, '');
      }
    }
    assert.equal((await api.call('POST', '/rest/v1/nothing/', '{')).statusCode, 404);
  });

  it('answers 405 empty with Allow where the method is not offered', async () => {
    const answer = await api.call('DELETE', '/rest/v1/tag/');
    assert.deepEqual([answer.statusCode, answer.body, answer.headers.allow], [405, '', 'GET, HEAD, POST']);
    const page = await api.call('POST', '/rest/v1/page/', { name: 'x' });
    assert.deepEqual([page.statusCode, page.headers.allow], [405, 'GET, HEAD']);
    assert.equal((await api.call('POST', `${tag}`, {})).headers.allow, 'GET, HEAD, PUT, PATCH, DELETE');
    for (const method of ['OPTIONS', 'POST', 'PATCH'] as const) {
      const schema = await api.call(method, '/rest/v1/tag/schema/');
      assert.deepEqual([schema.statusCode, schema.headers.allow], [405, 'GET, HEAD'], method);
    }
    assert.equal((await api.call('OPTIONS', tag)).statusCode, 405);
  });

  it('says what is wrong with a body', async () => {
    const send = (body: string, type = 'application/json') => api.call('POST', '/rest/v1/tag/', body, { 'content-type': type });
    for (const body of ['{', '{"name": }', '{"name": "a"} more', '{"__proto__": {"name": "x"}}', '\u0000']) {
      const answer = await send(body);
      assert.equal(answer.statusCode, 400, body);
      assert.ok(answer.json().errors.body[0]);
    }
    for (const body of ['[[]]', '"text"', '5', 'true', '[{"name": "x"}]']) {
      assert.deepEqual((await send(body)).json(), { errors: { body: ['The body must be a JSON object.'] } });
    }
    const latin1 = Buffer.from('{"name": "Zoë"}', 'latin1');
    const garbled = await api.call('POST', '/rest/v1/tag/', latin1, { 'content-type': 'application/json' });
    assert.deepEqual([garbled.statusCode, garbled.json()], [400, { errors: { body: ['This is not UTF-8.'] } }]);
    const large = await send(JSON.stringify({ name: 'x'.repeat(5000) }));
    assert.deepEqual([large.statusCode, large.json()], [413, { errors: { body: ['The body is too large.'] } }]);
    for (const type of ['text/plain', 'application/xml', 'nonsense']) {
      const wrong = await send('name=x', type);
      assert.deepEqual([wrong.statusCode, Object.keys(wrong.json().errors)], [415, ['body']], type);
    }
  });

  it('refuses JSON nested without end with the place, in any field of the anonymous action, and takes what is nested as people nest', async () => {
    const { app } = api;
    const post = (payload: string) =>
      app.inject({ method: 'POST', url: '/rest/v1/action/', headers: { 'content-type': 'application/json' }, payload });
    const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    for (const field of ['page', 'email', 'akid', 'lists', 'mailing_id', 'zip', 'opt_in', 'source', 'user_x', 'action_x', 'made_up']) {
      const answer = await post(`{"page": "none", "email": "a@b.test",\n "${field}": ${deep(5000)}}`);
      assert.equal(answer.statusCode, 400, field);
      const [message] = answer.json().errors.body;
      assert.match(message, /nested more than 100 deep, at line 2, column \d+/);
      assert.ok((await post(`{"page": "none", "email": "a@b.test", "${field}": ${deep(99)}}`)).statusCode < 500, field);
    }
    assert.match((await post('{"a":'.repeat(5000))).json().errors.body[0], /nested more than 100 deep, at line 1, column 501/);
    const quoted = await api.call('POST', '/rest/v1/tag/', { name: '['.repeat(200) });
    assert.equal(quoted.statusCode, 201, quoted.body);
  });

  it('holds no more values than can be read while others wait', async () => {
    const roomy = await startApi();
    const post = (payload: string, headers = {}) =>
      roomy.call('POST', '/rest/v1/user/', payload, { 'content-type': 'application/json', ...headers });
    const values = await post(`{"x":[${'[],'.repeat(200_000)}[]]}`);
    assert.deepEqual([values.statusCode, values.json().errors.body], [400, ['This holds more than 200000 values.']]);
    const names = await post(`[${'{"a":1},'.repeat(20_000)}{"a":1}]`);
    assert.deepEqual([names.statusCode, names.json().errors.body], [400, ['This holds more than 20000 named values.']]);
    // Text is as long as the body may be, and what stands in it is none.
    const text = await post(JSON.stringify({ email: 'long@example.org', source: '[{"a":1},'.repeat(20) }));
    assert.equal(text.statusCode, 201, text.body);
    const form = await roomy.call('POST', '/rest/v1/user/', `first_name=${'x'.repeat(1024 * 1024)}`, {
      'content-type': 'application/x-www-form-urlencoded',
    });
    assert.equal(form.statusCode, 413);
    await roomy.close();
  });

  it('answers 400, not an internal error, to what is not even HTTP as we speak it', async () => {
    for (const url of ['/rest/v1/tag/%zz/', '/%', '/rest/v1/tag/%E0%A4%A/']) {
      const answer = await api.call('GET', url);
      assert.equal(answer.statusCode, 400, url);
      assert.ok(answer.json().errors);
    }
    await api.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = api.app.server.address() as AddressInfo;
    const raw = (text: string) =>
      new Promise<string>((resolve, reject) => {
        let got = '';
        const socket = connect(port, '127.0.0.1', () => socket.write(text));
        socket.setEncoding('utf8').on('data', (chunk) => {
          got += chunk;
          socket.end();
        });
        socket.on('close', () => resolve(got)).on('error', (error) => (got ? resolve(got) : reject(error)));
      });
    assert.match(await raw('NONSENSE\r\n\r\n'), /^HTTP\/1.1 400 /);
    assert.match(await raw('PROPFIND /rest/v1/tag/ HTTP/1.1\r\nHost: x\r\n\r\n'), /^HTTP\/1.1 405 /);
    assert.match(await raw(`GET /rest/v1/tag/ HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(70_000)}\r\n\r\n`), /^HTTP\/1.1 431 /);
    const authorized = `Host: x\r\nAuthorization: ${basic()}`;
    assert.match(
      await raw(`POST /rest/v1/tag/ HTTP/1.1\r\n${authorized}\r\nContent-Length: 3\r\nContent-Type: application/json\r\n\r\n{"a`),
      /^HTTP\/1.1 400 /,
    );
  });

  it('says what every browser should know of its answers, and that API data is for no cache', async () => {
    const { headers } = await api.call('GET', '/rest/v1/tag/');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['cache-control'], 'no-store');
    assert.match(headers['content-security-policy'] as string, /default-src 'none'.*frame-ancestors 'none'/);
    assert.equal(headers['strict-transport-security'], undefined, 'not without TLS');
    // Such as no route is found for, too.
    for (const [url, status] of [
      ['/rest/v1/tag/%zz/', 400],
      [`/rest/v1/tag/${'x'.repeat(8_000)}/`, 404],
    ] as const) {
      const refused = await api.call('GET', url);
      assert.equal(refused.statusCode, status);
      assert.equal(refused.headers['link'], `<http://platform.test/docs/errors/#${status}>; rel="help"`);
      for (const name of ['x-content-type-options', 'referrer-policy', 'cache-control', 'content-security-policy'])
        assert.equal(refused.headers[name], headers[name], `${name} of ${status}`);
    }
    assert.equal((await api.call('GET', '/console/%zz/')).headers['x-content-type-options'], 'nosniff');
    const secure = await startApi({ BASE_URL: 'https://platform.test' });
    assert.match((await secure.call('GET', '/health/live')).headers['strict-transport-security'] as string, /max-age=\d{8}/);
    await secure.close();
  });

  it('says so however an address is written, and of what is measured', async () => {
    if (!api.app.server.listening) await api.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = api.app.server.address() as AddressInfo;
    const ask = (target: string) =>
      new Promise<string>((resolve) => {
        let heard = '';
        const socket = connect(port, '127.0.0.1', () =>
          socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic()}\r\nConnection: close\r\n\r\n`),
        );
        socket.on('data', (data) => {
          heard += data;
        });
        socket.on('close', () => resolve(heard));
      });
    for (const target of [tag, `/${tag}`, `http://platform.test${tag}`, '//rest//v1/tag/?x=1', '//rest/v1/nothing/', '/metrics']) {
      const answer = await ask(target);
      assert.match(answer, /\r\ncache-control: no-store\r\n/i, target);
      assert.match(answer, /\r\ncontent-security-policy: default-src 'none'/i, target);
      if (!answer.startsWith('HTTP/1.1 200') && target !== '/metrics') assert.match(answer, /rel="help"/, target);
    }
  });

  it('answers what cannot be read in the shape of every error, and lets nobody hold a connection for ever', async () => {
    const slow = await startApi({ REQUEST_TIMEOUT_SECONDS: '1' });
    await slow.app.listen({ host: '127.0.0.1', port: 0 });
    slow.app.server.setTimeout(5_000);
    const { port } = slow.app.server.address() as AddressInfo;
    const say = (text: string) =>
      new Promise<string>((resolve) => {
        let heard = '';
        const socket = connect(port, '127.0.0.1', () => socket.write(text));
        socket.on('data', (data) => {
          heard += data;
        });
        socket.on('error', () => resolve(heard));
        socket.on('close', () => resolve(heard));
      });
    const unread = [
      [`GET /rest/v1/?q=${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`, 431, 'headers'],
      ['\x16\x03\x01 hello', 400, 'request'],
    ] as const;
    for (const [text, status, key] of unread) {
      const heard = await say(text);
      assert.match(heard, new RegExp(`^HTTP/1.1 ${status} .*\\{"errors":\\{"${key}":`, 's'));
      // As every other answer with an error.
      assert.match(heard, new RegExp(`\r\nlink: <http[^>]*/docs/errors/#${status}>; rel="help"\r\n`));
      assert.match(heard, /\r\ncache-control: no-store\r\n/);
      assert.match(heard, /\r\nx-content-type-options: nosniff\r\n/);
    }
    await slow.close();
  });

  it('believes only the proxies it was told of about who calls', async () => {
    for (const [setting, address] of [
      ['false', '127.0.0.1'],
      ['true', '203.0.113.9'],
      ['127.0.0.0/8', '203.0.113.9'],
      ['192.0.2.1', '127.0.0.1'],
    ] as const) {
      let seen = '';
      const proxied = await startApi({ TRUST_PROXY: setting }, (app) =>
        app.addHook('onRequest', async (request) => {
          seen = request.ip;
        }),
      );
      await proxied.call('GET', '/health/live', undefined, { 'x-forwarded-for': '203.0.113.9' });
      assert.equal(seen, address, setting);
      await proxied.close();
    }
  });

  it('knows a caller, and the proxies it was told of, whatever port they have', async () => {
    const proxied = await startApi({ TRUST_PROXY: '127.0.0.0/8, 10.0.0.0/8', OPEN_RATE_LIMIT_PER_MINUTE: '3' });
    const asks = async (...forwarded: string[]) => {
      const codes = [];
      for (const each of forwarded)
        codes.push(
          (await proxied.call('GET', '/rest/v1/userpublic/.1.aaaaaa/', undefined, { 'x-forwarded-for': each, authorization: '' }))
            .statusCode,
        );
      return codes;
    };
    assert.deepEqual(
      await asks('203.0.113.9:50001', '203.0.113.9:50002, 10.0.0.5:443', '203.0.113.9', '203.0.113.9:50003'),
      [404, 404, 404, 429],
    );
    assert.deepEqual(await asks('[2001:db8::1]:1', '2001:db8::1', '[2001:db8::2]', '[2001:db8::1]:2, 10.0.0.5'), [404, 404, 404, 429]);
    assert.deepEqual(await asks('203.0.113.10:50004, 10.0.0.5:444'), [404]);
    await proxied.close();
  });
});

describe('a rate limit', () => {
  it('answers 429 with Retry-After, and leaves health checks alone', async () => {
    const api = await startApi({ RATE_LIMIT_PER_MINUTE: '3' });
    try {
      const codes = [];
      for (let turn = 0; turn < 5; turn++) codes.push((await api.call('GET', '/rest/v1/tag/')).statusCode);
      assert.deepEqual(codes, [200, 200, 200, 429, 429]);
      const limited = await api.call('GET', '/rest/v1/list/');
      assert.deepEqual([limited.statusCode, limited.json()], [429, { errors: { rate: ['Too many requests from this address.'] } }]);
      assert.ok(Number(limited.headers['retry-after']) > 0);
      assert.equal((await api.call('GET', '/health/live')).statusCode, 200);
    } finally {
      await api.close();
    }
  });
});

describe('the rate limit of open endpoints', () => {
  it('counts each address, and neither accounts nor openings, clicks, unsubscribing, health checks', async () => {
    const api = await startApi({ OPEN_RATE_LIMIT_PER_MINUTE: '5' });
    await api.create('signuppage', { name: 'join' });
    const ask = async (method: 'GET' | 'POST', url: string, remoteAddress: string, headers = {}) =>
      api.app.inject({
        method,
        url,
        remoteAddress,
        headers,
        ...(method === 'POST' && { payload: { page: 'join', email: 'a@example.org' } }),
      });
    try {
      const codes = [];
      for (let turn = 0; turn < 7; turn++) codes.push((await ask('POST', '/rest/v1/action/', '203.0.113.1')).statusCode);
      assert.deepEqual(codes, [201, 201, 201, 201, 201, 429, 429]);
      const refused = await ask('GET', '/rest/v1/userpublic/.1.aaaaaa/', '203.0.113.1');
      assert.deepEqual(
        [refused.statusCode, refused.json()],
        [429, { errors: { rate: ['Too many requests without credentials from this address.'] } }],
      );
      assert.ok(Number(refused.headers['retry-after']) > 0);
      assert.equal((await ask('POST', '/rest/v1/action/', '203.0.113.1', { authorization: basic() })).statusCode, 201);
      assert.equal((await ask('POST', '/rest/v1/action/', '203.0.113.2')).statusCode, 201);
      for (let turn = 0; turn < 10; turn++) {
        assert.equal((await ask('GET', '/open/7.1.aaaaaa.gif', '203.0.113.1')).statusCode, 200);
        assert.equal((await ask('GET', '/click/7.1.aaaaaa/0', '203.0.113.1')).statusCode, 404);
        assert.equal((await ask('GET', '/health/live', '203.0.113.1')).statusCode, 200);
        assert.equal((await ask('GET', '/unsubscribe/?akid=mangled', '203.0.113.1')).statusCode, 400);
      }
    } finally {
      await api.close();
    }
  });

  it('is on unless it is switched off', () => {
    assert.equal(readEnv({}).OPEN_RATE_LIMIT_PER_MINUTE, 600);
  });
});

describe('what is away', () => {
  it('is 503 with Retry-After, in our words', async () => {
    const api = await startApi();
    const client = new pg.Client({ connectionString: api.databaseUrl.replace(/\/[^/]*$/, '/postgres') });
    await client.connect();
    try {
      await api.call('GET', '/rest/v1/tag/');
      const name = new URL(api.databaseUrl).pathname.slice(1);
      await client.query(`alter database ${name} allow_connections false`);
      await endSessions(client, name);
      for (const [method, url] of [
        ['GET', '/rest/v1/tag/'],
        ['GET', '/rest/v1/tag/1/'],
        ['POST', '/rest/v1/tag/'],
        ['DELETE', '/rest/v1/tag/1/'],
      ] as const) {
        const answer = await api.call(method, url, method === 'POST' ? { name: 'x' } : undefined);
        assert.equal(answer.statusCode, 503, `${method} ${url}: ${answer.body}`);
        assert.ok(Number(answer.headers['retry-after']) > 0);
        assert.deepEqual(Object.keys(answer.json().errors), ['service']);
        assert.doesNotMatch(answer.body, /test_|select|pg_/);
      }
      const ready = await api.call('GET', '/health/ready', undefined, { authorization: '' });
      assert.deepEqual([ready.statusCode, ready.json()], [503, { status: 'unavailable', database: 'away', workflows: 'ok' }]);
      assert.equal((await api.call('GET', '/health/live', undefined, { authorization: '' })).statusCode, 200);

      await client.query(`alter database ${name} allow_connections true`);
      assert.equal((await api.call('GET', '/health/ready', undefined, { authorization: '' })).statusCode, 200);
      assert.equal((await api.call('GET', '/rest/v1/tag/')).statusCode, 200);

      // As a standby is until it is promoted.
      await client.query(`alter database ${name} set default_transaction_read_only = on`);
      await endSessions(client, name);
      // The pool may take a moment to notice the ends of its connections; that it is well is believed for a second.
      const end = Date.now() + 60_000;
      const asked = () => api.call('GET', '/health/ready', undefined, { authorization: '' });
      let standby = await asked();
      while (['away', 'ok'].includes(standby.json().database) && Date.now() < end) standby = await asked();
      assert.deepEqual([standby.statusCode, standby.json()], [503, { status: 'unavailable', database: 'read only', workflows: 'ok' }]);
      const refused = await api.call('POST', '/rest/v1/tag/', { name: 'x' });
      assert.deepEqual([refused.statusCode, refused.json().errors.service], [503, ['The database takes no changes; nothing was changed.']]);
    } finally {
      await client.end();
      await api.close();
    }
  });
});
