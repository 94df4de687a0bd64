import assert from 'node:assert/strict';
import { ADMIN, basic, passwordsInEarnest, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';

describe('passwords guessed at from many addresses', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ RATE_LIMIT_PER_MINUTE: '60' });
    passwordsInEarnest();
  });
  after(() => api.close());

  const guess = (remoteAddress: string, username: string, password: string) =>
    api.app.inject({ url: '/rest/v1/list/', remoteAddress, headers: { authorization: basic({ username, password }) } });

  it('of one IPv6 network count for that network', async () => {
    const codes: number[] = [];
    for (let n = 1; n <= 12; n++) codes.push((await guess(`2001:db8:1:2::${n}`, ADMIN.username, `wrong ${n}`)).statusCode);
    assert.deepEqual(codes, [...Array(10).fill(401), 429, 429]);
    assert.equal((await guess('2001:db8:1:3::1', ADMIN.username, 'wrong')).statusCode, 401, 'of another network');
    const page = await api.app.inject({ url: '/console/login', remoteAddress: '2001:db8:1:2::99' });
    const form = { ...ADMIN, _csrf: /name="_csrf" value="([^"]+)"/.exec(page.body)![1]! };
    const sent = await api.app.inject({
      method: 'POST',
      url: '/console/login',
      remoteAddress: '2001:db8:1:2::99',
      headers: {
        cookie: [page.headers['set-cookie']]
          .flat()
          .map((cookie) => cookie!.split(';')[0])
          .join('; '),
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams({ ...form, next: '' }).toString(),
    });
    assert.equal(sent.statusCode, 429, 'in the console, too');
  });

  it('are looked at a few at a time; the others are told to come again, and who is known does not notice', async () => {
    assert.equal((await api.call('GET', '/rest/v1/list/')).statusCode, 200);
    const guesses = Promise.all(Array.from({ length: 40 }, (_, n) => guess(`192.0.2.${n}`, `nobody${n}`, 'x')));
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.equal((await api.call('GET', '/rest/v1/list/')).statusCode, 200);
    const login = await new ConsoleVisitor(api.app).logIn({ username: 'nobody', password: 'x' });
    assert.deepEqual([login.statusCode, Number(login.headers['retry-after']) > 0], [503, true]);
    const answers = await guesses;
    const of = (status: number) => answers.filter(({ statusCode }) => statusCode === status);
    // One may have been answered before the last came.
    const lookedAt = of(401).length;
    assert.ok(lookedAt >= 16 && lookedAt <= 22, `${lookedAt} of 40`);
    assert.equal(lookedAt + of(503).length, 40);
    assert.ok(of(503).every(({ headers }) => Number(headers['retry-after']) > 0));
    assert.equal((await guess('192.0.2.1', 'nobody', 'x')).statusCode, 401, 'there is room again');
  });

  it('and any other requests are limited by that network', async () => {
    const codes: number[] = [];
    for (let n = 0; n < 65; n++)
      codes.push(
        (await api.app.inject({ url: '/rest/v1/openapi.json', method: 'HEAD', remoteAddress: `2001:db8:7:7::${n.toString(16)}` }))
          .statusCode,
      );
    assert.equal(codes.filter((code) => code === 429).length, 5);
  });
});
