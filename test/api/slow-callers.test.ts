import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';

const CALLERS = 50;
/** Endpoints at a time, each with its fifty callers. */
const AT_ONCE = 12;
const FORMS = /^\/rest\/v1\/(upload|mergefile)\/$/;

describe('slow callers', () => {
  let api: TestApi;
  let origin: URL;
  const routes: { method: string; url: string }[] = [];

  before(async () => {
    api = await startApi({ STALLED_ANSWER_SECONDS: '1', REPORT_SLOTS: '1', REPORT_WAIT_MS: '100000' }, (app) =>
      app.addHook('onRoute', ({ method, url }) => {
        for (const each of [method].flat()) if (['POST', 'PUT', 'PATCH'].includes(each)) routes.push({ method: each, url });
      }),
    );
    await ensureReportRole(api.pool, api.env);
    await api.create('user', { email: 'ann@example.org' });
    origin = new URL(await api.app.listen({ host: '127.0.0.1', port: 0 }));
  });
  after(() => api.close());

  async function call(head: string): Promise<Socket> {
    const socket = connect(Number(origin.port), origin.hostname);
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(`${head}\r\nHost: x\r\nAuthorization: ${basic()}\r\n`);
    return socket;
  }
  /** Headers, and the beginning of a body that does not go on. */
  async function begin({ method, url }: { method: string; url: string }): Promise<Socket> {
    const path = url.replace(/:\w+|\*/g, '1');
    const form = FORMS.test(url);
    const type = form
      ? 'multipart/form-data; boundary=b'
      : url.startsWith('/console/')
        ? 'application/x-www-form-urlencoded'
        : 'application/json';
    const part =
      '--b\r\nContent-Disposition: form-data; name="upload"; filename="people.csv"\r\n\r\nemail,first_name\nann@example.org,Ann\n';
    const socket = await call(`${method} ${path} HTTP/1.1`);
    socket.write(`Content-Type: ${type}\r\nContent-Length: 5000\r\n\r\n${form ? part : '{"name": "sl'}`);
    return socket;
  }
  /** How long the slower of two everyday requests takes. */
  async function patience(): Promise<number> {
    const began = performance.now();
    const answers = await Promise.all(
      ['/rest/v1/user/1/', '/health/ready'].map((path) =>
        fetch(new URL(path, origin), { headers: { authorization: basic() }, signal: AbortSignal.timeout(30_000) }),
      ),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    return performance.now() - began;
  }

  /** What is at work for them in the database. Who is let in may be looked up just now: what is held for a caller is held for as long as they take. */
  async function nothingHeld(turn: object): Promise<void> {
    const held = async () => {
      const { rows } = await api.pool.query<{ query: string }>(
        `select query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
      );
      return [...rows.map(({ query }) => query), api.pool.totalCount - api.pool.idleCount, api.pool.waitingCount];
    };
    let now = await held();
    for (const end = Date.now() + 60_000; now.some((each) => each !== 0) && Date.now() < end; now = await held()) await sleep(20);
    assert.deepEqual(now, [0, 0], JSON.stringify(turn));
  }

  it('who send a body to any endpoint, fifty at a time, hold no database connection', async () => {
    assert.ok(routes.length > 50 && routes.some(({ url }) => url === '/rest/v1/upload/'));
    let longest = 0;
    for (let at = 0; at < routes.length; at += AT_ONCE) {
      const turn = routes.slice(at, at + AT_ONCE);
      const sockets = await Promise.all(turn.flatMap((route) => Array.from({ length: CALLERS }, () => begin(route))));
      // The pools have five each: fifty who held one would be missed here already.
      longest = Math.max(longest, await patience().catch((error) => assert.fail(`${JSON.stringify(turn)}: ${error}`)));
      try {
        await nothingHeld(turn);
      } finally {
        for (const socket of sockets) socket.destroy();
      }
    }
    console.log(
      `      ${routes.length} endpoints, ${CALLERS} callers on each: the slowest answer to others took ${Math.round(longest)} ms`,
    );
  });

  it('who stop reading a report lose it, and its place is free for others', async () => {
    const query = encodeURIComponent(`select repeat('x', 1000), n from generate_series(1, 100000) n`);
    const reader = await call(`GET /rest/v1/report/run/sql/?query=${query} HTTP/1.1`);
    reader.write('\r\n');
    await once(reader, 'readable');
    // Nothing is read from here on.
    const began = performance.now();
    const other = await api.call('GET', '/rest/v1/report/run/sql/?query=select%201');
    assert.equal(other.statusCode, 200, other.body);
    // Its own time would be over after two minutes.
    assert.ok(performance.now() - began < 90_000);
    await patience();
    reader.destroy();
  });
});
