import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';
import { idIn } from '../support/mailings.ts';
import { merge } from '../support/merging.ts';

describe('an event', () => {
  let api: TestApi;
  let campaign: string;
  before(async () => {
    api = await startApi();
    campaign = await api.create('campaign', { name: 'canvass' });
    await api.pool.query(
      `insert into geo_zipplace (zip, kind, place) values ('12207', 'us_district', 'NY_20'), ('12207', 'us_county', 'Albany'),
         ('12305', 'us_district', 'NY_20'), ('12305', 'us_district', 'NY_21')`,
    );
  });
  after(() => api.close());

  const place = async (uri: string) => {
    const { latitude, longitude, us_district, us_county } = await api.read(uri);
    return [latitude === null ? null : Math.round(latitude), longitude === null ? null : Math.round(longitude), us_district, us_county];
  };

  it('is where its zip is, unless its place is said', async () => {
    const uri = await api.create('event', { campaign, zip: '12207-1234' });
    assert.deepEqual(await place(uri), [43, -74, 'NY_20', 'Albany']);
    await api.call('PATCH', uri, { title: 'Doors' });
    assert.deepEqual(await place(uri), [43, -74, 'NY_20', 'Albany']);
    await api.call('PATCH', uri, { zip: '12305' });
    assert.deepEqual((await place(uri)).slice(2), ['', '']);
    const said = await api.create('event', { campaign, zip: '12207', latitude: 10, longitude: 20, us_county: 'Kings' });
    assert.deepEqual(await place(said), [10, 20, 'NY_20', 'Kings']);
    assert.deepEqual(await place(await api.create('event', { campaign, zip: '00000' })), [null, null, '', '']);
    assert.deepEqual(await place(await api.create('event', { campaign })), [null, null, '', '']);
  });

  it('is come to by somebody who came under one of two names', async () => {
    const event = await api.create('event', { campaign });
    const signedUp = async (email: string, status: string) => {
      const user = await api.create('user', { email });
      await api.create('eventsignup', { event, user, role: 'attendee', status });
      return idIn(user);
    };
    for (const [n, statuses] of [
      ['cancelled', 'active'],
      ['active', 'cancelled'],
    ].entries()) {
      const [one, other] = [await signedUp(`one${n}@example.org`, statuses[0]!), await signedUp(`other${n}@example.org`, statuses[1]!)];
      await merge(api.pool, one, [other]);
      const { objects } = await api.read(`/rest/v1/eventsignup/?user=${one}`);
      assert.deepEqual(
        objects.map(({ status }: { status: string }) => status),
        ['active'],
      );
    }
  });
});
