import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';

describe('pages as clients send them', () => {
  let api: TestApi;
  const names = async (query: string) =>
    (await api.read(`/rest/v1/page/?order_by=name&${query}`)).objects.map(({ name }: { name: string }) => name);

  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('take null for what they have nothing to say about', async () => {
    const list = await api.create('list', { name: 'News' });
    const nothing = { tags: null, fields: null, required_fields: null, list: null };
    const bare = await api.create('petitionpage', { name: 'bare', ...nothing });
    const { tags, fields, required_fields: required } = await api.read(bare);
    assert.deepEqual([tags, fields, required], [[], {}, []]);
    const tag = await api.create('tag', { name: 'a' });
    const full = await api.create('petitionpage', { name: 'full', tags: [tag], fields: { a: '1' }, required_fields: ['zip'], list });
    const before = await api.read(full);
    assert.equal((await api.call('PUT', full, { title: 'New', ...nothing })).statusCode, 202);
    const after = await api.read(full);
    assert.deepEqual(
      [after.title, after.tags, after.fields, after.required_fields, after.list],
      ['New', before.tags, { a: '1' }, ['zip'], list],
    );
    assert.equal((await api.call('PATCH', full, { list: null })).statusCode, 202);
    assert.equal((await api.read(full)).list, null, 'that is how it is taken away');
  });

  it('keep the custom fields that a change does not name, and lose those it says null of', async () => {
    const uri = await api.create('signuppage', { name: 'campaign', fields: { campaign_type: 'core', topic: ['a', 'b'] } });
    const id = Number(uri.split('/').at(-2));
    for (const [method, path, fields, held] of [
      ['PATCH', uri, { campaign: id }, { campaign_type: 'core', topic: ['a', 'b'], campaign: id }],
      ['PUT', `/rest/v1/page/${id}/`, { topic: null, campaign_type: '' }, { campaign_type: '', campaign: id }],
      ['PATCH', uri, {}, { campaign_type: '', campaign: id }],
      ['PATCH', uri, null, { campaign_type: '', campaign: id }],
    ] as const) {
      assert.equal((await api.call(method, path, { title: 'Changed', fields })).statusCode, 202);
      assert.deepEqual((await api.read(uri)).fields, held);
    }
    const many = (from: number) => Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`field${from + n}`, '1']));
    assert.equal((await api.call('PATCH', uri, { fields: many(0) })).statusCode, 202);
    for (const fields of [many(600), { long: 'x'.repeat(999_000) }]) {
      const refused = await api.call('PATCH', uri, { fields });
      assert.deepEqual([refused.statusCode, Object.keys(refused.json().signuppage)], [400, ['fields']]);
    }
    assert.equal(Object.keys((await api.read(uri)).fields).length, 602);
  });

  it('take tags and required fields as the objects the public platform shows them as', async () => {
    const tag = await api.create('tag', { name: 'shown' });
    const objects = {
      tags: [{ name: 'shown', resource_uri: tag }],
      required_fields: [{ id: 2, name: 'zip', resource_uri: '/rest/v1/formfield/2/' }, 'city'],
    };
    const uri = await api.create('petitionpage', { name: 'of-objects', ...objects });
    assert.equal((await api.call('PUT', uri, objects)).statusCode, 202);
    const page = await api.read(uri);
    assert.deepEqual([page.tags, page.required_fields], [[tag], ['zip', 'city']]);
    for (const wrong of [{ tags: [{ name: 'shown' }] }, { required_fields: [{ id: 2 }] }]) {
      const answer = await api.call('PATCH', uri, wrong);
      assert.deepEqual([answer.statusCode, Object.keys(answer.json().page ?? answer.json().petitionpage)], [400, Object.keys(wrong)]);
    }
  });

  it('are listed under their typed URIs, which are changed as well as read', async () => {
    const uri = await api.create('signuppage', { name: 'typed' });
    const id = /(\d+)\/$/.exec(uri)![1];
    assert.equal((await api.read(`/rest/v1/page/?id=${id}`)).objects[0].resource_uri, uri);
    assert.equal((await api.read(`/rest/v1/page/${id}/`)).resource_uri, uri);
    for (const either of [uri, `/rest/v1/page/${id}/`]) {
      assert.equal((await api.call('PATCH', either, { title: either })).statusCode, 202);
      assert.equal((await api.read(uri)).title, either);
    }
  });

  it('are found by type, however it is written, and by tag', async () => {
    const tag = await api.create('tag', { name: 'water' });
    await api.create('importpage', { name: 'import-1', tags: [tag] });
    for (const query of ['type=Import', 'type=import', 'tags__name=water', `tags=${/(\d+)\/$/.exec(tag)![1]}`]) {
      assert.deepEqual(await names(query), ['import-1'], query);
    }
  });

  it('are named by the URI of whatever type: parsons says eventsignuppage of any page', async () => {
    const uri = await api.create('signuppage', { name: 'of-one-type' });
    const page = uri.replace('signup', 'eventsignup');
    assert.equal((await api.call('GET', page)).statusCode, 404);
    assert.equal((await api.call('POST', '/rest/v1/pagefollowup/', { page, url: 'https://example.org/thanks' })).statusCode, 201);
    assert.equal((await api.read(uri)).followup.url, 'https://example.org/thanks');
  });
});
