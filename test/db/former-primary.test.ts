import { deepEqual, equal, rejects } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { newConnection } from '../../db/driver.ts';
import { createPool } from '../../db/pool.ts';
import { DatabaseProbe } from '../../db/probe.ts';
import { onOneConnection } from '../../db/transaction.ts';
import { createDatabase } from '../support/database.ts';

// A session goes on as it was begun, as one with who was the primary does while its address leads to another by now.
describe('connections from when a database took no changes', () => {
  let databaseUrl: string;
  let owner: ReturnType<typeof newConnection>;
  let pool: pg.Pool;
  before(async () => {
    databaseUrl = await createDatabase();
    owner = newConnection(databaseUrl);
    await owner.connect();
    await owner.query('create table written (id int)');
  });
  after(() => owner.end());
  afterEach(() => pool.end());

  const readOnly = (how: string) => owner.query(`alter database ${new URL(databaseUrl).pathname.slice(1)} ${how}`);
  /** As many connections as it may hold, all from before, and idle. */
  const poolFromThen = async (name: string) => {
    await readOnly('set default_transaction_read_only = on');
    pool = createPool(`${databaseUrl}?application_name=${name}`, 3);
    const clients = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
    for (const client of clients) client.release();
    await readOnly('reset default_transaction_read_only');
  };

  it('are given up where it is asked all the time whether all is well', async () => {
    await poolFromThen('asked');
    const probe = new DatabaseProbe(pool);
    equal(await probe.state(5_000), 'read only');
    await sleep(20);
    equal(await probe.state(5_000), 'ok');
    await pool.query('insert into written values (1)');
  });

  it('are given up once a change was refused in a transaction, those at work when they are given back', async () => {
    await poolFromThen('refused');
    const busy = await pool.connect();
    const write = () => onOneConnection(pool, (client) => client.query('insert into written values (2)'));
    await rejects(write(), { code: '25006' });
    await sleep(20);
    const others = await Promise.all([pool.connect(), pool.connect()]);
    for (const client of others) await client.query('insert into written values (3)');
    for (const client of others) client.release();
    deepEqual((await busy.query('select 1 as one')).rows, [{ one: 1 }]);
    busy.release();
    for (const client of await Promise.all([pool.connect(), pool.connect(), pool.connect()])) {
      await client.query('insert into written values (4)');
      client.release();
    }
  });
});
