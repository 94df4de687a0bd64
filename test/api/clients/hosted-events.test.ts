import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';

/** As public clients bring events in that they find elsewhere (the Town Hall Project, Demand Progress), and read them for maps. */
const HOSTED = {
  page: 'host-one',
  email: 'field@example.org',
  event_title: 'Town hall',
  event_starts_at_date: '04/21/2030',
  event_starts_at_time: '6:30',
  event_starts_at_ampm: 'pm',
  event_ends_at_date: '',
  event_ends_at_ampm: 'am',
  event_city: 'Albany',
  event_postal: '12207-1234',
  event_host_ground_rules: '1',
  action_meeting_type: 'Town Hall',
};

describe('an event that a client hosts by an action', () => {
  let api: TestApi;
  let campaign: string;
  const host = (change: object) => api.call('POST', '/rest/v1/action/', { ...HOSTED, ...change });

  before(async () => {
    api = await startApi();
    campaign = await api.create('campaign', { name: 'recess' });
    await api.create('eventcreatepage', { name: 'host-one', campaign });
    await api.create('eventsignuppage', { name: 'come-along', campaign });
  });
  after(() => api.close());

  it('is named in the answer, and has its time, place and fields', async () => {
    const done = await host({});
    assert.equal(done.statusCode, 201, done.body);
    const event = await api.read(done.json().event);
    assert.deepEqual([event.starts_at, event.ends_at], ['2030-04-21T18:30:00', null]);
    assert.deepEqual([event.zip, event.plus4, event.state, Math.round(event.latitude)], ['12207', '1234', 'NY', 43]);
    assert.deepEqual(event.fields, { meeting_type: 'Town Hall' });
    assert.deepEqual([event.is_approved, event.host_is_confirmed, event.attendee_count], [true, true, 0]);
  });

  it('reads a clock of either kind', async () => {
    for (const [time, ampm, wanted] of [
      ['12:05', 'AM', '00:05'],
      ['12:00', 'pm', '12:00'],
      ['18:30', 'pm', '18:30'],
      ['06:30 p.m.', '', '18:30'],
      ['0:15', '', '00:15'],
    ]) {
      const done = await host({ event_starts_at_time: time, event_starts_at_ampm: ampm });
      const { starts_at } = await api.read(done.json().event);
      assert.equal(starts_at, `2030-04-21T${wanted}:00`, time);
    }
    for (const [field, value] of [
      ['date', '13/41/2030'],
      ['date', 'soon'],
      ['time', '25:00'],
      ['time', ''],
      ['ampm', 'noon'],
    ]) {
      const answer = await host({ [`event_starts_at_${field}`]: value });
      assert.deepEqual([answer.statusCode, Object.keys(answer.json().errors)], [400, [`event_starts_at_${field}`]], value);
    }
  });

  it('is given another time as its client writes them', async () => {
    const uri = (await host({ event_starts_at: '04/22/2030 18:30' })).json().event;
    assert.equal((await api.read(uri)).starts_at, '2030-04-22T18:30:00');
    assert.equal((await api.call('PATCH', uri, { starts_at: '04/23/2030 09:15', ends_at: '4/23/2030 1:00 pm' })).statusCode, 202);
    const { starts_at: starts, ends_at: ends } = await api.read(uri);
    assert.deepEqual([starts, ends], ['2030-04-23T09:15:00', '2030-04-23T13:00:00']);
    assert.equal((await api.call('PATCH', uri, { starts_at: '2030-05-01 6:00 PM', ends_at: '2030-05-01 11:45 p.m.' })).statusCode, 202);
    const { starts_at: from, ends_at: to } = await api.read(uri);
    assert.deepEqual([from, to], ['2030-05-01T18:00:00', '2030-05-01T23:45:00']);
    assert.equal((await api.call('PATCH', uri, { ends_at: null })).statusCode, 202);
    const wrong = await api.call('PATCH', uri, { starts_at: '23/04/2030 09:15' });
    assert.deepEqual([wrong.statusCode, Object.keys(wrong.json().event)], [400, ['starts_at']]);
  });

  it('moves by its postal code alone, and stays for who sends it back', async () => {
    const uri = (await host({})).json().event;
    assert.equal((await api.call('PATCH', uri, { postal: '94105' })).statusCode, 202);
    const moved = await api.read(uri);
    assert.deepEqual([moved.zip, moved.plus4, moved.state, Math.round(moved.longitude)], ['94105', '', 'CA', -122]);
    assert.equal((await api.call('PUT', uri, { ...moved, title: 'Renamed' })).statusCode, 202);
    const back = await api.read(uri);
    assert.deepEqual({ ...back, updated_at: '' }, { ...moved, title: 'Renamed', updated_at: '' });
    const abroad = await api.create('event', { campaign, title: 'In Paris', postal: '75001', country: 'France' });
    assert.deepEqual([(await api.read(abroad)).zip, (await api.read(abroad)).latitude], ['', null]);
  });

  it('is found while it is approved and confirmed, and says how many come', async () => {
    const uri = (await host({ event_title: 'Counted' })).json().event;
    const search = async () => {
      const { objects } = await api.read(`${campaign}event_search/?order_by=-id&limit=1`);
      return objects[0].title === 'Counted' ? objects[0].attendee_count : null;
    };
    const signup = { page: 'come-along', email: 'guest@example.org', event_id: uri.split('/')[4] };
    const answer = (await api.call('POST', '/rest/v1/action/', signup)).json();
    assert.deepEqual([answer.event, (await api.read(answer.signup)).role], [uri, 'attendee']);
    assert.equal(await search(), 1);
    for (const flag of ['is_approved', 'host_is_confirmed']) {
      assert.equal((await api.call('PUT', uri, { [flag]: 'false' })).statusCode, 202);
      assert.equal(await search(), null, flag);
      assert.equal((await api.read(`/rest/v1/event/?${flag}=false&is_private=false`)).meta.total_count, 1);
      assert.equal((await api.call('PUT', uri, { [flag]: 'true' })).statusCode, 202);
    }
    assert.equal((await api.call('PATCH', answer.signup, { status: 'cancelled' })).statusCode, 202);
    assert.equal(await search(), 0);
  });
});
