import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeBackup } from '../../core/backup/dump.ts';
import { loadBackup } from '../../core/backup/load.ts';
import { newConnection } from '../../db/driver.ts';
import { freePort } from '../../embedded/ports.ts';
import { runProgram, startApiProcess } from '../../embedded/programs.ts';
import { connectOrm } from '../../entities/orm.ts';
import { migrations } from '../../migrations/index.ts';
import { ApiClient } from '../../tools/demo/client.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { atEnd } from '../support/endings.ts';
import { createNamespace } from '../support/temporal.ts';

/** A fresh database on the tests' server. @returns its address */
async function fresh(name: string, ...statements: string[]): Promise<string> {
  const made = await createDatabase();
  const run = async (url: string, texts: string[]) => {
    const client = newConnection(url);
    await client.connect();
    for (const text of texts) await client.query(text);
    await client.end();
  };
  await run(made, [`create database ${name} template template0`]);
  const url = Object.assign(new URL(made), { pathname: `/${name}` }).href;
  await run(url, statements);
  return url;
}

describe('a database that is set otherwise than the platform takes for granted', () => {
  it('is migrated, and serves: with a schema named like the login, another isolation, another style of dates', async () => {
    const url = await fresh(
      'set_otherwise',
      'create schema authorization campaign',
      `alter database set_otherwise set default_transaction_isolation = 'serializable'`,
      `alter database set_otherwise set datestyle = 'German'`,
    );
    const { address, namespace } = await createNamespace();
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const env = {
      ...process.env,
      PORT: String(port),
      BASE_URL: base,
      DATA_DIR: dataFolder(),
      DATABASE_URL: url,
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
    };
    const logFolder = dataFolder();
    await Promise.all([1, 2, 3].map(() => runProgram('migrate', { logFolder: dataFolder(), env })));
    const server = await startApiProcess({ logFolder, env }, base);
    atEnd(() => server.stop());
    const api = new ApiClient(base, 'admin', 'admin-password');
    await api.write('POST', '/rest/v1/signuppage/', { name: 'join' });
    const act = () => api.write('POST', '/rest/v1/action/', { page: 'join', email: 'ann@example.org', user_shirt: 'L' });
    await Promise.all(Array.from({ length: 12 }, act));
    const { objects } = await api.read<{ objects: { resource_uri: string }[] }>('/rest/v1/user/?email=ann@example.org');
    assert.equal(objects.length, 1);
    await api.write('PATCH', objects[0]!.resource_uri, await api.read(objects[0]!.resource_uri));
    const counted = await api.read('/rest/v1/report/run/sql/?query=select%20count(*)%20from%20core_action');
    assert.deepEqual(counted, [[12]]);
  });

  it('takes a backup of another one', async () => {
    const folder = join(dataFolder(), 'backup');
    await writeBackup(await createDatabase(), folder);
    const url = await fresh('restored_otherwise', 'create schema authorization campaign');
    await loadBackup(url, folder);
    const client = newConnection(url);
    await client.connect();
    const { rows } = await client.query(`select distinct schemaname from pg_tables where tablename like 'core%'`);
    await client.end();
    assert.deepEqual(rows, [{ schemaname: 'public' }]);
  });

  it('is migrated and copied whole where every statement, wait and transaction is ended after half a second', async () => {
    const url = await fresh('limited');
    const orm = await connectOrm({ DATABASE_URL: url, DATABASE_POOL: 1 });
    await orm.migrator.up({ to: migrations.at(-2)!.name });
    await orm.close(true);
    const user = newConnection(url);
    await user.connect();
    atEnd(() => user.end());
    for (const limit of ['statement_timeout', 'lock_timeout', 'transaction_timeout'])
      await user.query(`alter database limited set ${limit} = '500ms'`);
    /** Somebody else in the way for longer. */
    const behind = async (table: string, work: () => Promise<unknown>) => {
      await user.query(`begin; set local transaction_timeout = 0; lock table ${table}`);
      const working = work();
      await Promise.race([sleep(5_000), working]);
      await user.query('commit');
      await working;
    };
    const { address, namespace } = await createNamespace();
    const env = { ...process.env, DATABASE_URL: url, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, DATA_DIR: dataFolder() };
    const migrate = () => runProgram('migrate', { logFolder: dataFolder(), env });
    await behind('core_orderrecurring', () => Promise.all([migrate(), migrate()]));
    const folder = join(dataFolder(), 'backup');
    await behind('core_user', () => writeBackup(url, folder));
    const into = await fresh(
      'limited_too',
      `alter database limited_too set statement_timeout = '100ms'`,
      `alter database limited_too set transaction_timeout = '500ms'`,
    );
    await loadBackup(into, folder);
  });
});
