import assert from 'node:assert/strict';
import { openRound } from '../../core/crm/round.ts';
import type { CoreDeps } from '../../core/deps.ts';
import { createPool } from '../../db/pool.ts';
import { READY } from '../support/mailings.ts';
import { type WholePlatform, wholePlatform } from '../support/whole-platform.ts';

// What an operator sets for login or database against statements that were forgotten somewhere. What takes longer for its size would fail the same each time, for ever.
describe('a database that ends every statement after a while', () => {
  let platform: WholePlatform;

  before(async function () {
    this.timeout(240_000);
    platform = await wholePlatform({}, ['ann@example.org', 'bob@example.org']);
    const { pool } = platform.api;
    // As slow as with millions of people.
    await pool.query(`
      create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(2); return null; end';
      create trigger slow after insert on send_set execute function slow();
      create trigger slow after insert on send_shard execute function slow();
      create trigger slow after update on core_crmmap for each row execute function slow();
      insert into core_crmmap (user_id, status, wanted, done) select id, 'synced', 1, 1 from core_user`);
    const { rows } = await pool.query('select current_database() as name');
    for (const limit of ['statement_timeout', 'transaction_timeout'])
      await pool.query(`alter database ${rows[0].name} set ${limit} = '1s'`);
    await pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = current_user and pid <> pg_backend_pid()',
    );
  });
  after(() => platform?.close());

  it('lets the users of a mailing be built, and its sending begin, however long that takes', async function () {
    this.timeout(60_000);
    const uri = await platform.ready(READY);
    const { status, progress } = await platform.watch(await platform.post(`${uri}queue/`));
    assert.deepEqual([status, progress], ['completed', 2]);
  });

  it('lets a round of the CRM sync find who has changed', async () => {
    const { databaseUrl, env } = platform.api;
    const pool = createPool(databaseUrl, 2);
    try {
      const { changed } = await openRound({ pool, env, log: console } as unknown as CoreDeps, new AbortController().signal);
      assert.equal(changed, 2);
    } finally {
      await pool.end();
    }
  });
});
