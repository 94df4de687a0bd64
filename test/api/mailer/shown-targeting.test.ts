import assert from 'node:assert/strict';
import { basic, startApi, type TestApi } from '../../support/api.ts';
import { everyTurnMs } from '../../support/processor-time.ts';

describe('targeting that is sent back as it was read', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  const RESOURCES = { lists: 'list', tags: 'tag', languages: 'language', actions: 'signuppage', campaigns: 'campaign' };
  const more = (resource: string, n: number) => (resource === 'language' ? { iso_code: `x${n}` } : {});
  const idIn = (uri: string) => Number(uri.split('/').at(-2));

  for (const [field, resource] of Object.entries(RESOURCES)) {
    it(`means the same ${field}, whatever they are called`, async () => {
      const first = await api.create(resource, { name: 'First', ...more(resource, 0) });
      const typed = first.replace('signuppage', 'page');
      const names = [String(idIn(first)), `0${idIn(first)}`, typed, `${api.env.BASE_URL}${typed}`, '987654321', '9'.repeat(200), 'Plain'];
      for (const [n, name] of names.entries()) {
        const uri = await api.create(resource, { name, ...more(resource, n + 1) }).catch(() => null);
        // Names of some kinds are words of an address.
        if (uri === null) continue;
        for (const side of ['includes', 'excludes']) {
          const mailer = await api.create('mailer', { subjects: ['Hello'], [side]: { [field]: [uri] } });
          const shown = await api.read(mailer);
          assert.equal((await api.call('PATCH', mailer, { [side]: shown[side] })).statusCode, 202);
          const again = await api.read(mailer);
          assert.deepEqual([again[side], again.targeting_version], [shown[side], 1], `${field} ${name}`);
          const { rows } = await api.pool.query(`select ${side}->'${field}' as ids from core_mailing where id = $1`, [idIn(mailer)]);
          assert.deepEqual(rows[0].ids, [idIn(uri)], `${field} ${name}`);
          if (['987654321', 'Plain'].includes(name)) assert.deepEqual(shown[side], { [field]: [name] });
        }
      }
    });
  }

  it('is read in no time, however many members a field has', async () => {
    const zips = Array.from({ length: 100_000 }, (_, n) => String(n).padStart(5, '0'));
    const mailer = await api.create('mailer', { subjects: ['Hello'], includes: { zips }, excludes: { zips: zips.slice(0, 50_000) } });
    const began = process.cpuUsage();
    const { includes, excludes } = await api.read(mailer);
    const { user, system } = process.cpuUsage(began);
    assert.ok(user + system < 5_000_000, `it took ${(user + system) / 1000} ms of processor time`);
    assert.deepEqual([includes, excludes], [{ zips }, { zips: zips.slice(0, 50_000) }]);
  });

  it('holds nobody up when it comes from somebody who may name nobody else', async () => {
    await api.pool.query(`insert into core_user (email) select n || '@example.org' from generate_series(1, 60000) n`);
    const { rows } = await api.pool.query<{ id: number }>('select id from core_user order by id');
    const users = rows.map(({ id }) => id);
    const mailer = await api.create('mailer', { subjects: ['Hello'], excludes: { users } });
    const group = await api.create('authgroup', { name: 'writers', grants: ['mailer:write'] });
    const writer = { username: 'writer', password: 'writer-password' };
    await api.create('authuser', { ...writer, groups: [group] });
    const patch = async (more: number[]) => {
      const body = { excludes: { users: [...users.toReversed(), ...more] } };
      return (await api.call('PATCH', mailer, body, { authorization: basic(writer) })).statusCode;
    };
    await patch([]);
    const held = await everyTurnMs(400, async () => assert.equal(await patch([]), 202));
    assert.ok(held < 400, `it held the others for ${Math.round(held)} ms`);
    assert.equal(await patch([users.at(-1)! + 1]), 403);
  });
});
