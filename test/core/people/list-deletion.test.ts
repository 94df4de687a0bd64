import assert from 'node:assert/strict';
import { runListDeletion } from '../../../core/people/list-deletion.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { untilWaiting } from '../../support/sessions.ts';

const PEOPLE = 6000;
const quiet = { info() {}, warn() {}, error() {} };

describe('a list taken apart in batches', () => {
  /** Statistics are gathered where this says so: while the rows are not committed yet, so that they say the table is empty. */
  const fill = async (api: TestApi, table: string, unseen: boolean, statement: string, values: unknown[]) => {
    const client = await api.pool.connect();
    await client.query('begin');
    await client.query(statement, values);
    if (unseen) await api.pool.query(`analyze ${table}`);
    await client.query('commit');
    client.release();
  };

  /** @returns milliseconds the deletion took */
  const deletion = async (unseen: boolean) => {
    const api = await startApi();
    try {
      const list = (await api.create('list', { name: 'Everybody' })).split('/')[4]!;
      await fill(api, 'core_user', unseen, `insert into core_user (email) select i || '@example.org' from generate_series(1, $1::int) i`, [
        PEOPLE,
      ]);
      await fill(api, 'core_subscription', unseen, 'insert into core_subscription (user_id, list_id) select id, $1 from core_user', [list]);
      await fill(
        api,
        'core_subscriptionhistory',
        unseen,
        `insert into core_subscriptionhistory (user_id, list_id, change) select id, $1, 'subscribe' from core_user`,
        [list],
      );
      const job = await api.pool.query('insert into core_listdeletion (list_id, people) values ($1, $2) returning id', [list, PEOPLE]);
      const began = performance.now();
      assert.equal(await runListDeletion({ pool: api.pool, log: quiet }, job.rows[0].id, () => true), false);
      const took = performance.now() - began;
      const { rows } = await api.pool.query('select status, removed from core_listdeletion');
      assert.deepEqual(rows, [{ status: 'complete', removed: PEOPLE }]);
      return took;
    } finally {
      await api.close();
    }
  };

  it('is so as fast while the statistics still say that nobody is there', async () => {
    let [told, untold] = [Infinity, Infinity];
    // In turns, so that a busy moment is nobody's alone, and again where it lasted.
    for (let n = 0; n < 4 && !(untold < 4 * told + 500); n++) {
      told = Math.min(told, await deletion(false));
      untold = Math.min(untold, await deletion(true));
    }
    assert.ok(untold < 4 * told + 500, `${Math.round(untold)} ms against ${Math.round(told)}`);
  });

  it('counts whoever came onto it in its last moment, too', async () => {
    const api = await startApi();
    try {
      const list = Number((await api.create('list', { name: 'Everybody' })).split('/')[4]);
      await api.pool.query(`insert into core_user (email) select i || '@example.org' from generate_series(1, 3) i`);
      const joins = 'insert into core_subscription (user_id, list_id) select id, $1 from core_user where email = $2';
      await api.pool.query(joins, [list, '1@example.org']);
      const job = await api.pool.query('insert into core_listdeletion (list_id, people) values ($1, 1) returning id', [list]);
      const client = await api.pool.connect();
      await client.query('begin');
      await client.query(joins, [list, '2@example.org']);
      await client.query(joins, [list, '3@example.org']);
      const deleted = runListDeletion({ pool: api.pool, log: quiet }, job.rows[0].id, () => true);
      await untilWaiting(api.pool);
      await client.query('commit');
      client.release();
      assert.equal(await deleted, false);
      const { rows } = await api.pool.query(
        'select status, removed, (select count(*)::int from core_subscription) as there from core_listdeletion',
      );
      assert.deepEqual(rows, [{ status: 'complete', removed: 3, there: 0 }]);
    } finally {
      await api.close();
    }
  });
});
