import { deepEqual, equal } from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';
import { idIn } from '../../support/mailings.ts';

describe('a wrapper that is deleted', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  const wrapper = (name: string, more: object = {}) =>
    api.create('emailwrapper', { name, template: `<p>${name}</p>{{ content }}`, ...more });
  async function mailing(status: string, more: object = {}): Promise<number> {
    const id = idIn(await api.create('mailer', { subjects: ['Hello'], html: '<p>Hello</p>', ...more }));
    await api.pool.query('update core_mailing set status = $2 where id = $1', [id, status]);
    return id;
  }
  const remove = async (uri: string) => {
    const { statusCode, body } = await api.call('DELETE', uri);
    return [statusCode, body];
  };

  for (const status of ['scheduled', 'queued', 'rebuilding_at_send', 'sending', 'recurring'])
    it(`is kept while a mailing that is ${status} goes out in it, which would be sent without it and nobody told`, async () => {
      const uri = await wrapper(`Of one ${status}`);
      const id = await mailing(status, { emailwrapper: uri });
      deepEqual(await remove(uri), [400, JSON.stringify({ emailwrapper: { id: [`Mailing ${id} goes out in this wrapper.`] } })]);
      await api.pool.query(`update core_mailing set status = 'completed' where id = $1`, [id]);
      deepEqual(await remove(uri), [204, '']);
    });

  it('is kept, too, where it is that of mailings that name none', async () => {
    const [other, usual] = [await wrapper('Other'), await wrapper('Usual', { is_default: true })];
    const id = await mailing('scheduled');
    deepEqual(await remove(usual), [400, JSON.stringify({ emailwrapper: { id: [`Mailing ${id} goes out in this wrapper.`] } })]);
    deepEqual(await remove(other), [204, '']);
  });

  it('goes where drafts and mailings that are over name it alone', async () => {
    const uri = await wrapper('Of drafts');
    const ids = [await mailing('draft', { emailwrapper: uri }), await mailing('completed', { emailwrapper: uri })];
    equal((await remove(uri))[0], 204);
    for (const id of ids) equal((await api.read(`/rest/v1/mailer/${id}/`)).emailwrapper, null);
  });
});

describe('the default from line, and the default wrapper', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  const parts = [
    ['fromline', 'from_line', (name: string) => `"${name}" <${name}@example.org>`],
    ['emailwrapper', 'name', (name: string) => name],
  ] as const;
  for (const [resource, field, named] of parts)
    it(`is one ${resource}: making another the default takes that from the one that was`, async () => {
      const make = (name: string, more: object = {}) =>
        api.create(resource, { [field]: named(name), ...(resource === 'emailwrapper' && { template: '{{ content }}' }), ...more });
      const defaults = async () =>
        (await api.read(`/rest/v1/${resource}/?is_default=true`)).objects.map(({ resource_uri: uri }: { resource_uri: string }) => uri);
      const first = await make('first', { is_default: true });
      const second = await make('second', { is_default: true });
      deepEqual(await defaults(), [second]);
      equal((await api.call('PATCH', first, { is_default: true })).statusCode, 202);
      deepEqual(await defaults(), [first]);
      await make('third');
      equal((await api.call('PATCH', first, { is_default: true, [field]: named('renamed') })).statusCode, 202);
      deepEqual(await defaults(), [first]);
      // At the same moment, too.
      await Promise.all([
        make('fourth', { is_default: true }),
        make('fifth', { is_default: true }),
        api.call('PATCH', second, { is_default: true }),
      ]);
      equal((await defaults()).length, 1);
    });
});
