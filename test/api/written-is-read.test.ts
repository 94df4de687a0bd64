import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';
import { readSchemaDocuments, type SchemaDocument } from '../support/schema-documents.ts';

/** Taken and never shown, each for a reason. */
const UNREAD = new Set([
  // A password.
  'authuser.password',
  // What deliveries are signed with.
  'webhook.secret',
  // Spec: a target group shows `all` in its place; where groups are made they are shown.
  'targetgroup.targets',
]);
/** What is sent there is an order, a file or what somebody did: nothing is read back under its own name. */
const NO_OBJECTS = new Set(['upload', 'action', 'bounce']);

describe('whatever can be written', () => {
  let api: TestApi;
  let schemas: Map<string, SchemaDocument>;
  before(async () => {
    api = await startApi();
    schemas = await readSchemaDocuments(api);
  });
  after(() => api.close());

  it('is shown by the object it was written to', async () => {
    const { paths, components } = await api.read('/rest/v1/openapi.json');
    const named = ({ $ref, ...schema }: { $ref?: string; properties?: object } = {}) =>
      $ref ? components.schemas[$ref.slice('#/components/schemas/'.length)] : schema;
    const unread: string[] = [];
    let read = 0;
    for (const [name, { fields, allowed_detail_http_methods: methods }] of schemas) {
      if (NO_OBJECTS.has(name) || !methods.includes('get')) continue;
      const shown = named(paths[`/rest/v1/${name}/{id}/`]?.get?.responses?.['200']?.content?.['application/json']?.schema)?.properties;
      if (!shown) continue;
      read++;
      for (const [field, { readonly }] of Object.entries(fields))
        if (!readonly && !(field in shown) && !UNREAD.has(`${name}.${field}`)) unread.push(`${name}.${field}`);
    }
    assert.deepEqual(unread, []);
    assert.ok(read > 60, `${read} of ${schemas.size} resources were looked at`);
  });
});
