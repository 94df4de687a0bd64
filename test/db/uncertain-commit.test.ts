import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { createPool } from '../../db/pool.ts';
import { isCommitUncertain } from '../../db/uncertain-commit.ts';
import { createDatabase } from '../support/database.ts';

describe('a connection lost in mid-statement', () => {
  let pool: pg.Pool;
  before(async () => {
    pool = createPool(await createDatabase(), 3);
    await pool.query('create table written (id int)');
  });
  after(() => pool.end());

  /** What `work` fails with when the server ends its connection while it waits. */
  async function lostIn(work: () => Promise<unknown>): Promise<unknown> {
    let over = false;
    const failed = work()
      .then(
        () => assert.fail('it was not lost'),
        (error: unknown) => error,
      )
      .finally(() => {
        over = true;
      });
    // Until it is this one: of others, whose connections are gone, the server may wait for the end still.
    for (; !over; await sleep(20)) {
      await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and query like '%pg_sleep(9)%' and pid <> pg_backend_pid()`,
      );
    }
    return failed;
  }

  it('may have made the change of a statement that commits by itself', async () => {
    assert.equal(isCommitUncertain(await lostIn(() => pool.query('insert into written select 1 from pg_sleep(9)'))), true);
  });

  for (const code of ['ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'])
    it(`may have made it where this machine ends the connection, too (${code})`, async () => {
      const client = await pool.connect();
      client.on('error', () => {});
      const { stream } = (client as pg.PoolClient & { connection: pg.Connection }).connection;
      setTimeout(() => stream.destroy(Object.assign(new Error(`read ${code}`), { code, syscall: 'read' })), 50);
      const error = await client.query('insert into written select 1 from pg_sleep(9)').catch((failure: unknown) => failure);
      client.release(true);
      assert.equal(isCommitUncertain(error), true);
    });

  it('has made none inside a transaction that was not committed, and none of a reading statement', async () => {
    const inTransaction = async () => {
      const client = await pool.connect();
      client.on('error', () => {});
      try {
        await client.query('begin');
        await client.query('insert into written select 1 from pg_sleep(9)');
      } finally {
        client.release(true);
      }
    };
    assert.equal(isCommitUncertain(await lostIn(inTransaction)), false);
    assert.equal(isCommitUncertain(await lostIn(() => pool.query('select pg_sleep(9)'))), false);
  });
});
