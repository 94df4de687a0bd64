import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ERROR_GUIDE } from '../../api/describe/error-guide.ts';
import { errorMarkdown } from '../../api/describe/error-page.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { donation } from '../support/donations.ts';

describe('the page of errors', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  const linked = async (method: string, url: string, body?: object, headers = {}) => {
    const answer = await api.call(method, url, body, headers);
    return [answer.statusCode, answer.headers['link']];
  };
  const help = (status: number) => [status, `<http://platform.test/docs/errors/#${status}>; rel="help"`];

  it('is led to by every answer that is an error, with a body or without, and by no other', async () => {
    deepEqual(await linked('POST', '/rest/v1/user/', {}), help(400));
    deepEqual(await linked('GET', '/rest/v1/user/', undefined, { authorization: '' }), help(401));
    deepEqual(await linked('GET', '/rest/v1/user/999999/'), help(404));
    deepEqual(await linked('GET', '/rest/v1/nothing/'), help(404));
    deepEqual(await linked('DELETE', '/rest/v1/user/'), help(405));
    const group = await api.create('authgroup', { name: 'none', grants: [] });
    await api.create('authuser', { username: 'someone', password: 'some-password', groups: [group] });
    const someone = { authorization: basic({ username: 'someone', password: 'some-password' }) };
    deepEqual(await linked('GET', '/rest/v1/user/', undefined, someone), help(403));
    await api.create('list', { name: 'Once' });
    deepEqual(await linked('POST', '/rest/v1/list/', { name: 'Once' }), help(409));
    deepEqual(await linked('POST', '/rest/v1/list/', 'x' as never, { 'content-type': 'text/plain' } as never), help(415));
    api.workflows.failure = new Error('away');
    deepEqual(await linked('GET', '/rest/v1/list/'), [200, undefined]);
  });

  it('is not all there is with API_ERROR_BODIES=full: 401, 404 and 405 have a body, too, and the API reference says so', async () => {
    const full = await startApi({ API_ERROR_BODIES: 'full' });
    try {
      // Past the check of answers against their schemas, which are those of the specification.
      const ask = (method: 'GET' | 'DELETE' | 'HEAD', url: string, authorization = basic()) =>
        full.app.inject({ method, url, headers: authorization ? { authorization } : {} });
      const wrong = [await ask('GET', '/rest/v1/user/', ''), await ask('GET', '/rest/v1/user/9/'), await ask('DELETE', '/rest/v1/user/')];
      deepEqual(
        wrong.map((answer) => [answer.statusCode, answer.json().errors]),
        [
          [401, { authentication: ['Send user name and password of an active account (HTTP Basic).'] }],
          [404, { path: ['There is nothing at this address.'] }],
          [405, { method: ['Offered here: GET, HEAD, POST.'] }],
        ],
      );
      for (const { headers, body } of wrong)
        deepEqual([headers['content-type'], Number(headers['content-length'])], ['application/json; charset=utf-8', body.length]);
      equal((await ask('GET', '/rest/v1/nothing/')).json().errors.path.length, 1);
      equal((await ask('GET', '/elsewhere')).body, '');
      const { paths } = (await ask('GET', '/rest/v1/openapi.json')).json();
      ok(paths['/rest/v1/user/{id}/'].get.responses['404'].content['application/json'].schema);
      ok(!(await api.read('/rest/v1/openapi.json')).paths['/rest/v1/user/{id}/'].get.responses['404'].content);
    } finally {
      await full.close();
    }
  });

  it('names a donation that was pushed before by the key the answer has', async () => {
    const body = donation({ order: { donation_import_id: 'seen' } });
    equal((await api.call('POST', '/rest/v1/donationpush/', body)).statusCode, 200);
    const answer = await api.call('POST', '/rest/v1/donationpush/', body);
    equal(answer.statusCode, 409);
    const entries = ERROR_GUIDE.find(({ status }) => status === 409)!.entries;
    for (const key of Object.keys(answer.json().errors))
      ok(
        entries.some((entry) => entry.key === `\`${key}\``),
        key,
      );
  });

  it('is shown to everybody, with an anchor for each status', async () => {
    const { statusCode, headers, body } = await api.call('GET', '/docs/errors/', undefined, { authorization: '' });
    equal(statusCode, 200);
    match(String(headers['content-type']), /^text\/html/);
    match(String(headers['content-security-policy']), /default-src 'none'/);
    for (const { status } of ERROR_GUIDE) ok(body.includes(`id="${status}"`));
    ok(body.includes('<code>&lt;field&gt;</code>'));
  });

  it('has every status the API reference names, and is docs/errors.md (else: npm run describe -- errors > docs/errors.md)', async () => {
    equal(readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8'), errorMarkdown());
    const { paths } = await api.read('/rest/v1/openapi.json');
    const named = Object.values(paths as Record<string, Record<string, { responses: object }>>)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ responses = {} }) => Object.keys(responses))
      .map(Number);
    const missing = [...new Set(named)].filter((status) => status >= 400 && !ERROR_GUIDE.some((each) => each.status === status));
    deepEqual(missing, []);
  });
});
