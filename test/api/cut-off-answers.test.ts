import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';

const STALLED_SECONDS = 1;

describe('an answer that breaks off', () => {
  let api: TestApi;
  let origin: URL;
  before(async () => {
    api = await startApi({ STALLED_ANSWER_SECONDS: String(STALLED_SECONDS) });
    await ensureReportRole(api.pool, api.env);
    origin = new URL(await api.app.listen({ host: '127.0.0.1', port: 0 }));
  });
  after(() => api.close());

  /** As nginx asks, unless it is told otherwise. */
  const ask = async (query: string): Promise<Socket> => {
    const socket = connect(Number(origin.port), origin.hostname);
    await once(socket, 'connect');
    const path = `/rest/v1/report/run/sql/?format=csv&query=${encodeURIComponent(query)}`;
    socket.write(`GET ${path} HTTP/1.0\r\nHost: x\r\nAuthorization: ${basic()}\r\nConnection: close\r\n\r\n`);
    return socket;
  };
  const read = async (socket: Socket): Promise<string> => {
    const got: Buffer[] = [];
    for await (const chunk of socket) got.push(chunk as Buffer);
    return Buffer.concat(got).toString();
  };

  it('is not taken for a whole one by who asks in HTTP/1.0, where the end of the connection is that of the answer', async () => {
    const whole = await read(await ask('select g from generate_series(1, 100000) g'));
    assert.match(whole, /^HTTP\/1\.1 200 [\s\S]*\r\n100000\r\n$/);
    // What fails before anything is out is an answer like any other.
    assert.match(await read(await ask('select 1 / 0')), /^HTTP\/1\.1 400 [\s\S]*division by zero/);
    const late = await ask(`select g, repeat('x', 100), 1 / (50000 - g) from generate_series(1, 100000) g`);
    await assert.rejects(read(late), { code: 'ECONNRESET' });
  });

  it('is none to who took nothing of it for too long, either', async () => {
    const socket = await ask(`select g, repeat('x', 1000) from generate_series(1, 100000) g`);
    await once(socket, 'readable');
    await sleep(STALLED_SECONDS * 2_000 + 1_000);
    await assert.rejects(read(socket), { code: 'ECONNRESET' });
  });
});
