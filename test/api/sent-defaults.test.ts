import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';
import { push } from '../support/donations.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
type Json = any;

/** What is a default in the document is sent by generated clients (openapi-python-client among them) wherever their caller says nothing. */
describe('a client generated from the OpenAPI document, which sends what that calls a default', () => {
  let api: TestApi;
  let document: Json;
  before(async () => {
    api = await startApi();
    document = (await api.call('GET', '/rest/v1/openapi.json')).json();
  });
  after(() => api.close());

  const defaults = (described: [name: string, schema: Json][]) =>
    Object.fromEntries(described.filter(([, schema]) => schema.default !== undefined).map(([name, schema]) => [name, schema.default]));

  it('reports an attempt that failed as one that failed, whether it says so by success or by status', async () => {
    const { order } = await push(api, { order: { recurring_id: 'sub_1' } });
    const { properties } = document.components.schemas.RecurringpaymentpushInput;
    for (const said of [{ success: false }, { status: 'failed' }]) {
      const body = { ...defaults(Object.entries(properties)), order_id: order.id, ...said };
      const answer = await api.call('POST', '/rest/v1/recurringpaymentpush/', body);
      assert.equal(answer.statusCode, 201, answer.body);
      const { status, success } = await api.read(answer.headers.location!.slice(api.env.BASE_URL.length));
      assert.deepEqual([status, success], ['failed', false], JSON.stringify(body));
    }
  });

  it('finds what a search finds without them', async () => {
    await api.create('campaign', { name: 'marches' });
    for (const [path, { get }] of Object.entries<Json>(document.paths)) {
      const query = defaults((get?.parameters ?? []).map(({ name, schema }: Json) => [name, schema]));
      const url = path.replace('{id}', '1');
      if (Object.keys(query).length === 0 || url.includes('{')) continue;
      const [bare, full] = [await api.call('GET', url), await api.call('GET', `${url}?${new URLSearchParams(query)}`)];
      assert.equal(full.statusCode, bare.statusCode, `${url}: ${full.body}`);
    }
  });
});
