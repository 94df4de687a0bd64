import { deepEqual, equal } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { newConnection } from '../../../db/driver.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { idIn, makeReady } from '../../support/mailings.ts';
import { insertPeople } from '../../support/people.ts';

describe('what a mailing needs that is queued at the moment it is deleted', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.create('list', { name: 'News' });
    await insertPeople(api.pool, [{ id: 1, email: 'one@example.org', lists: [1] }]);
  });
  after(() => api.close());

  const KINDS: [string, object, string, string][] = [
    ['fromline', { from_line: '"Ann" <ann@example.org>' }, 'fromline', 'goes out from this from line.'],
    ['language', { name: 'French', iso_code: 'fr' }, 'lang', 'goes out in this language.'],
    ['signuppage', { name: 'land' }, 'landing_page', 'has this page as its landing page.'],
    ['emailwrapper', { name: 'Letter', template: '{{ content }}' }, 'emailwrapper', 'goes out in this wrapper.'],
  ];
  for (const [resource, body, field, said] of KINDS)
    it(`is kept: a ${resource}`, async () => {
      const uri = await api.create(resource, body);
      const mailing = await makeReady(api, { [field]: uri });
      const other = newConnection(api.databaseUrl);
      await other.connect();
      try {
        // Both wait for the same row, in the order they came.
        await other.query('begin');
        await other.query('select from core_mailing where id = $1 for update', [idIn(mailing)]);
        const waiting = async (many: number) => {
          const at = `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
          while ((await api.pool.query(at)).rows[0].n < many) await sleep(10);
        };
        const queued = api.call('POST', `${mailing}queue/`);
        await waiting(1);
        const deleted = api.call('DELETE', uri);
        await waiting(2);
        await other.query('commit');
        const { statusCode, body: answer } = await deleted;
        equal((await queued).statusCode, 201);
        deepEqual([statusCode, answer], [400, JSON.stringify({ [resource]: { id: [`Mailing ${idIn(mailing)} ${said}`] } })]);
        equal((await api.read(mailing)).status, 'queued');
      } finally {
        await other.end();
      }
    });
});
