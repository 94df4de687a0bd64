import assert from 'node:assert/strict';
import fc from 'fast-check';
import { anyString } from '../support/any-string.ts';
import { startApi, type TestApi } from '../support/api.ts';

// Whatever is sent to whatever route: an answer below 500, that says nothing of our inside.

/** What has broken other services: types in the wrong place, ends of ranges, bytes that databases, headers and paths choke on. */
const NASTY: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2_147_483_648,
  9_007_199_254_740_993n.toString(),
  -2_147_483_649,
  1e308,
  '',
  ' ',
  '0',
  '-1',
  '99999999999999999999999999',
  'NaN',
  'Infinity',
  'nul\0nul',
  '\ud800',
  '\u202e\u0000',
  "'; drop table core_user; --",
  '"; select 1',
  '%s%n%x',
  '%00',
  '../../etc/passwd',
  '/rest/v1/user/1/',
  '/rest/v1/user/999999999999/',
  '/rest/v1/nothing/1/',
  'http://platform.test/rest/v1/list/1/',
  'http://evil.test/rest/v1/list/1/',
  'a@b.c\r\nBcc: d@e.f',
  '{{ content }}{% include "x" %}',
  '{{ 7|nothing }}',
  '2020-02-30T25:61:61',
  '0000-00-00',
  '9999-12-31T23:59:59.999999+14:00',
  '275760-09-13T00:00:00Z',
  '1'.repeat(400),
  'x'.repeat(3000),
  [],
  [null],
  [[]],
  [1, 'x', {}],
  Array(200).fill('/rest/v1/tag/1/'),
  {},
  { a: null },
  { id: 1 },
  { a: { b: { c: [1, { d: '\0' }] } } },
  { constructor: 1, toString: 2 },
  [{ toString: 1, valueOf: 1 }],
];

/** Every so-manieth, others at every place: each value comes to fields of every kind, and `npm run fuzz` goes on from there. */
const oneIn = <Value>(parts: number, values: readonly Value[], place: number): Value[] =>
  values.filter((_, index) => (index + place) % parts === 0);

interface Operation {
  method: string;
  path: string;
  fields: string[];
}

