import assert from 'node:assert/strict';
import type { LightMyRequestResponse } from 'fastify';
import { EXAMPLES } from '../../api/describe/examples.ts';
import { OPERATIONS } from '../../api/describe/operations.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { buildSet, setMailing } from '../support/mailings.ts';

interface Schema {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  security?: unknown[];
  parameters?: { name: string; in: string; description?: string; example?: unknown }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema; example?: unknown }> };
  responses: Record<string, { description?: string; content?: Record<string, { schema?: Schema }> }>;
}

const TYPES_ONLY =
  /^(Unicode text|A (whole )?number|A decimal number as text, such as 10\.00|true or false|A timestamp in UTC, YYYY-MM-DDTHH:MM:SS|A day, YYYY-MM-DD|An object|A list|URIs? of (one )?related objects?)\.$/;
const FORM = 'multipart/form-data; boundary=b';

describe('whoever reads the OpenAPI document', () => {
  let api: TestApi;
  let paths: Record<string, Record<string, Operation>>;
  let schemas: Record<string, Schema>;
  before(async () => {
    api = await startApi({ CRM_KIND: 'http', CRM_URL: 'http://127.0.0.1:9/', WEBHOOK_PRIVATE_ADDRESSES: 'true' });
    await ensureReportRole(api.pool, api.env);
    const document = await api.read('/rest/v1/openapi.json');
    paths = document.paths;
    schemas = document.components.schemas;
    await api.pool.query(`insert into geo_zipplace (zip, kind, place) values ('94110', 'us_district', 'CA_12')`);
  });
  after(() => api.close());

  const operations = () =>
    Object.entries(paths).flatMap(([path, all]) => Object.entries(all).map(([method, each]) => ({ path, method, each })));

  it('finds every operation described, each parameter, and each answer', () => {
    const silent: string[] = [];
    for (const { path, method, each } of operations()) {
      const where = `${method} ${path}`;
      // Beyond the grant it needs, which stands there for all.
      const said = (each.description ?? '').replace(/(Needs the grant `[^`]+`|No credentials are needed|Any account may ask)\./, '').trim();
      if (!each.summary) silent.push(`${where}: summary`);
      if (!said) silent.push(`${where}: description`);
      for (const { name, description } of each.parameters ?? []) if (!description) silent.push(`${where}: ${name}`);
      for (const [code, { description }] of Object.entries(each.responses)) if (!description) silent.push(`${where}: ${code}`);
    }
    assert.deepEqual(silent, []);
    const ids = new Set(operations().map(({ each }) => each.operationId));
    assert.deepEqual(
      Object.keys(OPERATIONS).filter((id) => !ids.has(id)),
      [],
      'nothing is described that is not there',
    );
  });

  it('is told what every field of a body and of an answer means, and not only its type', () => {
    const silent = new Set<string>();
    const walk = (schema: Schema | undefined, where: string, seen: readonly string[] = []): void => {
      if (!schema) return;
      const { $ref } = schema;
      if ($ref && !seen.includes($ref)) walk(schemas[$ref.split('/').at(-1)!], $ref, [...seen, $ref]);
      for (const [name, value] of Object.entries(schema.properties ?? {})) {
        if (!value.$ref && (!value.description || TYPES_ONLY.test(value.description))) silent.add(`${where}.${name}: ${value.description}`);
        walk(value, `${where}.${name}`, seen);
      }
      for (const each of [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])]) walk(each, where, seen);
    };
    for (const { path, method, each } of operations()) {
      for (const { schema } of Object.values(each.requestBody?.content ?? {})) walk(schema, `${method} ${path}`);
      for (const { content = {} } of Object.values(each.responses))
        for (const { schema } of Object.values(content)) walk(schema, `${method} ${path}`);
    }
    assert.deepEqual([...silent], []);
  });

  it('finds an example of every body, and no example of anything else', () => {
    const without: string[] = [];
    for (const { path, method, each } of operations())
      for (const [type, { example }] of Object.entries(each.requestBody?.content ?? {}))
        if (example === undefined) without.push(`${method} ${path} ${type}`);
    assert.deepEqual(without, []);
    assert.deepEqual(
      Object.keys(EXAMPLES).filter((path) => !operations().some((each) => each.path === path && each.each.requestBody)),
      [],
    );
  });

  it('can send each example as it stands', async () => {
    const made = new Map<string, string>();
    const refused: string[] = [];
    for (const [path, body] of Object.entries(EXAMPLES)) {
      const url = path.includes('{id}') ? await ofAnObject(path, made) : path.replace(/\{(short_name|name)\}/, () => inPath(path));
      if (url === null) {
        refused.push(`${path}: nothing to send it to`);
        continue;
      }
      await prepare(path, url);
      for (const [method, { requestBody }] of Object.entries(paths[path]!)) {
        if (!requestBody) continue;
        const answer = await send(method, url, Object.keys(requestBody.content)[0]!, body);
        if (answer.statusCode >= 400) refused.push(`${method} ${url}: ${answer.statusCode} ${answer.body}`);
        const { location } = answer.headers;
        if (location && !path.includes('{')) made.set(path, String(location).slice(api.env.BASE_URL.length));
      }
    }
    assert.deepEqual(refused, []);
  });

  it('finds each refusal described that everybody may meet', async () => {
    await api.create('authuser', { username: 'nobody', password: 'nobody-password' });
    const nobody = basic({ username: 'nobody', password: 'nobody-password' });
    const unsaid: string[] = [];
    for (const { path, method, each } of operations()) {
      if (!path.startsWith('/rest/')) continue;
      if (!each.responses['429'] || !each.responses['401'] || !each.responses['400']) unsaid.push(`${method} ${path}: 400, 401 or 429`);
      // Those of the kit are made by one function: one resource stands for all.
      if (OF_THE_KIT.test(path) && !path.startsWith('/rest/v1/user/')) continue;
      const url = path.replace(/\{\w+\}/g, '987654');
      const writes = method !== 'get';
      const wrong: [headers: Record<string, string>, body?: string][] = [
        [{ authorization: '' }],
        [{ authorization: nobody }],
        [{}],
        ...(writes
          ? ([
              [{ 'content-type': 'application/x-nothing' }, 'x'],
              [{ 'content-type': 'application/json' }, '{x'],
            ] as never)
          : []),
        ...(writes ? ([[{ origin: 'https://elsewhere.example.org' }]] as never) : []),
      ];
      for (const [headers, body] of wrong) {
        const { statusCode } = await api.call(method.toUpperCase(), url, body, headers);
        if (!each.responses[statusCode]) unsaid.push(`${method} ${path}: ${statusCode} after ${JSON.stringify(headers)}`);
      }
    }
    assert.deepEqual(unsaid, []);
  });

  it('is told that a body has to be sent where one of several fields has to', async () => {
    const bodies = {
      'post /rest/v1/recurringpaymentpush/': true,
      'post /rest/v1/profileupdatepush/': true,
      'patch /rest/v1/mailer/{id}/': true,
      'patch /rest/v1/user/{id}/': false,
      'post /rest/v1/mailer/{id}/copy/': false,
    };
    const mailing = (await api.call('POST', '/rest/v1/mailer/', { subjects: ['Hello'] })).headers.location!;
    const user = (await api.call('POST', '/rest/v1/user/', { email: 'bodiless@example.org' })).headers.location!;
    const ids = { mailer: /\d+\/$/.exec(mailing)![0], user: /\d+\/$/.exec(user)![0] };
    for (const [operation, required] of Object.entries(bodies)) {
      const [method, path] = operation.split(' ') as [string, string];
      assert.equal(paths[path]![method]!.requestBody!.required, required, operation);
      const url = path.replace('{id}/', path.includes('mailer') ? ids.mailer : ids.user);
      assert.equal((await api.call(method.toUpperCase(), url)).statusCode === 400, required, operation);
    }
  });

  const inPath = (path: string) => (path.startsWith('/whipcount/') ? 'call-the-house' : 'people_in');

  /** The address for `{id}`: what was made last by the example above it, or the first there is. */
  async function ofAnObject(path: string, made: Map<string, string>): Promise<string | null> {
    const [before, rest = ''] = path.split('{id}/') as [string, string];
    const own = made.get(before);
    if (own) return own + rest;
    const { objects } = await api.read(`${before}?_limit=1`);
    if (objects.length > 0) return objects[0].resource_uri + rest;
    const page = PAGES_OF[before];
    if (!page) return null;
    const done = await api.call('POST', '/rest/v1/action/', {
      page,
      email: 'ada@example.org',
      zip: '10001',
      event_id: 1,
      'response-1': 'supportive',
    });
    assert.equal(done.statusCode, 201, `${page}: ${done.body}`);
    return ofAnObject(path, made);
  }

  /** Brings about what takes a worker: a set of users that is saved, a stop that is seen to. */
  async function prepare(path: string, url: string): Promise<void> {
    if (/(uncertain|failed)\/\w+\/$/.test(path))
      await setMailing(api, url.replace(/(uncertain|failed)\/\w+\/$/, ''), { status: 'stopped' });
    if (path === '/rest/v1/mailer/{id}/proofs/' || path === '/rest/v1/mailer/{id}/queue/') await buildSet(api, url.replace(/\w+\/$/, ''));
  }

  function send(method: string, url: string, type: string, body: unknown): Promise<LightMyRequestResponse> {
    if (type === 'application/json') return api.call(method.toUpperCase(), url, body);
    if (type !== 'multipart/form-data') return api.call(method.toUpperCase(), url, body, { 'content-type': type });
    const parts = Object.entries(body as Record<string, string>).map(([name, value]) => {
      const file = name === 'upload' || name === 'file' ? '; filename="people.csv"\r\nContent-Type: text/csv' : '';
      return `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
    });
    return api.call(method.toUpperCase(), url, `${parts.join('')}--b--\r\n`, { 'content-type': FORM });
  }
});

const OF_THE_KIT = /^\/rest\/v1\/\w+\/(\{id\}\/|set\/\{ids\}\/|schema\/)?$/;

/** Where something is done that no example does. */
const PAGES_OF: Record<string, string> = {
  '/rest/v1/petitionaction/': 'save-the-forest',
  '/rest/v1/importaction/': 'import',
  '/rest/v1/unsubscribeaction/': 'leave',
  '/rest/v1/eventcreateaction/': 'host',
  '/rest/v1/eventsignupaction/': 'come',
};
