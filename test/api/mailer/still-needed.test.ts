import { deepEqual, equal } from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';
import { idIn } from '../../support/mailings.ts';

describe('what a mailing that is still to go out needs', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  async function mailing(status: string, more: object): Promise<number> {
    const id = idIn(await api.create('mailer', { subjects: ['Hello'], html: '<p>Hello</p>', ...more }));
    await api.pool.query('update core_mailing set status = $2 where id = $1', [id, status]);
    return id;
  }
  const over = (id: number) => api.pool.query(`update core_mailing set status = 'completed' where id = $1`, [id]);
  const remove = async (uri: string) => {
    const { statusCode, body } = await api.call('DELETE', uri);
    return [statusCode, body];
  };
  const refused = (resource: string, said: string, field = 'id') => [400, JSON.stringify({ [resource]: { [field]: [said] } })];

  const KINDS: [string, object, (uri: string) => object, string][] = [
    ['fromline', { from_line: '"Ann" <ann@example.org>' }, (fromline) => ({ fromline }), 'goes out from this from line.'],
    ['language', { name: 'French', iso_code: 'fr' }, (lang) => ({ lang }), 'goes out in this language.'],
    ['signuppage', { name: 'land' }, (landing_page) => ({ landing_page }), 'has this page as its landing page.'],
    ['snippet', { name: 'foot', html: '<p>Foot</p>' }, () => ({ html: '{% include "foot" %}' }), 'includes this snippet.'],
  ];
  for (const [resource, body, use, said] of KINDS)
    it(`is not deleted: a ${resource}, without which it would die at its time, or go out otherwise`, async () => {
      const uri = await api.create(resource, body);
      for (const status of ['scheduled', 'queued', 'rebuilding_at_send', 'sending', 'recurring']) {
        const id = await mailing(status, use(uri));
        deepEqual(await remove(uri), refused(resource, `Mailing ${id} ${said}`), status);
        await over(id);
      }
      const draft = await mailing('draft', use(uri));
      deepEqual(await remove(uri), [204, '']);
      equal((await api.read(`/rest/v1/mailer/${draft}/`)).status, 'draft');
    });

  it('a page is kept under each of its names', async () => {
    const uri = await api.create('petitionpage', { name: 'sign' });
    const id = await mailing('scheduled', { landing_page: uri });
    deepEqual(await remove(`/rest/v1/page/${idIn(uri)}/`), refused('page', `Mailing ${id} has this page as its landing page.`));
  });

  it('a from line goes where the mailing has one of its own', async () => {
    const fromline = await api.create('fromline', { from_line: '"Bob" <bob@example.org>' });
    await mailing('scheduled', { fromline, custom_fromline: '"Own" <own@example.org>' });
    deepEqual(await remove(fromline), [204, '']);
  });

  it('a snippet is kept that another one includes, or the wrapper, and has no other name until it is sent', async () => {
    const inner = await api.create('snippet', { name: 'inner', html: 'in' });
    await api.create('snippet', { name: 'outer', html: '{% include "inner" %}' });
    const emailwrapper = await api.create('emailwrapper', { name: 'W', template: '{% include "outer" %}{{ content }}' });
    const id = await mailing('scheduled', { emailwrapper });
    const said = `Mailing ${id} includes this snippet.`;
    deepEqual(await remove(inner), refused('snippet', said));
    const rename = async (name: string) => {
      const { statusCode, body } = await api.call('PATCH', inner, { name, html: 'changed' });
      return [statusCode, body];
    };
    deepEqual(await rename('other'), refused('snippet', said, 'name'));
    deepEqual(await rename('inner'), [202, '']);
    await over(id);
    deepEqual(await rename('other'), [202, '']);
  });
});
