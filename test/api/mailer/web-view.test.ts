import assert from 'node:assert/strict';
import { akid } from '../../../domain/akid.ts';
import { readContent } from '../../../mail/content.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { idIn, makeReady } from '../../support/mailings.ts';
import { insertPeople } from '../../support/people.ts';

describe('a mail on the web', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.create('list', { name: 'News' });
    await insertPeople(
      api.pool,
      [1, 2, 3].map((id) => ({ id, email: `p${id}@example.org`, state: id === 1 ? 'NY' : 'CA', lists: [1] })),
    );
  });
  after(() => api.close());

  it('shows the mail as it was sent, to whom it was sent, and nobody else', async () => {
    const uri = await makeReady(api, { html: '<p>Hi {{ user.state }} <a href="{{ view_link }}">web</a></p>', web_viewable: true });
    const mailing = idIn(uri);
    const { content } = await readContent(api.pool, mailing, 'x@example.org');
    await api.pool.query('insert into send_run (mailing_id, content) values ($1, $2)', [mailing, JSON.stringify({ content, lists: null })]);
    await api.pool.query('update send_ledger set state = case user_id when 1 then 2 else 0 end where mailing_id = $1', [mailing]);
    const view = (userId: number, id: number | null = mailing) =>
      api.call('GET', `/view/${akid(api.env.SECRET_KEY, id, userId)}`, undefined, { authorization: '' });
    const seen = await view(1);
    assert.equal(seen.statusCode, 200, seen.body);
    assert.match(String(seen.headers['content-type']), /^text\/html/);
    assert.match(String(seen.headers['content-security-policy']), /default-src 'none'/);
    assert.ok(
      seen.body.includes(`<p>Hi NY <a href="http://platform.test/view/${akid(api.env.SECRET_KEY, mailing, 1)}">web</a></p>`),
      seen.body,
    );
    await api.pool.query(`update core_mailing set html = 'changed' where id = $1`, [mailing]);
    assert.equal((await view(1)).body, seen.body);
    for (const other of [await view(2), await view(99), await view(1, null), await view(1, 999)]) assert.equal(other.statusCode, 404);
    const forged = await api.call('GET', `/view/${mailing}.1.AAAAAA`, undefined, { authorization: '' });
    assert.equal(forged.statusCode, 404);
    await api.pool.query('update core_mailing set web_viewable = false where id = $1', [mailing]);
    assert.equal((await view(1)).statusCode, 404);
  });
});
