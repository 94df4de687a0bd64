import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';

const LEAVER = { username: 'leaver', password: 'leaver-password' };

describe('an account that is ended while it sends a request', () => {
  let api: TestApi;
  let account: string;
  let port: number;

  before(async () => {
    api = await startApi();
    port = Number(new URL(await api.app.listen({ host: '127.0.0.1', port: 0 })).port);
  });
  beforeEach(async () => {
    account = await api.create('authuser', { ...LEAVER, is_staff: true, is_superuser: true });
  });
  afterEach(() => api.call('DELETE', account));
  after(() => api.close());

  /** Headers, and as much of the body as is to come before. */
  async function begin(path: string, headers: Record<string, string>, part: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const lines = Object.entries({ Host: 'x', Connection: 'close', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${part}`);
    // Let in by now.
    await sleep(150);
    return socket;
  }
  /** @returns the status, and all of the answer */
  async function end(socket: Socket, rest: string): Promise<{ status: number; answer: string }> {
    socket.write(rest);
    const answer = await text(socket);
    return { status: Number(answer.split(' ')[1]), answer };
  }
  const leave = async () => assert.equal((await api.call('PATCH', account, { is_active: false })).statusCode, 202);
  const authorization = basic(LEAVER);

  it('makes itself no account to come back by, nor anything else', async () => {
    const body = JSON.stringify({ username: 'way-back', password: 'long-enough', is_superuser: true });
    const headers = { Authorization: authorization, 'Content-Type': 'application/json', 'Content-Length': String(body.length) };
    const sending = await begin('/rest/v1/authuser/', headers, body.slice(0, 10));
    await leave();
    const { status, answer } = await end(sending, body.slice(10));
    assert.equal(status, 401, answer);
    assert.equal((await api.read('/rest/v1/authuser/?username=way-back')).meta.total_count, 0);
  });

  it('does nothing that needs no body either, where it says only later that there is none', async () => {
    const mailing = await api.create('mailer', { subjects: ['Hello'] });
    const headers = { Authorization: authorization, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    const sending = await begin(`${mailing}copy/`, headers, '');
    await leave();
    const { status, answer } = await end(sending, '0\r\n\r\n');
    assert.equal(status, 401, answer);
  });

  it('imports nobody of a file that comes whole only then', async () => {
    await api.create('importpage', { name: 'fair' });
    const part = (about: string, content: string) => `--b\r\nContent-Disposition: form-data; ${about}\r\n\r\n${content}\r\n`;
    const body = `${part('name="page"', 'fair')}${part('name="upload"; filename="a.csv"', 'email\nann@example.org')}--b--\r\n`;
    const headers = {
      Authorization: authorization,
      'Content-Type': 'multipart/form-data; boundary=b',
      'Content-Length': String(body.length),
    };
    const sending = await begin('/rest/v1/upload/', headers, body.slice(0, 60));
    await leave();
    const { status, answer } = await end(sending, body.slice(60));
    assert.equal(status, 401, answer);
    assert.equal((await api.read('/rest/v1/upload/')).meta.total_count, 0);
  });

  it('has no form of the console done', async () => {
    const visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(LEAVER);
    const _csrf = visitor.token(await visitor.get('/console/'));
    const body = new URLSearchParams({ _csrf, name: 'Left behind', notes: '' }).toString();
    const headers = {
      Cookie: visitor.cookie,
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': String(body.length),
    };
    const sending = await begin('/console/lists/', headers, body.slice(0, 10));
    await leave();
    const { status, answer } = await end(sending, body.slice(10));
    assert.equal(status, 303, answer);
    assert.match(answer, /location: \/console\/login\?undone=1/i);
    assert.equal((await api.read('/rest/v1/list/?name=Left behind')).meta.total_count, 0);
  });

  it('does no more than it may by then, where a grant was taken from it', async () => {
    const group = await api.create('authgroup', { name: 'writers', grants: ['list:write'] });
    await api.call('PATCH', account, { is_superuser: false, groups: [group] });
    const body = JSON.stringify({ name: 'Late' });
    const headers = { Authorization: authorization, 'Content-Type': 'application/json', 'Content-Length': String(body.length) };
    const sending = await begin('/rest/v1/list/', headers, body.slice(0, 5));
    assert.equal((await api.call('PATCH', group, { grants: ['list:read'] })).statusCode, 202);
    const { status, answer } = await end(sending, body.slice(5));
    assert.equal(status, 403, answer);
    assert.match(answer, /list:write/);
    assert.equal((await api.read('/rest/v1/list/?name=Late')).meta.total_count, 0);
  });
});
