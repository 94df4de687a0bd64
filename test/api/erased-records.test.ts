import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { importUpload } from '../../core/people/import-upload.ts';
import { tryUpload } from '../../core/people/try-upload.ts';
import { sqlOn } from '../../db/sql.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { donation } from '../support/donations.ts';
import { erase } from '../support/erasing.ts';

describe('the record that is left of somebody erased', () => {
  let api: TestApi;
  let list: string;
  let user: string;
  /** The placeholder that stands for their address. */
  let email: string;

  before(async () => {
    api = await startApi();
    list = await api.create('list', { name: 'News' });
    await api.create('signuppage', { name: 'join', list });
    await api.create('donationpage', { name: 'give', list });
    user = await api.create('user', { email: 'gone@example.org' });
    await erase(api.pool, (await api.read(user)).id);
    ({ email } = await api.read(user));
  });
  after(() => api.close());

  const untouched = async () => {
    const { first_name, subscription_status } = await api.read(user);
    const { total_count } = (await api.read(`/rest/v1/subscription/?user=${user}`)).meta;
    assert.deepEqual([first_name, subscription_status, total_count], ['', 'never', 0]);
  };

  it('comes onto no list by a subscription that staff make', async () => {
    const answer = await api.call('POST', '/rest/v1/subscription/', { user, list });
    const { id } = await api.read(user);
    assert.deepEqual([answer.statusCode, answer.json()], [400, { subscription: { user: [`User ${id} was erased.`] } }]);
    await untouched();
  });

  it('takes no action and no donation by its placeholder address', async () => {
    const acted = await api.call('POST', '/rest/v1/action/', { page: 'join', email, first_name: 'Ann' });
    assert.deepEqual([acted.statusCode, Object.keys(acted.json().errors)], [400, ['email']]);
    const donated = await api.call('POST', '/rest/v1/donationpush/', donation({ user: { email, first_name: 'Ann' } }));
    assert.deepEqual([donated.statusCode, Object.keys(donated.json().user)], [400, ['email']]);
    await untouched();
  });

  it('comes onto no list either where it was given another address', async () => {
    assert.equal((await api.call('PATCH', user, { email: 'given@example.org' })).statusCode, 202);
    const acted = await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'given@example.org' });
    assert.equal(acted.statusCode, 400);
    assert.equal((await api.call('PATCH', user, { email })).statusCode, 202);
    await untouched();
  });

  it('is skipped by an import, which says so', async () => {
    const page = await api.create('importpage', { name: 'import', list });
    const csv = `email,first_name\n${email.toUpperCase()},Ann\nben@example.org,Ben\n`;
    const tried: unknown[] = [];
    for await (const line of tryUpload(sqlOn(api.pool), Readable.from([csv]), ['email', 'first_name'], true)) tried.push(line);
    assert.deepEqual(tried, [
      { line: 2, outcome: 'wrong', detail: 'This person was erased.' },
      { line: 3, outcome: 'new', detail: '' },
    ]);
    const file = 'Content-Disposition: form-data; name="upload"; filename="people.csv"\r\nContent-Type: text/csv\r\n\r\n';
    const form = `--b\r\nContent-Disposition: form-data; name="page"\r\n\r\n${page}\r\n--b\r\n${file}${csv}\r\n--b--\r\n`;
    const sent = await api.call('POST', '/rest/v1/upload/', Buffer.from(form), { 'content-type': 'multipart/form-data; boundary=b' });
    const upload = String(sent.headers.location).slice(api.env.BASE_URL.length);
    await importUpload(api.pool, Number(/(\d+)\/$/.exec(upload)![1]), () => true);
    const { status, errors } = await api.read(upload);
    const said = (await api.read(errors)).objects.map(({ line, message }: { line: number; message: string }) => [line, message]);
    assert.deepEqual([status, said], ['completed', [[2, 'This person was erased.']]]);
    assert.equal((await api.read('/rest/v1/user/?email=ben@example.org')).objects[0].subscription_status, 'subscribed');
    await untouched();
  });
});
