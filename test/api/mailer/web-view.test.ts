import assert from 'node:assert/strict';
import { readContent } from '../../../core/sending/content.ts';
import { akid, readAkid } from '../../../domain/akid.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { erase } from '../../support/erasing.ts';
import { idIn, makeReady } from '../../support/mailings.ts';
import { merge } from '../../support/merging.ts';
import { insertPeople } from '../../support/people.ts';
import { become } from '../../support/sending.ts';

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

  it('is there soon, whatever a stranger said of themselves', async () => {
    const uri = await makeReady(api, { html: '<p>Hi</p>', text: 'Dear {{ user.fields.about }}', web_viewable: true });
    await api.call('PATCH', '/rest/v1/user/3/', { fields: { about: 'x@x.com,'.repeat(8000) } });
    const { content } = await readContent(api.pool, idIn(uri), 'x@example.org');
    await api.pool.query('insert into send_run (mailing_id, content) values ($1, $2)', [
      idIn(uri),
      JSON.stringify({ content, lists: null }),
    ]);
    await become(api.pool, idIn(uri), [{ position: 3, state: 2 }]);
    const began = performance.now();
    const seen = await api.call('GET', `/view/${akid(api.env.SECRET_KEY, idIn(uri), 3)}`, undefined, { authorization: '' });
    assert.equal(seen.statusCode, 200, seen.body);
    assert.ok(performance.now() - began < 3000, `${Math.round(performance.now() - began)} ms`);
  });

  it('has the time at which it was sent as its now', async () => {
    const uri = await makeReady(api, { html: '<p>{% now "j F Y" %}, until {{ now|date_add:2|date:"j F" }}</p>', web_viewable: true });
    const mailing = idIn(uri);
    const { content } = await readContent(api.pool, mailing, 'x@example.org');
    await api.pool.query('insert into send_run (mailing_id, content) values ($1, $2)', [mailing, JSON.stringify({ content, lists: null })]);
    await become(api.pool, mailing, [
      { position: 1, state: 2, at: new Date('2025-03-04T05:06:07Z') },
      { position: 2, state: 5, at: new Date('2025-03-05T05:06:07Z') },
    ]);
    const view = async (userId: number) =>
      (await api.call('GET', `/view/${akid(api.env.SECRET_KEY, mailing, userId)}`, undefined, { authorization: '' })).body;
    assert.match(await view(1), /<p>4 March 2025, until 6 March<\/p>/);
    assert.match(await view(2), /<p>5 March 2025, until 7 March<\/p>/);
  });

  it('is that of whoever its person has become, and nobody’s once they are erased', async () => {
    await insertPeople(
      api.pool,
      [11, 12].map((id) => ({ id, email: `p${id}@example.org`, state: 'CA', lists: [1] })),
    );
    const mailing = idIn(await makeReady(api, { html: '<p>Hi {{ user.email }}</p>', web_viewable: true }));
    const { content } = await readContent(api.pool, mailing, 'x@example.org');
    await api.pool.query('insert into send_run (mailing_id, content) values ($1, $2)', [mailing, JSON.stringify({ content, lists: null })]);
    const { rows } = await api.pool.query('select position from send_record where mailing_id = $1 and user_id = 11', [mailing]);
    await become(api.pool, mailing, [{ position: rows[0].position, state: 2 }]);
    const view = (userId: number) =>
      api.call('GET', `/view/${akid(api.env.SECRET_KEY, mailing, userId)}`, undefined, { authorization: '' });
    assert.ok((await view(11)).body.includes('Hi p11@example.org'));
    await merge(api.pool, 12, [11]);
    assert.ok((await view(11)).body.includes('Hi p12@example.org'));
    await erase(api.pool, 12);
    for (const id of [11, 12]) assert.equal((await view(id)).statusCode, 404);
  });

  it('shows the mail as it was sent, to whom it was sent, and nobody else', async () => {
    const uri = await makeReady(api, { html: '<p>Hi {{ user.state }} <a href="{{ view_link }}">web</a></p>', web_viewable: true });
    const mailing = idIn(uri);
    const { content } = await readContent(api.pool, mailing, 'x@example.org');
    await api.pool.query('insert into send_run (mailing_id, content) values ($1, $2)', [mailing, JSON.stringify({ content, lists: null })]);
    await become(api.pool, mailing, [{ position: 1, state: 2 }]);
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
    // Knowing the address is not having the mail.
    await api.create('signuppage', { name: 'join' });
    const act = async (body: object) =>
      (await api.call('POST', '/rest/v1/action/', { page: 'join', ...body }, { authorization: '' })).json() as {
        akid: string;
        action_id: number;
      };
    const answered = await act({ email: 'p1@example.org', mailing_id: mailing });
    assert.match(answered.akid, new RegExp(`^${mailing}\\.1\\.[\\w-]{6}$`), 'it has the shape clients read');
    const anonymously = (method: string, url: string) => api.call(method, url, undefined, { authorization: '' });
    assert.equal((await anonymously('GET', `/view/${answered.akid}`)).statusCode, 404);
    assert.equal((await anonymously('POST', `/unsubscribe/?akid=${answered.akid}`)).statusCode, 400);
    await anonymously('GET', `/open/${answered.akid}.gif`);
    const shown = await api.read(`/rest/v1/action/${answered.action_id}/`);
    assert.equal(readAkid(api.env.SECRET_KEY, shown.akid), null, 'nor is it told to accounts that may read actions alone');
    const later = await api.read(`/rest/v1/action/${(await act({ akid: answered.akid })).action_id}/`);
    assert.deepEqual([later.user, later.mailing], ['/rest/v1/user/1/', null], 'it names the person, and is not the mailing’s doing');
    const forwarded = await api.read(
      `/rest/v1/action/${(await act({ email: 'p3@example.org', referring_akid: answered.akid })).action_id}/`,
    );
    assert.deepEqual([forwarded.referring_user, forwarded.referring_mailing], ['/rest/v1/user/1/', null]);
    const mine = akid(api.env.SECRET_KEY, mailing, 1);
    assert.equal((await act({ akid: mine })).akid, mine, 'who has the mail’s own is told it again');
    assert.notEqual((await act({ akid: mine, email: 'p3@example.org' })).akid.split('.')[1], '1');
    assert.equal(readAkid(api.env.SECRET_KEY, (await act({ akid: mine, email: 'p3@example.org', mailing_id: mailing })).akid), null);

    const forged = await api.call('GET', `/view/${mailing}.1.AAAAAA`, undefined, { authorization: '' });
    assert.equal(forged.statusCode, 404);
    await api.pool.query('update core_mailing set web_viewable = false where id = $1', [mailing]);
    assert.equal((await view(1)).statusCode, 404);
  });
});
