import { deepEqual, match } from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { sayWhatIsUnsafe, sayWhoIsAway } from '../../bin/services.ts';
import { readEnv } from '../../config/env.ts';
import { createDatabase } from '../support/database.ts';

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

  it('says of the relays alone that are used that they are away', async () => {
    const said: string[] = [];
    const log = { warn: (line: string) => void said.push(line) } as unknown as Logger;
    const env = readEnv({ SMTP_URL: 'smtp://127.0.0.1:1', SMTP_RELAYS: 'smtp://127.0.0.1:2' });
    sayWhoIsAway(env, log, ['SMTP_URL', 'SMTP_RELAYS']);
    while (!said.length) await sleep(20);
    await sleep(200);
    deepEqual(said, ['SMTP_RELAYS: no relay answers at 127.0.0.1:2 (ECONNREFUSED); this process goes on when one does']);
  });

  it('says that its clock is another than the database’s: mails are dated by it', async () => {
    const DATABASE_URL = await createDatabase();
    const said: string[] = [];
    const log = { warn: (line: string) => void said.push(line), error: () => {} } as unknown as Logger;
    const { now } = Date;
    try {
      for (const turnedMs of [2 * 86_400_000, -3_600_000]) {
        Date.now = () => now() + turnedMs;
        const before = said.length;
        sayWhatIsUnsafe(readEnv({ DATABASE_URL }), log);
        while (said.length === before) await sleep(50);
      }
    } finally {
      Date.now = now;
    }
    match(said[0]!, /^this machine's clock is 1728\d\d s ahead of the database's: mails it sends are dated and signed by it/);
    match(said[1]!, /^this machine's clock is (36\d\d|35\d\d) s behind the database's/);
  });
});
