import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';

describe('phones as clients send them', () => {
  let api: TestApi;
  let user: string;
  before(async () => {
    api = await startApi();
    user = await api.create('user', { email: 'ann@example.org' });
  });
  after(() => api.close());

  const phone = async (more: object) => api.read(await api.create('phone', { user, phone: '202 555 0101', ...more }));

  it('are of the type that phone_type says, as with an action', async () => {
    for (const [more, type] of [
      [{ phone_type: 'mobile' }, 'mobile'],
      [{ phone_type: 'Work' }, 'work'],
      [{ type: 'Home_fax' }, 'home_fax'],
      [{ type: 'home', phone_type: 'fax' }, 'fax'],
      [{ phone_type: null }, 'home'],
      [{}, 'home'],
    ] as const)
      assert.equal((await phone(more)).type, type, JSON.stringify(more));
    const { resource_uri: uri, ...whole } = await phone({ phone_type: 'mobile' });
    assert.equal((await api.call('PUT', uri, { ...whole, phone_type: 'Work' })).statusCode, 202);
    assert.equal((await api.call('PATCH', uri, { ...whole, type: null })).statusCode, 202);
    assert.equal((await api.read(uri)).type, 'work');
    for (const [name, value] of [
      ['phone_type', 'pigeon'],
      ['type', ''],
      ['phone_type', 5],
      ['type', ['home']],
    ] as const) {
      const wrong = await api.call('POST', '/rest/v1/phone/', { user, phone: '202 555 0101', [name]: value });
      assert.deepEqual([wrong.statusCode, Object.keys(wrong.json().phone)], [400, [name]]);
    }
  });

  it('are of that type also where they are written on a user', async () => {
    const types = async () => Promise.all((await api.read(user)).phones.map(async (uri: string) => (await api.read(uri)).type));
    const change = (...phones: object[]) => api.call('PATCH', user, { phones: phones.map((each) => ({ phone: '202 555 0102', ...each })) });
    for (const [more, type] of [
      [{ phone_type: 'mobile' }, 'mobile'],
      [{ type: 'Work' }, 'work'],
      [{ type: 'home', phone_type: 'Fax' }, 'fax'],
      [{ type: 'work', phone_type: null }, 'work'],
      [{}, 'home'],
    ] as const) {
      assert.equal((await change(more)).statusCode, 202);
      assert.deepEqual(await types(), [type], JSON.stringify(more));
    }
    for (const wrong of [{ phone_type: 'pigeon' }, { type: '' }, { type: 5 }, { type: ['home'] }])
      assert.deepEqual([(await change(wrong)).statusCode, await types()], [400, ['home']], JSON.stringify(wrong));
  });
});
