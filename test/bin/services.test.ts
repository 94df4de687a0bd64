import { deepEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { sayWhoIsAway } from '../../bin/services.ts';
import { readEnv } from '../../config/env.ts';

describe('a program that starts', () => {
  it('says of no service that it is away where it is itself that was busy for so long', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const said: string[] = [];
    const log = { warn: (line: string) => void said.push(line) } as unknown as Logger;
    sayWhoIsAway(readEnv({ DATABASE_URL: `postgres://127.0.0.1:${port}/campaign` }), log, ['DATABASE_URL']);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_500);
    await sleep(200);
    deepEqual(said, []);
    server.close();
  });
});
