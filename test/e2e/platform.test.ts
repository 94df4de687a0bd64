import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { readEnv } from '../../config/env.ts';
import { type Platform, startPlatform } from '../../embedded/platform.ts';
import { ApiClient } from '../../tools/demo/client.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { createNamespace } from '../support/temporal.ts';

describe('npm start', () => {
  const env = readEnv({ PORT: '0', DATA_DIR: dataFolder(), WORKER_PROCESSES: '1' });
  const heard = new EventEmitter();
  let platform: Platform;
  const client = () => new ApiClient(platform.baseUrl, env.ADMIN_USERNAME, env.ADMIN_PASSWORD);
  afterEach(() => platform?.stop());

  it('brings everything up, starts a killed part again, and answers all the while it can', async () => {
    platform = await startPlatform(env, { onRestart: (name) => heard.emit(name) });
    await client().write('POST', '/rest/v1/list/', { name: 'Kept' });
    for (const part of ['api', 'postgres', 'temporal']) {
      const back = once(heard, part);
      process.kill(platform.supervisor.pid(part)!, 'SIGKILL');
      await back;
      const { status } = await client().read<{ status: string }>('/health/ready');
      assert.equal(status, 'ok');
    }
    for (const address of [platform.addresses['Inbox']!, platform.addresses['Temporal UI']!, platform.addresses['API documentation']!]) {
      assert.equal((await fetch(address)).status, 200, address);
    }
    const login = await (await fetch(`${platform.baseUrl}/console/login`)).text();
    assert.ok(login.includes(`href="${platform.addresses['Inbox']}"`), login);
  });

  it('uses services that the settings name, and brings the others', async () => {
    const { address, namespace } = await createNamespace();
    const database = await createDatabase();
    const named = { DATABASE_URL: database, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
    platform = await startPlatform(readEnv({ PORT: '0', DATA_DIR: dataFolder(), WORKER_PROCESSES: '2', ...named }));
    const running = ['postgres', 'temporal', 'api', 'worker-1', 'worker-2'].filter((part) => platform.supervisor.pid(part));
    assert.deepEqual(running, ['api', 'worker-1', 'worker-2']);
    assert.equal(platform.databaseUrl, database);
    assert.deepEqual(await client().read('/health/ready'), { status: 'ok', database: 'ok', workflows: 'ok' });
  });

  it('listens on an address of IPv6, and leads to it', async () => {
    platform = await startPlatform(readEnv({ PORT: '0', HOST: '::1', DATA_DIR: dataFolder(), WORKER_PROCESSES: '1' }));
    assert.match(platform.addresses['API']!, /^http:\/\/\[::1\]:\d+\/rest\/v1\/$/);
    assert.equal((await client().read<{ status: string }>('/health/ready')).status, 'ok');
  });

  it('lets nobody else on its data folder', async () => {
    platform = await startPlatform(env);
    const start = join(import.meta.dirname, '../../bin/start.ts');
    const second = spawn(process.execPath, [start], { env: { ...process.env, PORT: '0', DATA_DIR: env.DATA_DIR } });
    let said = '';
    second.stderr.on('data', (text) => {
      said += text;
    });
    assert.deepEqual(await once(second, 'close'), [1, null]);
    assert.match(said, new RegExp(`DATA_DIR: process ${process.pid} is running on`));
  });

  it('finds everything again after a restart', async () => {
    platform = await startPlatform(env);
    const { objects } = await client().read<{ objects: { name: string }[] }>('/rest/v1/list/?name=Kept');
    assert.equal(objects.length, 1);
  });
});
