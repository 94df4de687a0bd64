import { deepEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporalWorkflows } from '../../api/plugins/workflows.ts';
import { readEnv } from '../../config/env.ts';
import { startPlatform } from '../../embedded/platform.ts';
import { startApi } from '../support/api.ts';
import { dataFolder } from '../support/data-folder.ts';
import { atEnd } from '../support/endings.ts';
import { READY } from '../support/mailings.ts';
import { insertPeople } from '../support/people.ts';
import { createNamespace } from '../support/temporal.ts';

/** Longer than any program that ends at once takes, and shorter than SMTP_TIMEOUT_MS. */
const HELD_MS = 36_000;

/** A relay that takes every mail, and says so long after it has it. */
async function relayThatHolds() {
  let mails = 0;
  const server = createServer((socket) => {
    let content = false;
    const lines = createInterface(socket);
    for (const part of [socket, lines]) part.on('error', () => {});
    socket.write('220 slow\r\n');
    lines.on('line', (line) => {
      const ends = content && line === '.';
      if (ends) setTimeout(() => socket.write('250 taken\r\n'), HELD_MS);
      else if (!content) socket.write(line === 'DATA' ? '354 go on\r\n' : '250 so be it\r\n');
      mails += Number(ends);
      content = content ? !ends : line === 'DATA';
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  atEnd(() => server.close());
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, mails: () => mails };
}

describe('npm start that is ended while the relay keeps mails waiting', () => {
  it('waits for what is on the wire: nobody is uncertain', async () => {
    const place = await createNamespace();
    const relay = await relayThatHolds();
    const api = await startApi({}, undefined, temporalWorkflows(place.client));
    await api.create('list', { name: 'News' });
    await insertPeople(
      api.pool,
      [1, 2, 3, 4].map((id) => ({ id, email: `person${id}@example.org`, lists: [1] })),
    );
    const { BASE_URL, SECRET_KEY } = api.env;
    const platform = await startPlatform(
      readEnv({
        DATA_DIR: dataFolder(),
        PORT: '0',
        BASE_URL,
        SECRET_KEY,
        DATABASE_URL: api.databaseUrl,
        TEMPORAL_ADDRESS: place.address,
        TEMPORAL_NAMESPACE: place.namespace,
        SMTP_URL: relay.url,
        SMTP_CONNECTIONS: '2',
        WORKER_PROCESSES: '1',
      }),
    );
    const mailing = await api.create('mailer', READY);
    const built = String((await api.call('POST', `${mailing}rebuild/`)).headers.location).slice(BASE_URL.length);
    while (!(await api.read(built)).finished) await sleep(100);
    await api.call('POST', `${mailing}queue/`);
    while (relay.mails() < 2) await sleep(50);
    await platform.stop();
    const { progress, uncertain } = await api.read(`${mailing}progress/`);
    deepEqual([progress, uncertain, relay.mails()], [2, 0, 2]);
    const left = await api.pool.query('select count(*)::int as n from send_shard where held_until is not null');
    deepEqual(left.rows, [{ n: 0 }]);
    await api.close();
  });
});
