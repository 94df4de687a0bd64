import assert from 'node:assert/strict';
import { basic, startApi, type TestApi } from '../../support/api.ts';

/** As Parsons and MoveOn's python-actionkit keep what they know of an event. */
describe('one custom field of an event', () => {
  let api: TestApi;
  let event: string;
  let other: string;
  before(async () => {
    api = await startApi();
    const campaign = await api.create('campaign', { name: 'fields' });
    event = await api.create('event', { campaign, title: 'One', fields: { places: 5, days: ['Mon', 'Tue'] } });
    other = await api.create('event', { campaign, title: 'Other' });
  });
  after(() => api.close());

  const fields = async (of = event) => (await api.read(of)).fields;
  const found = async (query: string) => {
    const { objects } = await api.read(`/rest/v1/eventfield/?${query}&order_by=name`);
    return objects.map(({ name, value }: { name: string; value: string }) => [name, value]);
  };

  it('is made, found, changed and deleted, and stands among those of the event', async () => {
    const kind = await api.create('eventfield', { event, name: 'kind', value: 'canvass' });
    assert.deepEqual(await fields(), { places: 5, days: ['Mon', 'Tue'], kind: 'canvass' });
    const whole = await api.read(kind);
    assert.deepEqual([whole.event, whole.name, whole.value, whole.resource_uri], [event, 'kind', 'canvass', kind]);
    assert.deepEqual(await found(`parent=${event}`), [
      ['days', '["Mon", "Tue"]'],
      ['kind', 'canvass'],
      ['places', '5'],
    ]);
    assert.deepEqual(await found(`event=${event}&name=kind&value=canvass`), [['kind', 'canvass']]);
    assert.deepEqual(await found('value__in=phone,other'), []);
    assert.equal((await api.call('PUT', kind, { event, name: 'kind', value: 'phone' })).statusCode, 202);
    assert.equal((await api.call('PATCH', kind, { name: 'type' })).statusCode, 202);
    assert.deepEqual([await fields(), (await api.read(kind)).value], [{ places: 5, days: ['Mon', 'Tue'], type: 'phone' }, 'phone']);
    assert.equal((await api.call('PATCH', kind, { event: other })).statusCode, 202);
    assert.deepEqual([await fields(), await fields(other)], [{ places: 5, days: ['Mon', 'Tue'] }, { type: 'phone' }]);
    assert.equal((await api.call('DELETE', kind.slice(0, -1))).statusCode, 204);
    assert.deepEqual([await fields(other), (await api.call('GET', kind)).statusCode], [{}, 404]);
  });

  it('stays what it is in the event where it is sent back as it was read', async () => {
    const { campaign } = await api.read(event);
    const whole = { places: 5, days: ['Mon', 'Tue'], kind: 'canvass' };
    const held = await api.create('event', { campaign, title: 'Held', fields: whole });
    const { objects } = await api.read(`/rest/v1/eventfield/?event=${held}&order_by=name`);
    for (const each of objects) {
      assert.equal((await api.call('PUT', each.resource_uri, each)).statusCode, 202);
      assert.equal((await api.call('PATCH', each.resource_uri, { ...each, name: `${each.name}_too` })).statusCode, 202);
    }
    assert.deepEqual(await fields(held), { places_too: 5, days_too: ['Mon', 'Tue'], kind_too: 'canvass' });
    await api.call('PATCH', objects[2].resource_uri, { value: '6' });
    assert.equal((await fields(held)).places_too, '6');
  });

  it('is none where it is null', async () => {
    const { campaign } = await api.read(event);
    const held = await api.create('event', { campaign, title: 'Held', fields: { kind: null, size: 'L', note: '' } });
    assert.deepEqual(
      [await fields(held), await found(`event=${held}`)],
      [
        { size: 'L', note: '' },
        [
          ['note', ''],
          ['size', 'L'],
        ],
      ],
    );
    assert.equal((await api.call('PATCH', held, { fields: { size: null, kind: 'canvass' } })).statusCode, 202);
    assert.deepEqual([await fields(held), await found(`event=${held}`)], [{ kind: 'canvass' }, [['kind', 'canvass']]]);
  });

  it('keeps its number while the fields of the event are written together', async () => {
    const size = await api.create('eventfield', { event, name: 'size', value: 'M' });
    await api.call('PATCH', event, { fields: { size: 'L', colour: 'red' } });
    assert.deepEqual(
      [(await api.read(size)).value, await found(`event=${event}`)],
      [
        'L',
        [
          ['colour', 'red'],
          ['size', 'L'],
        ],
      ],
    );
    await api.call('PATCH', event, { fields: { colour: 'red' } });
    assert.equal((await api.call('GET', size)).statusCode, 404);
  });

  it('has its bounds, written together, too', async () => {
    const random = Buffer.from(Array.from({ length: 6_000 }, () => Math.random() * 256)).toString('base64');
    for (const body of [{ [random]: 1 }, Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`f${n}`, n]))])
      for (const [method, url] of [
        ['POST', '/rest/v1/event/'],
        ['PATCH', event],
      ] as const) {
        const campaign = (await api.read(event)).campaign;
        const answer = await api.call(method, url, { campaign, title: 'Bounds', fields: body });
        assert.deepEqual([answer.statusCode, Object.keys(answer.json().event)], [400, ['fields']], answer.body);
      }
    assert.equal((await api.call('POST', '/rest/v1/eventfield/', { event, name: random, value: 'x' })).statusCode, 400);
  });

  it('has its bounds with those that are there, also where it comes from another event', async () => {
    const { campaign } = await api.read(event);
    const add = (to: string, name: string, value: string) => api.call('POST', '/rest/v1/eventfield/', { event: to, name, value });
    const named = (many: number, value: string) => Object.fromEntries(Array.from({ length: many }, (_, n) => [`f${n}`, value]));
    const full = await api.create('event', { campaign, title: 'Full', fields: named(1_000, 'x') });
    const long = await api.create('event', { campaign, title: 'Long', fields: named(9, 'x'.repeat(100_000)) });
    const own = await api.create('eventfield', { event, name: 'own', value: 'y'.repeat(100_000) });
    const [first] = (await api.read(`/rest/v1/eventfield/?event=${long}&name=f0`)).objects;
    for (const [answer, field] of [
      [await add(full, 'more', 'x'), 'event'],
      [await api.call('PATCH', own, { event: full, value: 'x' }), 'event'],
      [await add(long, 'more', 'x'.repeat(100_000)), 'value'],
      [await api.call('PATCH', own, { event: long }), 'value'],
      [await add(event, '__proto__', 'x'), 'name'],
      [await api.call('PATCH', own, { name: '__proto__' }), 'name'],
    ] as const)
      assert.deepEqual([answer.statusCode, Object.keys(answer.json().eventfield)], [400, [field]], answer.body);
    assert.equal((await api.call('PATCH', first.resource_uri, { value: 'z'.repeat(100_000) })).statusCode, 202);
    assert.equal((await add(full, 'f0', 'x')).statusCode, 409);
    assert.deepEqual(
      [Object.keys(await fields(full)).length, (await fields(long)).f0[0], (await fields()).own.length],
      [1_000, 'z', 100_000],
    );
    assert.equal((await api.call('DELETE', own)).statusCode, 204);
  });

  it('has a name of its own', async () => {
    const held = await api.create('eventfield', { event, name: 'once', value: '1' });
    const moved = await api.create('eventfield', { event, name: 'twice', value: '2' });
    for (const again of [
      await api.call('POST', '/rest/v1/eventfield/', { event, name: 'once', value: '3' }),
      await api.call('PATCH', moved, { name: 'once' }),
    ]) {
      assert.deepEqual([again.statusCode, again.headers.location], [409, api.env.BASE_URL + held], again.body);
    }
    for (const body of [
      { event, name: 'none' },
      { event, value: 'x' },
      { name: 'x', value: 'x' },
      { event: '/rest/v1/event/999/', name: 'x', value: 'x' },
    ]) {
      assert.equal((await api.call('POST', '/rest/v1/eventfield/', body)).statusCode, 400);
    }
    assert.equal((await fields()).once, '1');
  });

  it('is what a campaign is searched by, with others', async () => {
    const campaign = await api.create('campaign', { name: 'searched' });
    for (const [title, kind] of [
      ['Doors', ['canvass', 'outdoors']],
      ['Calls', 'phone'],
      ['Bare', null],
    ] as const) {
      await api.create('event', { campaign, title, city: 'Albany', ...(kind && { fields: { kind, size: 5 } }) });
    }
    const titles = async (query: string) => {
      const { objects } = await api.read(`${campaign}event_search/?order_by=-id&${query}`);
      return objects.map(({ title }: { title: string }) => title);
    };
    assert.deepEqual(await titles('filter[field__name]=kind&filter[field__value]=outdoors'), ['Doors']);
    assert.deepEqual(await titles('filter[field__name]=kind'), ['Calls', 'Doors']);
    assert.deepEqual(await titles('field__value=5&filter[title]=Calls&filter[city]=Albany'), ['Calls']);
    assert.deepEqual(await titles('field__name=size&field__value=phone'), []);
    const { meta } = await api.read(`${campaign}event_search/?order_by=-id&filter[field__name]=kind&limit=1`);
    assert.deepEqual([meta.total_count, (await api.read(meta.next)).objects[0].title], [2, 'Doors']);
    assert.deepEqual(await titles('exclude[field__name]=kind&exclude[field__value]=outdoors'), ['Bare', 'Calls']);
    assert.deepEqual(await titles('exclude[field__name]=size&exclude[field__value]=phone'), ['Bare', 'Calls', 'Doors']);
    const twice = await api.call('GET', `${campaign}event_search/?field__name=a&field__name=b`);
    assert.deepEqual([twice.statusCode, Object.keys(twice.json().errors)], [400, ['field__name']]);
  });

  it('leaves out of a search what is excluded, for who may read it', async () => {
    const campaign = await api.create('campaign', { name: 'excluding' });
    const creator = await api.create('user', { email: 'host@example.org' });
    for (const [title, more] of Object.entries({ Doors: { creator, city: 'Albany' }, Calls: { creator, city: 'Troy' }, Bare: {} }))
      await api.create('event', { campaign, title, ...more });
    const search = `${campaign}event_search/?order_by=-id`;
    const titles = async (query: string) => (await api.read(`${search}&${query}`)).objects.map(({ title }: { title: string }) => title);
    assert.deepEqual(await titles('exclude[creator__email]=host@example.org'), ['Bare']);
    assert.deepEqual(await titles('exclude[creator__email]=host@example.org&exclude[city]=Troy'), ['Bare', 'Doors']);
    assert.deepEqual(await titles(`exclude[creator]=${creator}`), ['Bare'], 'one without a creator stays');
    assert.deepEqual(await titles('filter[city]=Albany&exclude[title__startswith]=D'), []);
    const { meta } = await api.read(`${search}&exclude[title__in]=Bare&_limit=1`);
    assert.deepEqual([meta.total_count, (await api.read(meta.next)).objects[0].title], [2, 'Doors']);
    const group = await api.create('authgroup', { name: 'events', grants: ['event:read'] });
    await api.create('authuser', { username: 'events', password: 'a-password', groups: [group] });
    const few = { authorization: basic({ username: 'events', password: 'a-password' }) };
    for (const [query, status] of [
      ['exclude[creator__email]=x', 403],
      ['exclude[title]=x', 200],
    ] as const)
      assert.equal((await api.call('GET', `${search}&${query}`, undefined, few)).statusCode, status, query);
  });
});