describe('nothing a caller sends', () => {
  let api: TestApi;
  let operations: Operation[];
  const routes = new Set<string>();

  before(async () => {
    api = await startApi({ API_BODY_LIMIT: String(256 * 1024) }, (app) => {
      app.addHook('onRoute', ({ method, url }) => {
        if ([method].flat().includes('GET')) routes.add(url);
      });
      app.addHook('onError', async (_request, _reply, error) => {
        lastError = error;
      });
    });
    const document = (await api.call('GET', '/rest/v1/openapi.json')).json();
    // biome-ignore lint/suspicious/noExplicitAny: a schema of any shape
    const resolved = (schema?: any) => (schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema);
    // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
    operations = Object.entries<Record<string, any>>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        fields: [
          ...Object.keys(resolved(operation.requestBody?.content?.['application/json']?.schema)?.properties ?? {}),
          ...(operation.parameters ?? []).filter((each: { in: string }) => each.in === 'query').map((each: { name: string }) => each.name),
        ],
      })),
    );
    for (const name of ['one', 'two']) {
      await api.create('list', { name });
      await api.create('tag', { name });
      await api.create('language', { name });
      await api.create('user', { email: `${name}@example.org` });
      await api.create('signuppage', { name });
    }
    await api.create('authuser', { username: 'other', password: 'other-password' });
  });
  afterEach(() => assert.deepEqual(failures.splice(0), []));
  after(() => api.close());

  let lastError: Error | undefined;
  const failures: string[] = [];
  const statuses = new Map<number, number>();
  after(() => {
    // Were everything refused at the door, this would prove nothing.
    assert.ok(
      (statuses.get(400) ?? 0) > 1000 && (statuses.get(200) ?? 0) > 100 && (statuses.get(201) ?? 0) > 100,
      JSON.stringify([...statuses]),
    );
  });

  const send = async (method: string, url: string, payload: unknown, type = 'application/json') => {
    const body = payload === undefined ? undefined : typeof payload === 'string' ? payload : JSON.stringify(payload);
    const answer = await api.call(method, url, body, body === undefined ? {} : { 'content-type': type });
    statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
    const said = `${method} ${url.slice(0, 200)} ${String(body).slice(0, 300)} answered ${answer.statusCode} ${answer.body.slice(0, 300)}`;
    if (answer.statusCode >= 500) failures.push(`${said}\n${lastError?.stack}`);
    else if (answer.statusCode >= 400) {
      assert.doesNotMatch(answer.body, /\bat \S+ \(|node_modules|insert into|update "|select .* from|core_\w+_(key|check|foreign)/i, said);
      if (answer.body && /json/.test(String(answer.headers['content-type']))) JSON.parse(answer.body);
    }
    return answer;
  };
  /** Object 2 of each kind: the first account is the one that calls. */
  const filled = (path: string) => path.replace('{akid}', '.1.aaaaaa').replace(/\{\w+\}/g, '2');

  it('as one field of a body leads to an internal error', async () => {
    for (const { method, path, fields } of operations.filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method))) {
      // The hash of a password takes its time, and no part in this.
      for (const [place, field] of fields.filter((each) => each !== 'password').entries()) {
        const good = { name: `n${Math.random()}`, email: `e${Math.random()}@example.org`, page: 'one' };
        for (const value of oneIn(method === 'POST' ? 5 : 15, NASTY, place)) await send(method, filled(path), { ...good, [field]: value });
      }
    }
  }).timeout(600_000);

  it('as a whole body leads to an internal error', async () => {
    for (const [place, { method, path }] of operations.filter(({ method }) => ['POST', 'PATCH', 'PUT'].includes(method)).entries()) {
      for (const value of oneIn(4, NASTY, place)) await send(method, filled(path), value === null ? 'null' : value);
      await send(method, filled(path), 'a=1&a=2&lists=x', 'application/x-www-form-urlencoded');
    }
  }).timeout(600_000);

  it('in a path or a query leads to an internal error', async () => {
    const texts = NASTY.filter((each) => typeof each === 'string').map((each) => encodeURIComponent(each.toWellFormed()));
    for (const [nth, { path, fields }] of operations.filter(({ method }) => method === 'GET').entries()) {
      if (path.includes('{')) for (const text of oneIn(2, texts, nth)) await send('GET', path.replace(/\{\w+\}/g, text || 'x'), undefined);
      for (const [place, field] of fields.entries()) {
        for (const text of oneIn(2, ['', '%00', '-1', '1e9', '99999999999999999999', "'%25_%5C"], nth + place))
          await send('GET', `${filled(path)}?${field}=${text}`, undefined);
        if (field.startsWith('_')) continue;
        const operators = ['in=1,x,', 'range=1,2', 'gt=%00', 'year=2020', 'isnull=2', 'icontains=%25%5C', 'x__y__z=1'];
        for (const operator of oneIn(2, operators, nth + place)) {
          await send('GET', `${filled(path)}?${field}__${operator}`, undefined);
        }
      }
    }
  }).timeout(600_000);

  it('that is the name of something every object has leads to an internal error', async () => {
    const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];
    const paths = new Set([...routes, ...operations.map(({ path }) => path.replace(/\{(\w+)\}/g, ':$1'))]);
    for (const path of paths) {
      const places = path.match(/:\w+|\*/g) ?? [];
      for (const name of names) {
        // One place at a time, the others with what is there, and all of them.
        for (const [nth] of [...places, ''].entries()) {
          let at = 0;
          const url = path.replace(/:\w+|\*/g, () => (at++ === nth || nth === places.length ? name : '2'));
          await send(
            'GET',
            `${url}?${name}=${name}&done=${name}&group=${name}&format=${name}&order_by=${name}&${name}__${name}=1&_fields=${name}`,
            undefined,
          );
        }
      }
    }
    const body = `{${names.filter((name) => name !== '__proto__').map((name) => `"${name}": {"${name}": "x"}`)}}`;
    for (const { method, path, fields } of operations.filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method))) {
      await send(method, filled(path), body);
      for (const [place, field] of fields.filter((each) => each !== 'password').entries()) {
        const values = ['constructor', '{{ constructor }}{{ user.constructor }}{{ 1|constructor }}', { constructor: 'x' }, ['toString']];
        for (const value of oneIn(2, values, place))
          await send(method, filled(path), { name: `n${Math.random()}`, email: `e${Math.random()}@example.org`, [field]: value });
      }
      await send(
        method,
        filled(path),
        'constructor=1&__proto__=2&toString=3&user_constructor=4&action___proto__=5',
        'application/x-www-form-urlencoded',
      );
    }
    for (const [path, name] of [
      ['upload', 'upload'],
      ['mergefile', 'file'],
    ]) {
      for (const field of names) {
        const form = `--b\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n1\r\n--b\r\nContent-Disposition: form-data; name="${name}"; filename="a.csv"\r\n\r\nemail,${field},user_${field}\na@b.test,1,2\r\n--b--\r\n`;
        await send('POST', `/rest/v1/${path}/`, form, 'multipart/form-data; boundary=b');
      }
    }
  }).timeout(600_000);

  it('made up at random, or deleted twice, leads to an internal error', async () => {
    const bodies = operations.filter(({ method, fields }) => ['POST', 'PATCH'].includes(method) && fields.length > 0);
    const any = fc.oneof(fc.jsonValue(), anyString(), fc.constantFrom(...NASTY));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...bodies),
        fc.array(any, { minLength: 1, maxLength: 6 }),
        fc.infiniteStream(fc.nat()),
        async (operation, values, picks) => {
          const fields = operation.fields.filter((each) => each !== 'password');
          if (fields.length === 0) return;
          const pick = () => fields[picks.next().value % fields.length]!;
          await send(operation.method, filled(operation.path), Object.fromEntries(values.map((value) => [pick(), value])));
        },
      ),
      { numRuns: 300 },
    );
    for (const { method, path } of operations.filter((each) => each.method === 'DELETE')) {
      for (let turn = 0; turn < 2; turn++) await send(method, filled(path), undefined);
    }
  }).timeout(600_000);
});
