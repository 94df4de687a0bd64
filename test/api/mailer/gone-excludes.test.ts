import assert from 'node:assert/strict';
import type { RebuildError } from '../../../core/targeting/rebuild-error.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { buildSet, idIn, READY } from '../../support/mailings.ts';

describe('somebody who is left out by something that is deleted', () => {
  let api: TestApi;
  let list: string;
  before(async () => {
    api = await startApi();
    list = await api.create('list', { name: 'News' });
    for (const email of ['ann@example.org', 'bob@example.org']) {
      await api.create('subscription', { user: await api.create('user', { email }), list });
    }
  });
  after(() => api.close());

  const gone = {
    lists: () => api.create('list', { name: 'Not these' }),
    tags: () => api.create('tag', { name: 'not-these' }),
    languages: () => api.create('language', { name: 'Dutch', iso_code: 'nl' }),
    actions: () => api.create('signuppage', { name: 'not-these' }),
    campaigns: () => api.create('campaign', { name: 'not-these', title: 'Not these' }),
    target_groups: () => api.create('congresstargetgroup', { name: 'not these', type: 'congress', targets: [] }),
  };

  for (const [field, make] of Object.entries(gone)) {
    it(`is not mailed all the same: ${field}`, async () => {
      const uri = await make();
      const mailing = await api.create('mailer', { ...READY, includes: { lists: [list] }, excludes: { [field]: [uri] } });
      assert.equal(await buildSet(api, mailing), 2);
      assert.equal((await api.call('DELETE', uri)).statusCode, 204);
      const said = new RegExp(`^excludes: ${field} refers to what was deleted since: ${idIn(uri)}\\.`);
      await assert.rejects(buildSet(api, mailing), (error: RebuildError) => said.test(error.messages.join()));
      const counted = await api.call('GET', `${mailing}audience/`);
      assert.equal(counted.statusCode, 400, counted.body);
      assert.match(counted.json().errors.targeting[0], said);
      assert.equal((await api.call('PATCH', mailing, { excludes: { [field]: [] } })).statusCode, 202);
      assert.equal(await buildSet(api, mailing), 2);
      assert.equal((await api.read(`${mailing}audience/`)).people, 2);
    });
  }
});
