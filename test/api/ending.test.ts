import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { serve } from '../../api/serve.ts';
import { readEnv } from '../../config/env.ts';
import { createDatabase } from '../support/database.ts';
import { createNamespace } from '../support/temporal.ts';

describe('an API that is told to end', () => {
  it('says so first, answers everybody meanwhile on connections that are not kept, and then closes', async () => {
    const { address, namespace } = await createNamespace();
    const settings = { DATABASE_URL: await createDatabase(), TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
    const env = readEnv({ ...settings, PORT: '0', API_DRAIN_SECONDS: '5' });
    const api = await serve(env, pino({ level: 'silent' }), async () => {});
    const ready = async () => (await fetch(`${api.url}/health/ready`)).status;
    while ((await ready()) !== 200) await sleep(100);
    const stopped = api.stop();
    assert.equal(await ready(), 503);
    for (let n = 0; n < 10; n++) {
      const { status, headers } = await fetch(`${api.url}/health/live`);
      assert.deepEqual([status, headers.get('connection')], [200, 'close']);
    }
    await stopped;
    await assert.rejects(fetch(`${api.url}/health/live`));
  });

  it('does so whoever holds a connection over which nothing comes, or a request that goes no further, and answers what has come', async () => {
    const { address, namespace } = await createNamespace();
    const settings = { DATABASE_URL: await createDatabase(), TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
    let answerTheSlow = () => {};
    const api = await serve(readEnv({ ...settings, PORT: '0' }), pino({ level: 'silent' }), async (app) => {
      app.get('/slow', { config: { open: true } }, async () => {
        await new Promise<void>((resolve) => {
          answerTheSlow = resolve;
        });
        return 'told';
      });
    });
    const call = async (...parts: string[]): Promise<Socket> => {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
      await once(socket, 'connect');
      for (const part of parts) {
        socket.write(part);
        await sleep(200);
      }
      return socket;
    };
    const whole = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
    const silent = await call();
    const others = [
      await call('GET /health/li'),
      await call(whole, 'GET /health/li'),
      await call('POST /rest/v1/action/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"page"'),
    ];
    const slow = fetch(`${api.url}/slow`).then((answer) => answer.text());
    await sleep(500);
    const began = performance.now();
    const gone = (socket: Socket) => once(socket.resume(), 'close').then(() => performance.now() - began);
    const ends = Promise.all([gone(silent), ...others.map(gone)]);
    const stopped = api.stop();
    const [first, ...rest] = await ends;
    assert.ok(first! < 5_000, `${first}`);
    assert.ok(
      rest.every((ms) => ms > 15_000 && ms < 30_000),
      `${rest}`,
    );
    answerTheSlow();
    assert.equal(await slow, 'told');
    await stopped;
  });
});
