import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { basic, startApi, type TestApi } from '../support/api.ts';

// Bodies that come byte by byte, each in a chunk of its own.

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe('a body in pieces', () => {
  let api: TestApi;
  let port: number;
  const sockets: Socket[] = [];
  before(async () => {
    api = await startApi();
    await api.create('signuppage', { name: 'join' });
    port = Number(new URL(await api.app.listen({ host: '127.0.0.1', port: 0 })).port);
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await api.close();
  });

  const inChunks = (bytes: Buffer) => Buffer.concat([...bytes].map((byte) => Buffer.from([0x31, 13, 10, byte, 13, 10])));
  async function begin(path: string, headers: string): Promise<{ socket: Socket; heard: () => string }> {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    await once(socket, 'connect');
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n${headers}\r\n`);
    return { socket, heard: () => text };
  }

  it('takes little more memory than it has bytes, of strangers who never come to an end', async () => {
    const before = heap();
    const body = inChunks(Buffer.from(`{"page":"join","email":"${'x'.repeat(200_000)}`));
    for (let n = 0; n < 3; n++) (await begin('/rest/v1/action/', '')).socket.write(body);
    let most = 0;
    const taken = () => sockets.every((socket) => socket.writableLength === 0);
    for (let looks = 0; looks < 8 || !taken(); looks++) {
      await sleep(250);
      most = Math.max(most, heap() - before);
    }
    assert.ok(most < 20_000_000, `${most} bytes`);
  });

  it('is read as one that came at once, packed or not', async () => {
    const text = JSON.stringify({ page: 'join', email: 'ann@example.org', first_name: 'Änne', action_why: 'é'.repeat(15_000) });
    for (const [headers, bytes] of [
      ['', Buffer.from(text)],
      ['Content-Encoding: gzip\r\n', gzipSync(text)],
    ] as const) {
      const { socket, heard } = await begin('/rest/v1/action/', `Authorization: ${basic()}\r\n${headers}`);
      socket.write(inChunks(bytes));
      socket.write('0\r\n\r\n');
      while (!/\r\n\r\n\{.*\}/s.test(heard())) await sleep(10);
      assert.match(heard(), /^HTTP\/1\.1 201 /);
    }
    const { objects } = await api.read('/rest/v1/action/');
    assert.deepEqual(
      objects.map(({ fields }: { fields: { why: string } }) => fields.why.length),
      [15_000, 15_000],
    );
    assert.equal((await api.read('/rest/v1/user/?email=ann@example.org')).objects[0].first_name, 'Änne');
  });

  it('is refused where it is too large, and the connection serves on', async () => {
    const { socket, heard } = await begin('/rest/v1/action/', '');
    socket.write(inChunks(Buffer.from(`{"page":"${'x'.repeat(300_000)}"}`)));
    socket.write('0\r\n\r\n');
    while (!/^HTTP\/1\.1 413 .*\r\n\r\n\{.*\}/s.test(heard())) await sleep(10);
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    while (!/HTTP\/1\.1 200 /.test(heard())) await sleep(10);
  });
});
