import assert from 'node:assert/strict';
import type { Exchange } from '../../tools/check-client/advice.ts';
import { type ClientCheck, checkClient, lineOf } from '../../tools/check-client/proxy.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';

describe('the check for client authors', () => {
  let api: TestApi;
  let check: ClientCheck;
  const exchanges: Exchange[] = [];
  before(async () => {
    api = await startApi();
    const url = await api.app.listen({ port: 0, host: '127.0.0.1' });
    api.env.BASE_URL = url;
    check = await checkClient(url, 0, (exchange) => exchanges.push(exchange));
  });
  after(async () => {
    await check.close();
    await api.close();
  });
  const send = (method: string, path: string, body?: object, headers: Record<string, string> = { authorization: basic() }) =>
    fetch(check.url + path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });

  it('hands requests through, and leads the client back to itself', async () => {
    const answer = await send('POST', '/rest/v1/list/', { name: 'News' });
    assert.equal(answer.status, 201);
    assert.ok(answer.headers.get('location')!.startsWith(check.url));
    assert.equal((await send('GET', '/rest/v1/list/1/')).status, 200);
    assert.equal(lineOf(exchanges.at(-1)!), null);
  });

  it('says of each refused request why, and which page says what would work', async () => {
    await send('PATCH', '/rest/v1/mailer/9/', { subject: 'x' });
    assert.match(lineOf(exchanges.at(-1)!)!, /^404 PATCH \/rest\/v1\/mailer\/9\/[\s\S]*docs\/mailer\.md/);
    await send('POST', '/rest/v1/mailer/', { subject: 'x' });
    assert.match(lineOf(exchanges.at(-1)!)!, /^400 [\s\S]*not a field of a mailing/);
    await send('DELETE', '/rest/v1/list/');
    assert.match(lineOf(exchanges.at(-1)!)!, /^405 [\s\S]*GET/);
    await send('GET', '/rest/v1/user/', undefined, {});
    assert.match(lineOf(exchanges.at(-1)!)!, /^401 /);
  });

  it('keeps no credentials and nothing the client sent', async () => {
    await send('POST', '/rest/v1/user/', { email: 'secret-ann@example.org' });
    const kept = JSON.stringify(exchanges);
    assert.ok(!kept.includes(basic()) && !kept.includes('secret-ann'));
  });
});
