import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { endSessions } from '../support/sessions.ts';

const BYTES = 8 * 1024 * 1024;
/** Longer than a client takes to be started and to send its body. */
const ENDING_SECONDS = 30;
const has = (program: string) => spawnSync(program, ['--version']).status === 0;

type Post = [method: string, path: string, headers: Record<string, string>];

describe('a refusal before the end of a large body', () => {
  const big = join(tmpdir(), `refused-body-${process.pid}`);
  let api: TestApi;
  let origin: string;
  /** Served elsewhere: one that limits rates, one whose database is away. */
  const others: TestApi[] = [];
  /** One minute's request, whichever minute it is; one that is about to end is waited out, for the request that is to be refused would be the first of the next. */
  let usedUp: (place: string) => Promise<unknown>;
  const cases: { status: number; origin: string; post: Post }[] = [];

  before(async () => {
    writeFileSync(big, Buffer.alloc(BYTES, 'x'));
    api = await startApi({ API_BODY_LIMIT: '4096' });
    await api.create('authuser', { username: 'nobody', password: 'nobody-password' });
    origin = await api.app.listen({ host: '127.0.0.1', port: 0 });
    const json = { 'content-type': 'application/json' };
    const admin = { ...json, authorization: basic() };
    const form = { 'content-type': 'multipart/form-data; boundary=b', authorization: basic() };
    const other = basic({ username: 'nobody', password: 'nobody-password' });
    for (const [status, ...post] of [
      [401, 'POST', '/rest/v1/upload/', { ...form, authorization: '' }],
      [401, 'POST', '/rest/v1/tag/', json],
      [401, 'PATCH', '/rest/v1/user/1/', { ...json, authorization: basic({ username: 'admin', password: 'wrong' }) }],
      [403, 'POST', '/rest/v1/upload/', { ...form, authorization: other }],
      [404, 'POST', '/nowhere/', admin],
      [404, 'PUT', '/rest/v1/nothing/', json],
      [405, 'POST', '/rest/v1/page/', admin],
      [413, 'POST', '/rest/v1/tag/', admin],
      [413, 'POST', '/rest/v1/action/', json],
      [413, 'POST', '/rest/v1/tag/', { ...admin, 'content-type': 'text/plain' }],
      [415, 'POST', '/rest/v1/tag/', { ...admin, 'content-type': 'no type at all' }],
      [400, 'POST', '/rest/v1/upload/', { ...form, 'content-type': 'multipart/form-data' }],
      [400, 'POST', '/rest/v1/mergefile/', form],
      [413, 'POST', '/rest/v1/upload/', admin],
    ] as [number, ...Post][])
      cases.push({ status, origin, post });

    const limited = await startApi({ RATE_LIMIT_PER_MINUTE: '1' });
    const dark = await startApi();
    others.push(limited, dark);
    const [limitedOrigin, darkOrigin] = await Promise.all(others.map(({ app }) => app.listen({ host: '127.0.0.1', port: 0 })));
    usedUp = async (place) => {
      while (place === limitedOrigin) {
        const answer = await fetch(`${limitedOrigin}/rest/v1/tag/`, { headers: { authorization: basic() } });
        await answer.arrayBuffer();
        const left = answer.status === 429 ? Number(answer.headers.get('retry-after')) : 60;
        if (left > ENDING_SECONDS) return;
        await sleep(1000 * left);
      }
    };
    cases.push({ status: 429, origin: limitedOrigin!, post: ['POST', '/rest/v1/tag/', admin] });
    const client = new pg.Client({ connectionString: dark.databaseUrl.replace(/\/[^/]*$/, '/postgres') });
    await client.connect();
    const name = new URL(dark.databaseUrl).pathname.slice(1);
    await client.query(`alter database ${name} allow_connections false`);
    await endSessions(client, name);
    await client.end();
    cases.push({ status: 503, origin: darkOrigin!, post: ['POST', '/rest/v1/upload/', form] });
  });
  after(async () => {
    rmSync(big, { force: true });
    for (const each of [api, ...others]) await each.close();
  });

  const told = (given: { status: number; post: Post }[], got: unknown[][]) =>
    assert.deepEqual(
      got.map(([status, next], nth) => [given[nth]!.post.slice(0, 2).join(' '), status, next]),
      given.map(({ status, post }) => [post.slice(0, 2).join(' '), status, 200]),
    );

  it('reaches Python, and the next request on its connection works', async function () {
    if (!has('python3')) {
      console.log('      no python3 on this machine: its clients were not looked at');
      return this.skip();
    }
    for (const place of new Set(cases.map((each) => each.origin))) {
      const given = cases.filter((each) => each.origin === place);
      await usedUp(place);
      const python = spawn('python3', [join(import.meta.dirname, '../support/refused-posts.py')]);
      python.stdin.end(JSON.stringify({ origin: place, bytes: BYTES, posts: given.map(({ post }) => post) }));
      const [said, by] = await Promise.all([text(python.stdout), text(python.stderr)]);
      assert.match(said, /^\[/, by);
      if (!by.startsWith('requests')) console.log(`      (${by.trim()})`);
      told(given, JSON.parse(said));
    }
  });

  it('reaches curl, and the next request works', async function () {
    if (!has('curl')) {
      console.log('      no curl on this machine: it was not looked at');
      return this.skip();
    }
    const got: unknown[][] = [];
    for (const { origin: place, post } of cases) {
      const [method, path, headers] = post;
      await usedUp(place);
      const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
      const each = ['-s', '-o', '/dev/null', '-w', '%{http_code} '];
      const { stdout } = await promisify(execFile)('curl', [
        ...[...each, '-X', method, ...given, '-H', 'Expect:', '--data-binary', `@${big}`, `${place}${path}`, '--next'],
        ...[...each, `${place}/health/live`],
      ]);
      got.push(stdout.trim().split(' ').map(Number));
    }
    told(cases, got);
  });

  it('reaches fetch and http of Node, and the next request works', async () => {
    const body = Buffer.alloc(BYTES, 'x');
    const got: unknown[][] = [];
    for (const { origin: place, post } of cases) {
      const [method, path, headers] = post;
      await usedUp(place);
      const answer = await fetch(place + path, { method, headers, body });
      await answer.arrayBuffer();
      got.push([answer.status, (await fetch(`${place}/health/live`)).status]);
    }
    told(cases, got);

    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (place: string, [method, path, headers]: Post, sent?: Buffer) =>
      new Promise<number>((resolve, reject) => {
        const request = httpRequest(place + path, { method, headers, agent }, (answer) => {
          answer.resume();
          answer.on('end', () => resolve(answer.statusCode!));
        });
        request.on('error', reject).end(sent);
      });
    const asked: unknown[][] = [];
    for (const { origin: place, post } of cases) {
      await usedUp(place);
      asked.push([await ask(place, post, body), await ask(place, ['GET', '/health/live', {}])]);
    }
    told(cases, asked);
    agent.destroy();
  });

  /** What a caller hears who sends all of it before listening. */
  async function sendsFirst(head: string, chunk: Buffer, times: number, place = origin): Promise<{ heard: string; error: string | null }> {
    const { hostname, port } = new URL(place);
    const socket = connect(Number(port), hostname);
    let error: string | null = null;
    socket.on('error', (failure: NodeJS.ErrnoException) => {
      error = failure.code ?? failure.message;
    });
    socket.pause();
    await once(socket, 'connect');
    socket.write(head);
    for (let nth = 0; nth < times && !socket.destroyed; nth++) {
      if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {});
    }
    return { heard: await text(socket).catch(() => ''), error };
  }

  it('reaches callers who want their connection closed, before that', async () => {
    for (const version of ['1.1', '1.0']) {
      const head = `POST /rest/v1/tag/ HTTP/${version}\r\nHost: x\r\nConnection: close\r\nContent-Length: ${BYTES}\r\n\r\n`;
      const { heard, error } = await sendsFirst(head, Buffer.alloc(BYTES / 64), 64);
      assert.equal(error, null);
      assert.match(heard, /^HTTP\/1.1 401 /);
    }
  });

  it('reaches callers whose headers cannot be read', async () => {
    const head = `POST /rest/v1/tag/ HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(70_000)}\r\nContent-Length: ${BYTES}\r\n\r\n`;
    const { heard, error } = await sendsFirst(head, Buffer.alloc(BYTES / 64), 64);
    assert.equal(error, null);
    assert.match(heard, /^HTTP\/1.1 431 /);
  });

  it('is waited with no longer, and for no more, than is set', async () => {
    const strict = await startApi({ REFUSED_BODY_SECONDS: '1', UPLOAD_LIMIT: String(BYTES / 2) });
    try {
      const place = await strict.app.listen({ host: '127.0.0.1', port: 0 });
      const head = (bytes: number) => `POST /rest/v1/tag/ HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n`;
      const began = performance.now();
      const { heard } = await sendsFirst(head(BYTES), Buffer.alloc(10), 1, place);
      assert.match(heard, /^HTTP\/1.1 401 /);
      assert.ok(performance.now() - began < 30_000, 'a slow one is ended');
      const endless = await sendsFirst(head(100 * BYTES), Buffer.alloc(BYTES / 64), 6400, place);
      assert.ok(endless.error !== null || !endless.heard.includes('200'), 'an endless one is ended');
      assert.ok(performance.now() - began < 50_000);
    } finally {
      await strict.close();
    }
  });
});
