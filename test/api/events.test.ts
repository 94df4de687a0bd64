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

  it('goes where its new zip is, also for who sends the whole event back, and nowhere for one that nobody knows', async () => {
    const uri = await api.create('event', { campaign, zip: '12207' });
    const whole = await api.read(uri);
    assert.equal((await api.call('PUT', uri, { ...whole, zip: '94110' })).statusCode, 202);
    assert.deepEqual(await place(uri), [38, -122, '', '']);
    await api.call('PATCH', uri, { zip: '00000' });
    assert.deepEqual(await place(uri), [null, null, '', '']);
    await api.call('PATCH', uri, { zip: '12207' });
    await api.call('PATCH', uri, { zip: '' });
    assert.deepEqual(await place(uri), [null, null, '', '']);
    const said = await api.create('event', { campaign, zip: '12207', latitude: 10, longitude: 20, us_county: 'Kings' });
    assert.equal((await api.call('PUT', said, { ...(await api.read(said)), title: 'Doors' })).statusCode, 202);
    assert.deepEqual(await place(said), [10, 20, 'NY_20', 'Kings']);
    assert.equal((await api.call('PUT', said, { ...(await api.read(said)), zip: '94110', latitude: 11 })).statusCode, 202);
    assert.deepEqual(await place(said), [11, 20, '', '']);
  });

  it('of another country is nowhere in the United States, whatever its postal code looks like', async () => {
    const uri = await api.create('event', { campaign, zip: '12207', country: 'Germany' });
    assert.deepEqual(await place(uri), [null, null, '', '']);
    await api.call('PATCH', uri, { country: 'United States' });
    assert.deepEqual(await place(uri), [43, -74, 'NY_20', 'Albany']);
    await api.call('PATCH', uri, { country: 'Germany' });
    assert.deepEqual(await place(uri), [null, null, '', '']);
    await api.create('eventcreatepage', { name: 'make', campaign });
    const host = { page: 'make', email: 'host@example.org' };
    const made = await api.call('POST', '/rest/v1/action/', { ...host, event_zip: '12207', event_country: 'Germany' });
    assert.equal(made.statusCode, 201, made.body);
    assert.deepEqual(await place((await api.read(made.headers.location!.replace('http://platform.test', ''))).event), [null, null, '', '']);
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
