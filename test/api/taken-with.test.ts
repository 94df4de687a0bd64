import assert from 'node:assert/strict';
import { akid, readAkid } from '../../domain/akid.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';

// Somebody acts by the link of a mail: what stands in it is theirs.

describe('the akid somebody acted with', () => {
  let api: TestApi;
  let own: string;
  let action: string;
  before(async () => {
    api = await startApi();
    await api.create('signuppage', { name: 'join' });
    const person = await api.create('user', { email: 'ann@example.org' });
    own = akid(api.env.SECRET_KEY, null, Number(person.split('/').at(-2)));
    const done = await api.call('POST', '/rest/v1/action/', { page: 'join', akid: own }, { authorization: '' });
    assert.equal(done.json().akid, own);
    action = `/rest/v1/signupaction/${done.json().action_id}/`;
  });
  after(() => api.close());

  const accountWith = async (username: string, grants: string[]): Promise<string> => {
    const password = 'correct horse battery';
    const group = await api.create('authgroup', { name: username, grants });
    await api.create('authuser', { username, password, groups: [group] });
    return basic({ username, password });
  };
  const everyWay = async (authorization: string) => {
    const read = async (url: string) => (await api.call('GET', url, undefined, { authorization })).json();
    const id = action.split('/').at(-2);
    return [
      await read(action),
      await read(`/rest/v1/action/${id}/`),
      (await read('/rest/v1/action/')).objects[0],
      (await read('/rest/v1/signupaction/?_limit=1')).objects[0],
      (await read(`/rest/v1/action/set/${id}/`)).objects[0],
    ];
  };

  it('is not told to an account that may read actions alone', async () => {
    for (const shown of await everyWay(await accountWith('reader', ['action:read']))) {
      assert.equal(shown.resource_uri, action);
      assert.equal(shown.taken_with, '');
      assert.equal(readAkid(api.env.SECRET_KEY, shown.akid), null, 'it opens nothing of hers');
      assert.equal(shown.akid.split('.')[1], own.split('.')[1], 'and still names her');
    }
  });

  it('is told to one that may read people, who are shown with it', async () => {
    for (const shown of await everyWay(await accountWith('keeper', ['action:read', 'user:read'])))
      assert.deepEqual([shown.taken_with, shown.akid], [own, own]);
  });

  it('is told again to whoever sent it', async () => {
    const authorization = await accountWith('sender', ['action:read']);
    const done = await api.call('POST', '/rest/v1/action/', { page: 'join', akid: own }, { authorization });
    assert.equal(done.json().akid, own);
  });
});
