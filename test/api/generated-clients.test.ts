import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { startApi, type TestApi } from '../support/api.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
type Json = any;

/** What generators of clients stumble over, each found by running one: openapi-python-client, oapi-codegen, openapi-generator. */
describe('a generator of clients', () => {
  let api: TestApi;
  let operations: [name: string, operation: Json][];
  let schemas: Record<string, Json>;
  before(async () => {
    api = await startApi();
    const { paths, components } = (await api.call('GET', '/rest/v1/openapi.json')).json() as Json;
    schemas = components.schemas;
    operations = Object.entries<Json>(paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, operation]): [string, Json] => [`${method} ${path}`, operation]),
    );
  });
  after(() => api.close());

  it('finds one type for each body; where a form is taken, too, it says so', async () => {
    const several = operations.filter(([, { requestBody }]) => Object.keys(requestBody?.content ?? {}).length > 1);
    assert.deepEqual(
      several.map(([name]) => name),
      [],
    );
    const said = (name: string) => operations.find(([each]) => each === name)![1].requestBody.description;
    assert.match(said('post /rest/v1/action/'), /A form is taken, too: application\/x-www-form-urlencoded, multipart\/form-data\./);
    assert.match(said('post /rest/v1/crmmap/'), /A form is taken, too: application\/x-www-form-urlencoded\./);
  });

  it('makes what the tutorial’s script in Python asks for by name', () => {
    const script = readFileSync('examples/python/first_mailing.py', 'utf8');
    const imported = [...script.matchAll(/^from campaign_platform_client\.(api|models)\S* import (.+)$/gm)];
    const names = (of: string) => imported.flatMap(([, kind, list]) => (kind === of ? list!.split(', ') : []));
    assert.ok(names('models').length > 0 && names('api').length > 0);
    const ids = new Set(operations.map(([, { operationId }]) => operationId));
    assert.deepEqual(
      [...names('models').filter((name) => !Object.hasOwn(schemas, name)), ...names('api').filter((name) => !ids.has(name))],
      [],
    );
  });

  it('finds the fields of each body, without a choice beside them that it would take for all there is; which has to be there stands in words', async () => {
    const bodies = operations.flatMap(([name, { requestBody }]): [string, Json][] =>
      Object.values<Json>(requestBody?.content ?? {}).map(({ schema }) => [name, schemas[schema.$ref?.split('/').at(-1)] ?? schema]),
    );
    const choices = bodies.filter(([, schema]) => schema.properties && (schema.anyOf ?? schema.oneOf));
    assert.deepEqual(
      choices.map(([name]) => name),
      [],
    );
    for (const name of ['recurringpaymentpush', 'profileupdatepush', 'profilecancelpush'])
      assert.match(new Map(bodies).get(`post /rest/v1/${name}/`).description, /One of order_id and recurring_id is required\./, name);
    const eraser = 'post /rest/v1/eraser/';
    assert.match(new Map(bodies).get(eraser).description, /Exactly one of user_id and email is required\./);
    assert.equal(new Map(operations).get(eraser).requestBody.required, true);
    const { statusCode, body } = await api.call('POST', '/rest/v1/eraser/');
    assert.deepEqual([statusCode, /Exactly one of user_id and email is required\./.test(body)], [400, true]);
  });

  it('finds each choice of types written in one way, with null beside another, and none with a default', () => {
    const odd: string[] = [];
    const walk = (part: Json, path: string): void => {
      if (typeof part !== 'object' || part === null) return;
      if (Array.isArray(part.type) && part.type.filter((type: string) => type !== 'null').length > 1) odd.push(`${path}: ${part.type}`);
      if (Array.isArray(part.anyOf) && part.anyOf.some(({ type }: Json) => type === 'null')) odd.push(`${path}: null as a choice`);
      const json = !path.includes('multipart');
      if (part.anyOf?.some?.((choice: Json) => choice.additionalProperties?.type)) odd.push(`${path}: a map of something as a choice`);
      if (Array.isArray(part.anyOf) && part.default !== undefined && json) odd.push(`${path}: a default of several types`);
      for (const [name, each] of Object.entries(part)) walk(each, `${path}/${name}`);
    };
    walk(Object.fromEntries(operations), '');
    walk(schemas, '');
    assert.deepEqual(odd, []);
    const { lists } = schemas['Mailer'].properties.includes.properties;
    assert.deepEqual(lists.items.anyOf, [{ type: 'string' }, { type: 'integer' }]);
  });

  it('finds the type of each header of an answer, and examples of parameters that are of the type they stand beside', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const headers = operations.flatMap(([name, { responses }]) =>
      Object.entries<Json>(responses).flatMap(([code, answer]) =>
        Object.entries<Json>(answer.headers ?? {}).map(([header, { schema }]): [string, Json] => [`${name} ${code} ${header}`, schema]),
      ),
    );
    assert.deepEqual(
      headers.filter(([, schema]) => typeof schema.type !== 'string').map(([name]) => name),
      [],
    );
    const odd = operations.flatMap(([name, { parameters = [] }]) =>
      parameters
        .filter(({ schema, example }: Json) => example !== undefined && !ajv.validate(schema, example))
        .map((parameter: Json) => `${name} ${parameter.name}: ${parameter.example}`),
    );
    assert.deepEqual(odd, []);
    const { example } = new Map(operations).get('get /rest/v1/sentmail/{id}/').parameters[0];
    assert.equal(example, '4294967297', 'of a mail of the first mailing to the first person');
  });

  it('finds no model that is called like what languages bring along', () => {
    const taken = ['List', 'Map', 'Set', 'Object', 'String', 'Error', 'Exception', 'Dict', 'Any', 'Optional', 'Union', 'Date'];
    assert.deepEqual(
      Object.keys(schemas).filter((name) => taken.includes(name)),
      [],
    );
    assert.ok(schemas['Mailinglist'].properties.is_default);
  });

  it('finds one type for whatever is sent as text: in a query, and in a form', () => {
    const odd = operations.flatMap(([name, { parameters = [], requestBody }]) =>
      [
        ...parameters.map((each: Json): [string, Json] => [each.name, each.schema]),
        ...Object.entries<Json>(requestBody?.content?.['multipart/form-data']?.schema.properties ?? {}),
      ]
        .filter(([, schema]) => typeof schema.type !== 'string')
        .map(([value]) => `${name}: ${value}`),
    );
    assert.deepEqual(odd, []);
  });
});
