import { deepEqual, ok } from 'node:assert/strict';
import pg from 'pg';
import { openRebuildJob } from '../../../core/targeting/rebuild-job.ts';
import { rebuildSet } from '../../../core/targeting/rebuild-set.ts';
import { REBUILDABLE } from '../../../domain/mailing-status.ts';
import { createDatabase } from '../../support/database.ts';

const BLOCKS = 80;

describe('what a fast rebuild reads', () => {
  let pool: pg.Pool;
  before(async () => {
    pool = new pg.Pool({ connectionString: await createDatabase(), max: 4 });
    await pool.query(`insert into core_list (id, name) values (1, 'News')`);
    await pool.query(
      `insert into core_user (id, email, subscription_status) select n, 'p' || n || '@example.org', 'subscribed' from generate_series(1, ${BLOCKS * 1000}) n`,
    );
    await pool.query('insert into core_subscription (user_id, list_id) select id, 1 from core_user');
    // Sets that were there and are gone: the statistics take one they do not know for a block.
    await pool.query(
      `insert into send_set (mailing_id, first, least_user, most_user, user_ids) select 1000, n * 1000 + 1, 1, 1, '{1}' from generate_series(1, 1000) n`,
    );
    await pool.query('analyze');
    await pool.query('delete from send_set');
    await pool.query('vacuum send_set');
  });
  after(() => pool.end());

  async function everybody(): Promise<number> {
    const { rows } = await pool.query<{ id: number }>(`insert into core_mailing (includes) values ('{"lists": [1]}') returning id`);
    return rows[0]!.id;
  }

  /** A build that may be fast. @returns how many are in the set, and whether it was */
  async function build(mailingId: number): Promise<[number, boolean]> {
    const jobId = await openRebuildJob(pool, mailingId);
    await pool.query('update core_mailingrebuild set fast = true where id = $1', [jobId]);
    const deps = { pool, reportDatabaseUrl: '', statementTimeoutMs: 60_000, fastRebuild: true };
    const { count } = await rebuildSet(deps, { mailingId, jobId, during: REBUILDABLE });
    const { rows } = await pool.query<{ was_fast: boolean }>('select was_fast from core_mailingrebuild where id = $1', [jobId]);
    return [count, rows[0]!.was_fast];
  }

  it('is each block of the set a few times, also where the statistics do not know the mailing', async () => {
    const mailingId = await everybody();
    deepEqual(await build(mailingId), [BLOCKS * 1000, false]);
    await pool.query(`update core_user set subscription_status = 'bounced' where id % 1000 = 1`);
    const before = await read();
    deepEqual(await build(mailingId), [BLOCKS * 999, true]);
    // A connection tells of a transaction as a whole, a moment later.
    let many = 0;
    while (many < BLOCKS) many = (await read()) - before;
    ok(many < 20 * BLOCKS, `${many} rows of ${BLOCKS}`);
  });

  it('is nothing where so many have changed that a full build is faster', async () => {
    const mailingId = await everybody();
    const people = BLOCKS * 999;
    deepEqual(await build(mailingId), [people, false]);
    deepEqual(await build(mailingId), [people, true]);
    await pool.query(`update core_user set state = 'NY'`);
    deepEqual(await build(mailingId), [people, false]);
  });

  /** Rows of the sets that were read so far, by connections that have said so. */
  async function read(): Promise<number> {
    const { rows } = await pool.query(
      `select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as many from pg_stat_user_tables where relname = 'send_set'`,
    );
    return Number(rows[0].many);
  }
});
