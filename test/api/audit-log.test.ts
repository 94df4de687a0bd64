import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { basic, startApi, type TestApi } from '../support/api.ts';

describe('the audit log', () => {
  let api: TestApi;
  const as = (username: string) => ({ authorization: basic({ username, password: `${username}-password` }) });
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  /** They are written a moment after the answer. @param atLeast so many are waited for */
  const entries = async (filter = '', atLeast = 0) => {
    for (;;) {
      await sleep(400);
      const { objects } = await api.read(`/rest/v1/auditlog/?order_by=id${filter}`);
      if (objects.length >= atLeast) return objects;
    }
  };

  it('has every write of an account: who, when, what, and how it ended', async () => {
    const group = await api.create('authgroup', { name: 'editors', grants: ['list:write', 'list:delete'] });
    await api.create('authuser', { username: 'editor', password: 'editor-password', groups: [group] });
    const made = await api.call('POST', '/rest/v1/list/', { name: 'Kept secret' }, as('editor'));
    const uri = new URL(made.headers.location as string).pathname;
    await api.call('PATCH', uri, { name: 'Renamed' }, as('editor'));
    await api.call('POST', '/rest/v1/tag/', { name: 'not allowed' }, as('editor'));
    await api.call('DELETE', `${uri}?reason=spring`, undefined, as('editor'));
    const seen = await entries('&username=editor', 4);
    assert.deepEqual(
      seen.map(({ method, path, location, fields, status }: Record<string, unknown>) => [method, path, location, fields, status]),
      [
        ['POST', '/rest/v1/list/', uri, ['name'], 201],
        ['PATCH', uri, '', ['name'], 202],
        // Refused before its body was read.
        ['POST', '/rest/v1/tag/', '', [], 403],
        ['DELETE', uri, '', [], 204],
      ],
    );
    assert.ok(
      seen.every(
        ({ account, created_at }: Record<string, string>) => account === '/rest/v1/authuser/2/' && Date.parse(`${created_at}Z`) > 0,
      ),
    );
    assert.ok(seen.every(({ id }: { id: unknown }) => Number.isInteger(id)));
    assert.doesNotMatch(JSON.stringify(seen), /secret|Renamed|spring|password/);
  });

  it('has no reads, and nothing of people on public pages', async () => {
    const before = (await entries('', 6)).length;
    await api.read('/rest/v1/list/');
    await api.call('POST', '/rest/v1/action/', { page: 'nowhere', email: 'ada@example.org' }, { authorization: '' });
    assert.equal((await entries()).length, before);
  });

  it('outlives the account, and cannot be changed', async () => {
    await api.call('DELETE', '/rest/v1/authuser/2/');
    assert.equal((await entries('&username=editor')).length, 4);
    const [{ resource_uri }] = await entries('&username=editor');
    for (const method of ['PATCH', 'PUT', 'DELETE'])
      assert.equal((await api.call(method, resource_uri, { username: 'nobody' })).statusCode, 405);
    assert.equal((await api.call('POST', '/rest/v1/auditlog/', {})).statusCode, 405);
  });

  it('has nothing of people who stand in an address by mistake, or in a body that is no form', async () => {
    const before = (await entries()).length;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    // curl sends any body as a form.
    for (const body of ['[{"email":"zed@private.test","first_name":"Zed"}]', 'email,first_name\nzed@private.test,Zed\n'])
      await api.call('POST', '/rest/v1/user/', body, form);
    await api.call('DELETE', '/rest/v1/user/zed@private.test/');
    await api.call('PATCH', '/rest/v1/user/zed%40private.test/', { first_name: 'Zed', fields: {} });
    const last = (await entries('', before + 4)).slice(-4);
    assert.deepEqual(
      last.map(({ path, fields }: Record<string, unknown>) => [path, fields]),
      [
        ['/rest/v1/user/', ['…']],
        ['/rest/v1/user/', ['…']],
        ['/rest/v1/user/[address]/', []],
        ['/rest/v1/user/[address]/', ['first_name', 'fields']],
      ],
    );
  });

  it('takes what no text column takes', async () => {
    const before = (await entries()).length;
    await api.call('POST', '/rest/v1/list/', { 'a\0b': 1, '\ud800': 2 });
    const last = (await entries('', before + 1)).at(-1);
    assert.deepEqual(last.fields, ['ab', '\ufffd']);
  });

  it('looks into no mail that was sent, which has bytes and no fields', async () => {
    const before = (await entries()).length;
    await api.call('POST', '/rest/v1/bounce/', 'Subject: hello\r\n\r\nhello\r\n', { 'content-type': 'message/rfc822' });
    assert.deepEqual((await entries('', before + 1)).at(-1).fields, []);
  });
});
