import { deepEqual, equal } from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';
import { buildSet } from '../support/mailings.ts';

describe('the state of an event', () => {
  let api: TestApi;
  let campaign: string;
  before(async () => {
    api = await startApi();
    campaign = await api.create('campaign', { name: 'canvass' });
  });
  after(() => api.close());

  const stateOf = async (uri: string): Promise<string> => (await api.read(uri)).state;
  const event = (more: object) => api.create('event', { campaign, ...more });

  it('is that of its zip where nobody has said one, and two letters where it is spelled out, as that of people is', async () => {
    for (const [given, state] of [
      [{ zip: '12207' }, 'NY'],
      [{ zip: '12207', state: 'new york' }, 'NY'],
      [{ zip: '12207', state: 'nj' }, 'NJ'],
      [{ country: 'US', state: 'New York' }, 'NY'],
      [{ country: 'Canada', state: 'Ontario' }, 'Ontario'],
      [{ country: 'Germany', zip: '12207' }, ''],
      [{ state: 'Ontario' }, 'Ontario'],
      [{ zip: '00000' }, ''],
      [{}, ''],
    ] as const)
      equal(await stateOf(await event(given)), state, JSON.stringify(given));
    await api.create('eventcreatepage', { name: 'make', campaign });
    const made = await api.call('POST', '/rest/v1/action/', { page: 'make', email: 'host@example.org', event_zip: '12207' });
    equal(await stateOf((await api.read(made.headers.location!.replace('http://platform.test', ''))).event), 'NY');
  });

  it('goes with its zip, unless it was said', async () => {
    const uri = await event({ zip: '12207' });
    const patched = async (change: object) => {
      equal((await api.call('PATCH', uri, change)).statusCode, 202);
      return stateOf(uri);
    };
    equal(await patched({ zip: '94110' }), 'CA');
    equal(await patched({ ...(await api.read(uri)), zip: '07030' }), 'NJ');
    equal(await patched({ title: 'Doors' }), 'NJ');
    equal(await patched({ country: 'Germany' }), '');
    equal(await patched({ country: '' }), 'NJ');
    equal(await patched({ state: 'New York' }), 'NY');
    equal(await patched({ zip: '07031' }), 'NY');
    equal(await patched({ state: '' }), 'NJ');
    equal(await patched({ zip: '' }), '');
  });

  it('brings in who lives there, whichever way it came', async () => {
    const near = await api.create('list', { name: 'Near' });
    for (const [n, zip] of ['10001', '10002', '07030'].entries()) {
      const user = await api.create('user', { email: `near${n}@example.org`, zip });
      await api.create('subscription', { user, list: near });
    }
    for (const [name, given] of Object.entries({
      bare: { zip: '10001' },
      spelled: { zip: '10001', state: 'New York' },
      coded: { zip: '10001', state: 'NY' },
    })) {
      await api.create('event', { campaign: await api.create('campaign', { name }), ...given });
      const includes = { campaigns: [name], campaign_radius: 20 };
      const count = async (more: object) =>
        buildSet(api, await api.create('mailer', { subjects: ['Come'], includes: { ...includes, ...more } }));
      deepEqual([await count({}), await count({ campaign_samestate_only: true })], [3, 2], name);
    }
  });
});
