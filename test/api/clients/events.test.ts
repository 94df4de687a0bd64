import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';

const FORM = { authorization: '', 'content-type': 'application/x-www-form-urlencoded' };

describe('an event campaign', () => {
  let api: TestApi;
  let campaign: string;
  let eventId: number;
  const act = (form: string) => api.call('POST', '/rest/v1/action/', form, FORM);

  before(async () => {
    api = await startApi();
    campaign = await api.create('eventcampaign', { name: 'canvass', title: 'Canvass' });
    await api.create('eventcreatepage', { name: 'canvass-create', campaign });
    await api.create('eventsignuppage', { name: 'canvass-signup', campaign });
  });
  after(() => api.close());

  it('is the campaign mailings target by, and has pages of its own', async () => {
    const same = campaign.replace('eventcampaign', 'campaign');
    assert.equal((await api.read(same)).title, 'Canvass');
    for (const type of ['eventcreate', 'eventsignup']) {
      const { objects } = await api.read(`/rest/v1/${type}page/?campaign=${/(\d+)\/$/.exec(campaign)![1]}`);
      assert.deepEqual([objects.length, objects[0].type, objects[0].campaign], [1, type, same]);
      for (const named of [`campaign=${campaign}`, `campaign=${same}`, `campaign__in=${same}`]) {
        assert.equal((await api.read(`/rest/v1/${type}page/?${named}`)).meta.total_count, 1, named);
      }
      assert.equal((await api.call('POST', `/rest/v1/${type}page/`, { name: `${type}-none` })).statusCode, 400);
    }
  });

  it('creates an event by an action, hosted by who acted', async () => {
    const done = await act(
      'page=canvass-create&email=host%40example.org&event_title=Doors&event_zip=12207&event_starts_at=2030-05-01T18%3A00%3A00&event_max_attendees=1',
    );
    assert.equal(done.statusCode, 201, done.body);
    const uri = String(done.headers.location).slice(api.env.BASE_URL.length);
    const action = await api.read(uri);
    assert.equal(action.type, 'EventCreate');
    const event = await api.read(action.event);
    eventId = event.id;
    assert.deepEqual(
      [event.title, event.starts_at, event.starts_at_utc, event.ends_at_utc, event.max_attendees, Math.round(event.latitude), event.action],
      ['Doors', '2030-05-01T18:00:00', '2030-05-01T18:00:00', null, 1, 43, uri.replace('eventcreateaction', 'action')],
    );
    const { objects } = await api.read(`/rest/v1/eventsignup/?event=${eventId}`);
    assert.deepEqual(
      objects.map((each: { role: string }) => each.role),
      ['host'],
    );
    for (const wrong of ['event_starts_at=soon', 'event_max_attendees=many']) {
      const answer = await act(`page=canvass-create&email=host%40example.org&${wrong}`);
      assert.deepEqual([answer.statusCode, Object.keys(answer.json().errors)], [400, [wrong.split('=')[0]]]);
    }
  });

  it('lists its events and finds them', async () => {
    const id = /(\d+)\/$/.exec(campaign)![1];
    // By the name it is found by, too.
    await api.create('event', { campaign_id: Number(id), title: 'Secret', is_private: '1' });
    assert.deepEqual((await api.call('POST', '/rest/v1/event/', { title: 'Nowhere' })).json(), {
      event: { campaign: ['This field is required.'] },
    });
    const titles = async (path: string) => (await api.read(path)).objects.map(({ title }: { title: string }) => title).sort();
    assert.deepEqual(await titles(`/rest/v1/event/?campaign_id=${id}`), ['Doors', 'Secret']);
    assert.deepEqual(await titles((await api.read(campaign)).event_search), ['Doors']);
    assert.deepEqual(await titles(`/rest/v1/campaign/${id}/event_search/?zip=99999`), []);
    assert.equal((await api.call('GET', '/rest/v1/campaign/999/event_search/')).statusCode, 404);
  });

  it('finds them by filters as the public platform names them, too', async () => {
    const id = /(\d+)\/$/.exec(campaign)![1];
    await api.create('event', { campaign, title: 'In Honolulu', zip: '96813' });
    const search = `/rest/v1/campaign/${id}/event_search/?order_by=-id`;
    const titles = async (query: string) => (await api.read(`${search}&${query}`)).objects.map(({ title }: { title: string }) => title);
    assert.deepEqual(await titles('filter[zip]=96813'), ['In Honolulu']);
    assert.deepEqual(await titles('filter[zip__startswith]=96&zip=96813'), ['In Honolulu']);
    const { meta } = await api.read(`${search}&filter[zip__in]=12207,96813&limit=1`);
    assert.deepEqual([meta.total_count, await titles(meta.next.split('?')[1])], [2, ['Doors']]);
    for (const [wrong, field] of [
      ['filter[nothing]=1', 'nothing'],
      ['filter[zip]=1&zip=2', 'zip'],
      ['filter[]=1', 'filter[]'],
      ['filter[__proto__]=1', '__proto__'],
      ['exclude[]=1', 'exclude[]'],
      ['exclude[nothing]=1', 'exclude[nothing]'],
      ['exclude[order_by]=id', 'exclude[order_by]'],
      ['exclude[starts_at__gt]=soon', 'exclude[starts_at__gt]'],
      ['exclude[title]=1&exclude[title]=2', 'exclude[title]'],
      ['exclude[field__name]=1&exclude[field__name]=2', 'exclude[field__name]'],
    ]) {
      const answer = await api.call('GET', `${search}&${wrong}`);
      assert.deepEqual([answer.statusCode, Object.keys(answer.json().errors)], [400, [field]], wrong);
    }
  });

  it('finds its events near a place', async () => {
    const id = /(\d+)\/$/.exec(campaign)![1];
    await api.create('event', { campaign, title: 'In Buffalo', zip: '14201' });
    const search = `/rest/v1/campaign/${id}/event_search/`;
    const titles = async (query: string) =>
      (await api.read(`${search}?order_by=id&${query}`)).objects.map(({ title }: { title: string }) => title);
    assert.deepEqual(await titles('place=12207&radius=10'), ['Doors']);
    assert.deepEqual(await titles('place=12207'), ['Doors']);
    assert.deepEqual(await titles('place=Albany%2C+NY&radius=400'), ['Doors', 'In Buffalo']);
    assert.deepEqual(await titles('place=94105&radius=50'), []);
    assert.deepEqual(await titles('place=Buffalo+NY&radius=20&zip=14201'), ['In Buffalo']);
    const { meta } = await api.read(`${search}?place=12207&radius=400&limit=1`);
    assert.deepEqual((await api.read(meta.next)).objects[0].title, 'In Buffalo', 'the next page keeps the place');
    for (const [wrong, field] of [
      ['place=Nowhere', 'place'],
      ['place=00000', 'place'],
      ['place=12207&radius=x', 'radius'],
      ['place=12207&radius=0', 'radius'],
      ['radius=5', 'place'],
      ['place=12207&place=12208', 'place'],
    ]) {
      const answer = await api.call('GET', `${search}?${wrong}`);
      assert.deepEqual([answer.statusCode, Object.keys(answer.json().errors)], [400, [field]], wrong);
    }
  });

  it('finds those in the middle of New York near New York', async () => {
    const id = /(\d+)\/$/.exec(campaign)![1];
    await api.create('event', { campaign, title: 'In Manhattan', zip: '10001' });
    const near = await api.read(`/rest/v1/campaign/${id}/event_search/?place=New+York%2C+NY&radius=5`);
    assert.deepEqual(
      near.objects.map(({ title }: { title: string }) => title),
      ['In Manhattan'],
    );
  });

  it('knows cities by the names people write', async () => {
    const id = /(\d+)\/$/.exec(campaign)![1];
    await api.create('event', { campaign, title: 'At the arch', zip: '63102' });
    for (const place of ['Saint Louis, MO', 'St. Louis, MO', 'st louis mo']) {
      const near = await api.read(`/rest/v1/campaign/${id}/event_search/?place=${encodeURIComponent(place)}&radius=20`);
      assert.deepEqual(
        near.objects.map(({ title }: { title: string }) => title),
        ['At the arch'],
        place,
      );
    }
  });

  it('signs people up by an action, as many as there is room for', async () => {
    const done = await act(`page=canvass-signup&email=guest%40example.org&event_id=${eventId}`);
    assert.equal(done.statusCode, 201, done.body);
    const action = await api.read(String(done.headers.location).slice(api.env.BASE_URL.length));
    assert.deepEqual([action.type, action.event], ['EventSignup', `/rest/v1/event/${eventId}/`]);
    // By this name a client reads it, as in a recorded answer.
    assert.equal(action.signup, action.eventsignup);
    const signup = await api.read(action.eventsignup);
    assert.deepEqual([signup.role, signup.status, signup.user], ['attendee', 'active', action.user]);
    assert.equal(
      (await act(`page=canvass-signup&email=guest%40example.org&event_id=/rest/v1/event/${eventId}/`)).statusCode,
      201,
      'once more is no second place',
    );
    for (const wrong of [`event_id=${eventId}`, `event_id=/rest/v1/user/${eventId}/`, 'event_id=987654', 'event_id=x', '']) {
      const answer = await act(`page=canvass-signup&email=late%40example.org&${wrong}`);
      assert.deepEqual([answer.statusCode, Object.keys(answer.json().errors)], [400, ['event_id']], wrong);
    }
    assert.equal((await api.read('/rest/v1/user/?email=late@example.org')).meta.total_count, 0, 'nothing half-done');
    const made = await api.call('POST', '/rest/v1/eventsignup/', { event: `/rest/v1/event/${eventId}/`, user: action.user, role: 'host' });
    assert.equal(made.statusCode, 201, made.body);
  });

  it('says who comes already, whatever part of the key was sent', async () => {
    const event = await api.create('event', { campaign, title: 'Keyed' });
    const user = await api.create('user', { email: 'keyed@example.org' });
    const attending = await api.create('eventsignup', { event, user });
    const hosting = await api.create('eventsignup', { event, user, role: 'host' });
    const again = await api.call('POST', '/rest/v1/eventsignup/', { event, user });
    const moved = await api.call('PATCH', hosting, { role: 'attendee' });
    for (const { statusCode, headers } of [again, moved]) {
      assert.deepEqual([statusCode, headers.location], [409, api.env.BASE_URL + attending]);
    }
  });

  it('keeps the page of events a signup was made on, named by its type', async () => {
    const user = await api.create('user', { email: 'paged@example.org' });
    const signuppage = await api.create('signuppage', { name: 'no-events' });
    const eventsignuppage = await api.create('eventsignuppage', { name: 'paged-signup', campaign });
    const event = `/rest/v1/event/${eventId}/`;
    const signup = await api.create('eventsignup', { event, user, role: 'host', page: eventsignuppage });
    const shown = await api.read(signup);
    assert.equal(shown.page, eventsignuppage);
    assert.equal((await api.call('PUT', signup, shown)).statusCode, 202);
    assert.deepEqual(await api.read(signup), { ...shown, updated_at: (await api.read(signup)).updated_at });
    const id = Number(eventsignuppage.split('/')[4]);
    for (const page of [id, `/rest/v1/page/${id}/`, `/rest/v1/petitionpage/${id}/`]) {
      assert.equal((await api.call('PATCH', signup, { page })).statusCode, 202);
      assert.equal((await api.read(signup)).page, eventsignuppage);
    }
    assert.equal((await api.read(`/rest/v1/eventsignup/?page=${eventsignuppage}`)).meta.total_count, 1);
    const answer = await api.call('PATCH', signup, { page: signuppage });
    assert.deepEqual([answer.statusCode, Object.keys(answer.json().eventsignup)], [400, ['page']]);
    assert.equal((await api.call('PATCH', signup, { page: null })).statusCode, 202);
    assert.equal((await api.read(signup)).page, null);
  });

  it('leaves its pages behind without one, which are changed as they were read all the same', async () => {
    const gone = await api.create('eventcampaign', { name: 'gone' });
    const pages = [
      await api.create('eventcreatepage', { name: 'gone-create', campaign: gone }),
      await api.create('eventsignuppage', { name: 'gone-signup', campaign: gone }),
    ];
    assert.equal((await api.call('DELETE', gone)).statusCode, 204);
    for (const page of pages) {
      const left = await api.read(page);
      assert.equal(left.campaign, null);
      for (const method of ['PATCH', 'PUT']) {
        const answer = await api.call(method, page, { ...left, title: `by ${method}` });
        assert.equal(answer.statusCode, 202, answer.body);
      }
      assert.equal((await api.call('PATCH', page, { campaign })).statusCode, 202);
      assert.equal((await api.call('PATCH', page, { campaign: null })).statusCode, 202, 'as if it were not sent');
      assert.equal((await api.read(page)).campaign, campaign.replace('eventcampaign', 'campaign'));
    }
    const none = await api.call('POST', '/rest/v1/eventcreatepage/', { name: 'none', campaign: null });
    assert.deepEqual([none.statusCode, none.json()], [400, { eventcreatepage: { campaign: ['This field is required.'] } }]);
  });
});
