import { deepEqual, equal } from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';
import { idIn } from '../support/mailings.ts';

describe('an action by which somebody signed up for an event', () => {
  let api: TestApi;
  let campaign: string;
  before(async () => {
    api = await startApi();
    campaign = await api.create('campaign', { name: 'canvass' });
    await api.create('eventsignuppage', { name: 'come', campaign });
    await api.create('eventcreatepage', { name: 'make', campaign });
  });
  after(() => api.close());

  const event = (more: object = {}) => api.create('event', { campaign, ...more });
  const signUp = (email: string, uri: string) => api.call('POST', '/rest/v1/action/', { page: 'come', email, event_id: idIn(uri) });
  const path = (location: unknown) => String(location).slice(api.env.BASE_URL.length);
  const signedUp = async (email: string, uri: string): Promise<string> => {
    const answer = await signUp(email, uri);
    equal(answer.statusCode, 201, answer.body);
    return path(answer.headers.location);
  };
  const coming = async (uri: string): Promise<number> => (await api.read(`/rest/v1/eventsignup/?event=${idIn(uri)}`)).meta.total_count;
  const remove = async (uri: string) => equal((await api.call('DELETE', uri)).statusCode, 204);

  it('leaves the place to others when it is deleted', async () => {
    const uri = await event({ max_attendees: 1 });
    const action = await signedUp('spam@example.org', uri);
    equal((await signUp('ann@example.org', uri)).statusCode, 400);
    await remove(action);
    equal(await coming(uri), 0);
    await signedUp('ann@example.org', uri);
    equal(await coming(uri), 1);
  });

  it('takes back nothing but that', async () => {
    const [one, other] = [await event(), await event()];
    const first = await signedUp('bob@example.org', one);
    await signedUp('bob@example.org', other);
    await signedUp('cat@example.org', one);
    await api.create('eventsignup', { event: one, user: await api.create('user', { email: 'dan@example.org' }) });
    await remove(first);
    deepEqual([await coming(one), await coming(other)], [2, 1]);
  });

  it('keeps who has signed up by another one, too', async () => {
    const uri = await event();
    const actions = [await signedUp('eve@example.org', uri), await signedUp('eve@example.org', uri)];
    await remove(actions[1]!);
    equal(await coming(uri), 1);
    const again = await event();
    const [first] = [await signedUp('fay@example.org', again), await signedUp('fay@example.org', again)];
    await remove(first);
    equal(await coming(again), 1);
  });

  for (const [how, all] of [
    [
      'one after the other',
      async (uris: string[]) => {
        for (const uri of uris) await remove(uri);
      },
    ],
    [
      'at once',
      async (uris: string[]) => {
        await Promise.all(uris.map(remove));
      },
    ],
  ] as const) {
    it(`and nobody once all are gone, in whatever order, ${how}`, async () => {
      const uri = await event({ max_attendees: 1 });
      for (const order of [
        [0, 1, 2],
        [2, 1, 0],
        [1, 2, 0],
        [2, 0, 1],
      ]) {
        const actions: string[] = [];
        for (let n = 0; n < 3; n++) actions.push(await signedUp('gus@example.org', uri));
        await all(order.map((n) => actions[n]!));
        equal(await coming(uri), 0, `${order}`);
      }
      await signedUp('hal@example.org', uri);
    });
  }

  it('and goes with its page, which leaves the places to others, but for who came by another page, too', async () => {
    const other = await api.create('eventsignuppage', { name: 'come-too', campaign });
    const by = (page: string, email: string, uri: string) => api.call('POST', '/rest/v1/action/', { page, email, event_id: idIn(uri) });
    const [uri, next] = [await event({ max_attendees: 2 }), await event()];
    const stays = await signedUp('ida@example.org', uri);
    for (const email of ['ida@example.org', 'jon@example.org']) equal((await by('come-too', email, uri)).statusCode, 201);
    for (let n = 0; n < 2; n++) equal((await by('come-too', 'kim@example.org', next)).statusCode, 201);
    equal((await signUp('lee@example.org', uri)).statusCode, 400);
    await remove(other);
    deepEqual([await coming(uri), await coming(next)], [1, 0]);
    await signedUp('lee@example.org', uri);
    // By what they did last on a page that is there.
    await remove(stays);
    equal(await coming(uri), 1);
  });

  it('and one by which an event was made leaves that, and who hosts it', async () => {
    const made = await api.call('POST', '/rest/v1/action/', { page: 'make', email: 'host@example.org', event_title: 'Doors' });
    const uri = path(made.headers.location);
    const { event: hosted } = await api.read(uri);
    await remove(uri);
    equal((await api.read(hosted)).title, 'Doors');
    equal(await coming(hosted), 1);
  });
});
