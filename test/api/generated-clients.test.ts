import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
type Json = any;

/** What generators of clients stumble over, each found by running one: openapi-python-client, oapi-codegen, openapi-generator. */
describe('a generator of clients', () => {
  let api: TestApi;
  let operations: [name: string, operation: Json][];
  before(async () => {
    api = await startApi();
    const { paths } = (await api.call('GET', '/rest/v1/openapi.json')).json() as Json;
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
});
