import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApi, type TestApi } from '../support/api.ts';

describe('requests that are sent before the answers to others', () => {
  let api: TestApi;
  let port: number;
  let looks = 0;
  let held: Promise<void> | null = null;
  before(async () => {
    api = await startApi();
    const { query } = api.pool;
    api.pool.query = (async (...asked: unknown[]) => {
      looks++;
      await held;
      return (query as (...asked: unknown[]) => unknown).apply(api.pool, asked);
    }) as typeof query;
    port = Number(new URL(await api.app.listen({ host: '127.0.0.1', port: 0 })).port);
  });
  after(() => api.close());

  // Each asks the database, and no limit by address holds for it.
  const ask = `GET /unsubscribe/?i=${'a'.repeat(43)} HTTP/1.1\r\nHost: x\r\n\r\n`;

  it('are answered, a few hundred of them, in their order', async () => {
    const socket = connect(port, '127.0.0.1');
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    await once(socket, 'connect');
    socket.write(`${ask.repeat(300)}GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await once(socket, 'close');
    assert.equal(heard.split('HTTP/1.1 400 ').length - 1, 300);
    assert.match(heard, /"status":"ok"\}$/);
  });

  it('are worked on ten at a time, so that others come in between, and are answered all', async () => {
    let release = () => {};
    held = new Promise((resolve) => {
      release = resolve;
    });
    looks = 0;
    const socket = connect(port, '127.0.0.1');
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    const health = 'GET /health/live HTTP/1.1\r\nHost: x\r\n';
    socket.write(`${`${ask}${health}\r\n`.repeat(100)}${health}Connection: close\r\n\r\n`);
    while (looks < 5) await sleep(10);
    for (let n = 0; n < 5; n++) assert.equal((await fetch(`http://127.0.0.1:${port}/health/live`)).status, 200);
    assert.equal(looks, 5, 'every second one asks the database');
    held = null;
    release();
    await once(socket, 'close');
    assert.deepEqual(
      Array.from(heard.matchAll(/HTTP\/1\.1 (\d+) /g), ([, status]) => status),
      [...Array.from({ length: 100 }, () => ['400', '200']).flat(), '200'],
    );
  });

  it('end their connection where they are thousands, which do not wait for the database', async () => {
    looks = 0;
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(`${ask.repeat(8_000)}GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await closed;
    while (api.pool.waitingCount > 0) await sleep(10);
    assert.ok(looks <= 1_000, `${looks} asked the database`);
    const answer = await fetch(`http://127.0.0.1:${port}/health/live`);
    assert.equal(answer.status, 200);
  });
});
