import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';
import { readSchemaDocuments, type SchemaDocument } from '../support/schema-documents.ts';

// Clients decide by the schema documents what they may send: each is held against what is taken.

const OPERATORS = 'exact iexact contains icontains startswith istartswith endswith iendswith gt gte lt lte in range isnull year'.split(' ');
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

describe('the schema documents', () => {
  let api: TestApi;
  let schemas: Map<string, SchemaDocument>;
  before(async () => {
    api = await startApi({ ACCOUNT_CACHE_MS: '1000' });
    schemas = await readSchemaDocuments(api);
  });
  after(() => api.close());

  it('name the methods each collection and each object takes, and no other', async () => {
    const wrong: string[] = [];
    for (const [name, schema] of schemas) {
      const places = [
        [`/rest/v1/${name}/`, schema.allowed_list_http_methods],
        [`/rest/v1/${name}/2000000000/`, schema.allowed_detail_http_methods],
      ] as const;
      for (const [url, said] of places) {
        for (const method of METHODS) {
          // A body nobody reads to its end: nothing is made.
          const answer = await api.call(method, url, method === 'GET' || method === 'DELETE' ? undefined : []);
          // Where a resource has no objects to ask for, there is nothing at their address.
          const offered = answer.statusCode !== 405 && !(said.length === 0 && answer.statusCode === 404);
          if (offered !== said.includes(method.toLowerCase())) wrong.push(`${method} ${url}: ${answer.statusCode}, said: ${said}`);
        }
      }
    }
    assert.deepEqual(wrong, []);
  });

  it('name the operators each filter takes, and no other', async () => {
    const wrong: string[] = [];
    for (const [name, { operators, filtering, fields }] of schemas) {
      assert.deepEqual(Object.keys(operators), Object.keys(filtering), name);
      for (const [filter, said] of Object.entries(operators)) {
        // Shown as names and texts, filtered by reference.
        const shownOnly = (name === 'mailer' && filter === 'fromline') || (name === 'mailing' && filter === 'tags');
        const type = shownOnly ? 'related' : (fields[filter]?.type ?? 'related');
        for (const operator of OPERATORS) {
          const value =
            filter === 'type' && name.endsWith('action') && ['exact', 'in'].includes(operator)
              ? 'signup'
              : sample(type, operator, fields[filter]?.help_text ?? '');
          const answer = await api.call('GET', `/rest/v1/${name}/?_limit=1&${filter}__${operator}=${encodeURIComponent(value)}`);
          if ((answer.statusCode === 200) !== said.includes(operator))
            wrong.push(`${name}.${filter}__${operator}=${value}: ${answer.body.slice(0, 150)}`);
        }
      }
      const unsaid = Object.keys(fields).find((field) => !(field in filtering) && field !== 'format');
      if (unsaid) assert.equal((await api.call('GET', `/rest/v1/${name}/?${unsaid}=1`)).statusCode, 400, `${name}.${unsaid}`);
    }
    assert.deepEqual(wrong, []);
  });

  it('name the fields collections are ordered by, and no other', async () => {
    const wrong: string[] = [];
    for (const [name, { ordering, fields }] of schemas) {
      if (ordering.length === 0) continue;
      for (const field of Object.keys(fields)) {
        const { statusCode } = await api.call('GET', `/rest/v1/${name}/?_limit=1&order_by=-${field}`);
        if ((statusCode === 200) !== ordering.includes(field)) wrong.push(`${name}.${field}: ${statusCode}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it('say of each field whether it is taken', async () => {
    const wrong: string[] = [];
    for (const [name, schema] of schemas) {
      const url = schema.allowed_list_http_methods.includes('post') ? `/rest/v1/${name}/` : `/rest/v1/${name}/2000000000/`;
      const method = url.endsWith('000/') ? schema.allowed_detail_http_methods.find((each) => each === 'patch' || each === 'post') : 'post';
      const fields = Object.entries(schema.fields);
      if (!method) {
        for (const [field, { readonly }] of fields) if (!readonly) wrong.push(`${name}.${field} is not readonly, and nothing is taken`);
        continue;
      }
      if (NOT_OBJECTS.has(name)) continue;
      // Of every type, what it cannot be: whatever is read is refused by name.
      const body = Object.fromEntries(fields.map(([field, { type }]) => [field, type === 'dict' ? 5 : type === 'list' ? 5 : { a: [{}] }]));
      const answer = await api.call(method.toUpperCase(), url, body);
      const refused = answer.statusCode === 400 ? answer.json() : {};
      const named = new Set(Object.keys(refused[name] ?? refused.errors ?? {}));
      for (const [field, { readonly }] of fields)
        if (named.has(field) === readonly && !GUARDS.has(`${name}.${field}`))
          wrong.push(`${name}.${field}: ${readonly}, ${method} ${answer.statusCode}`);
    }
    assert.deepEqual(wrong, []);
  });

  it('stand beside what is only posted to, too, for those who may post there', async () => {
    const pushes = ['donationpush', 'recurringpaymentpush', 'profileupdatepush', 'profilecancelpush'];
    for (const name of ['eraser', ...pushes]) {
      const { filtering, ordering, ...schema } = await api.read(`/rest/v1/${name}/schema/`);
      const methods = [schema.allowed_list_http_methods, schema.allowed_detail_http_methods];
      assert.deepEqual([methods, filtering, ordering], [[['post'], []], {}, []], name);
      const { statusCode } = await api.call('GET', `/rest/v1/${name}/schema/`, undefined, { authorization: '' });
      assert.equal(statusCode, 401, name);
    }
    const { user_id, user_fields } = (await api.read('/rest/v1/eraser/schema/')).fields;
    assert.deepEqual([user_id.type, user_fields.type, user_fields.help_text], ['integer', 'boolean', 'Deletes custom user fields.']);
    const { order } = (await api.read('/rest/v1/donationpush/schema/')).fields;
    assert.deepEqual([order.type, order.blank, order.readonly], ['object', false, false]);
  });
});

/** What is sent is no object of theirs: files, what somebody did on a page, and maps that are refused with one sentence for all. */
const NOT_OBJECTS = new Set(['upload', 'mergefile', 'bounce', 'action', 'crmmap']);
/** A guard that is looked at and not written. */
const GUARDS = new Set(['mailer.targeting_version']);

/** A value a filter of this type can read. */
function sample(type: string, operator: string, help: string): string {
  if (operator === 'isnull') return 'true';
  if (operator === 'year') return '2030';
  const texts = ['contains', 'startswith', 'endswith'].some((each) => operator.endsWith(each)) || operator === 'iexact';
  const [word] = /^One of ([\w-]+)/.exec(help)?.slice(1) ?? [];
  const value = texts
    ? 'a'
    : ({ integer: '1', related: '1', number: '1', decimal: '1.00', boolean: 'true', datetime: '2030-01-01T00:00:00', date: '2030-01-01' }[
        type
      ] ??
      word ??
      'a');
  return operator === 'range' ? `${value},${value}` : value;
}
