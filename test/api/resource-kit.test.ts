import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';

describe('a resource of the kit', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('is created, read, changed and deleted', async () => {
    const made = await api.call('POST', '/rest/v1/tag/', { name: 'climate' });
    assert.equal(made.statusCode, 201);
    assert.equal(made.body, '');
    const location = String(made.headers.location);
    assert.match(location, /^http:\/\/platform\.test\/rest\/v1\/tag\/\d+\/$/);
    const uri = location.replace('http://platform.test', '');

    const tag = await api.read(uri);
    assert.equal(tag.name, 'climate');
    assert.equal(tag.resource_uri, uri);
    assert.match(tag.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);

    for (const method of ['PUT', 'PATCH']) {
      const changed = await api.call(method, uri, { name: `climate by ${method}` });
      assert.equal(changed.statusCode, 202);
      assert.equal(changed.body, '');
      assert.equal((await api.read(uri)).name, `climate by ${method}`);
    }

    assert.equal((await api.call('DELETE', uri)).statusCode, 204);
    const gone = await api.call('GET', uri);
    assert.equal(gone.statusCode, 404);
    assert.equal(gone.body, '');
  });
});
