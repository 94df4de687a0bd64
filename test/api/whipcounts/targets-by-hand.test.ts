import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';
import { idIn } from '../../support/mailings.ts';

describe('targets made by hand', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('stand for the same people on a page and in a mailing, however their country, state and district are written', async () => {
    const list = await api.create('list', { name: 'News' });
    const user = await api.create('user', { email: 'ann@example.org', zip: '10001', country: 'USA' });
    await api.create('subscription', { user, list });
    await api.pool.query(`update core_location set us_district = 'NY_12' where user_id = $1`, [idIn(user)]);
    const kept = { country: 'United States', state: 'NY', us_district: '' };
    for (const [written, read] of [
      [{ state: 'NY', country: 'US' }, kept],
      [{ state: ' ny ', country: ' united states of america ' }, kept],
      [
        { us_district: 'ny_12', country: 'U.S.A.' },
        { ...kept, state: '', us_district: 'NY_12' },
      ],
    ] as const) {
      const target = await api.create('target', { type: 'other', first: 'Ada', ...written });
      const { country, state, us_district } = await api.read(target);
      assert.deepEqual({ country, state, us_district }, read, JSON.stringify(written));
      const name = `group of ${target}`;
      const group = idIn(await api.create('congresstargetgroup', { name, type: 'congress', targets: [target] }));
      const target_groups = [`/rest/v1/targetgroup/${group}/`];
      const page = await api.create('whipcountpage', { name: `call-${group}`, target_groups });
      const mailing = await api.create('mailer', { subjects: ['S'], html: 'x', includes: { target_groups } });
      const called = await api.read(`${page}targets/?user=${idIn(user)}`);
      assert.deepEqual([called.objects.length, (await api.read(`${mailing}audience/`)).people], [1, 1], JSON.stringify(written));
    }
    assert.equal((await api.read('/rest/v1/target/?country=USA&state=ny')).meta.total_count, 2);
    const abroad = await api.create('target', { type: 'other', country: 'Canada', state: 'Ontario' });
    assert.deepEqual([(await api.read(abroad)).country, (await api.read(abroad)).state], ['Canada', 'Ontario']);
  });
});
