import assert from 'node:assert/strict';
import { leftBehind } from '../../../core/forgotten.ts';
import { createPool } from '../../../db/pool.ts';
import { createDatabase } from '../../support/database.ts';

const MAILINGS = 200;
const SHARDS = 500;

// Shards stay, ten thousand a day where a hundred million mails are sent, and the sweep asks four times a minute.
describe('what killed workers have left on the wire', () => {
  it('is found without the shards of all mailings there ever were being read', async () => {
    const pool = createPool(await createDatabase(), 1);
    try {
      await pool.query(`
        alter table send_shard set (autovacuum_enabled = off);
        insert into core_mailing (status) select 'completed' from generate_series(1, ${MAILINGS});
        insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, accepted, finished, held_until)
          select m, s, 1, 1, 1, 1, true, case when s % 2 = 0 then now() end from generate_series(1, ${MAILINGS}) m, generate_series(1, ${SHARDS}) s;
        update core_mailing set status = 'stopped' where id = 7;
        update send_shard set finished = false, held_until = now() where mailing_id = 7 and shard = 3`);
      await pool.query('vacuum analyze send_shard');
      const read = async () => {
        await pool.query('select pg_stat_force_next_flush()');
        const { rows } = await pool.query(
          `select heap_blks_read + heap_blks_hit as blocks from pg_statio_user_tables where relname = 'send_shard'`,
        );
        return Number(rows[0].blocks);
      };
      const before = await read();
      assert.deepEqual(await leftBehind(pool), [7]);
      const blocks = (await read()) - before;
      assert.ok(blocks < 20, `${blocks} blocks were read`);

      const hot = async () => {
        await pool.query('select pg_stat_force_next_flush()');
        const { rows } = await pool.query(`select n_tup_hot_upd as hot from pg_stat_user_tables where relname = 'send_shard'`);
        return Number(rows[0].hot);
      };
      const changedBefore = await hot();
      await pool.query('update send_shard set seq = seq + 1, held_until = now() where mailing_id = 7 and shard < 6');
      assert.equal((await hot()) - changedBefore, 5, 'a commit of the ledger writes to no index');
    } finally {
      await pool.end();
    }
  });
});
