import { deepEqual, equal } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { writeRun } from '../../../core/sending/freeze.ts';
import { mergeRecipients } from '../../../core/sending/recipients-who-go.ts';
import { settleRecipients } from '../../../core/sending/settle-recipients.ts';
import { runSlice } from '../../../core/sending/slice.ts';
import { openRebuildJob } from '../../../core/targeting/rebuild-job.ts';
import { type RebuildDeps, rebuildSet } from '../../../core/targeting/rebuild-set.ts';
import { createPool } from '../../../db/pool.ts';
import { type Sql, sqlOn } from '../../../db/sql.ts';
import { inOneTransaction } from '../../../db/transaction.ts';
import { createDatabase } from '../../support/database.ts';
import { ledgerStates, ScriptedRelay, seedMailing, sliceSetup } from '../../support/sending.ts';

/** The lock whoever writes a mailing's set takes first. */
const WRITING = 7_236_903;

describe('people who are merged while their mailing is worked on', () => {
  let pool: pg.Pool;
  let url: string;
  let relay: ScriptedRelay;

  before(async () => {
    url = await createDatabase();
    pool = createPool(url, 12);
  });
  after(() => pool.end());
  beforeEach(() => {
    relay = new ScriptedRelay(2);
  });

  const somebodyWaits = async (forWhat = `wait_event_type = 'Lock'`) => {
    while ((await pool.query(`select from pg_stat_activity where datname = current_database() and ${forWhat}`)).rowCount === 0)
      await sleep(5);
  };
  const userAt = async (id: number, position: number): Promise<number> =>
    (await pool.query('select user_id from send_record where mailing_id = $1 and position = $2', [id, position])).rows[0].user_id;
  const placesOf = async (id: number, user: number) =>
    (await pool.query('select state, position from send_record where mailing_id = $1 and user_id = $2', [id, user])).rows;
  const stranger = async (): Promise<number> => {
    const { rows } = await pool.query(
      `insert into core_user (email, subscription_status) values (gen_random_uuid() || '@example.org', 'subscribed') returning id`,
    );
    return rows[0].id;
  };
  const newcomer = async (): Promise<number> => {
    const id = await stranger();
    await pool.query('insert into core_subscription (user_id, list_id) values ($1, (select id from core_list))', [id]);
    return id;
  };
  /** What of a merge has to do with mailings. */
  async function merge(sql: Sql, primary: number, merged: number): Promise<void> {
    await sql(
      `insert into core_usermerge (primary_user, users, address_user, source_user, status) values ($1, jsonb_build_array($2::int), $1, $1, 'complete')`,
      [primary, merged],
    );
    await mergeRecipients(sql, primary, [merged]);
    await sql('delete from core_subscription where user_id = $1', [merged]);
    await sql('delete from core_user where id = $1', [merged]);
  }
  /** As a draft whose set has yet to be built. */
  const unbegun = async (id: number) => {
    for (const table of ['send_shard', 'send_run', 'send_tally', 'send_set']) {
      await pool.query(`delete from ${table} where mailing_id = $1`, [id]);
    }
    await pool.query(`update core_mailing set status = 'draft', includes = '{"lists":[1]}' where id = $1`, [id]);
  };
  const finish = async (id: number) => {
    while ((await runSlice(sliceSetup(pool, id, relay))).next !== 'finished');
  };
  const sendAgain = async (id: number) => {
    await inOneTransaction(pool, async (_sql, client) => {
      await writeRun(client, id, {} as never, null, 100);
      await client.query(`update core_mailing set status = 'sending' where id = $1`, [id]);
    });
    const before = relay.written.length;
    await finish(id);
    return relay.written.slice(before);
  };
  const isMailedOnce = async (id: number, user: number) => {
    const { rows } = await pool.query('select email from core_user where id = $1', [user]);
    equal((await sendAgain(id)).filter((each) => each === rows[0].email).length, 1);
    deepEqual(
      (await placesOf(id, user)).map(({ state }) => state),
      [2],
    );
  };
  /**
   * Builds the set of a mailing, and merges in between: the build has read everybody by then, and is not committed.
   * @param fast whether only what has changed is looked for
   */
  async function mergeDuringBuild(id: number, fast: boolean, primary: number, merged: number): Promise<void> {
    const { rows } = await pool.query('select status from core_mailing where id = $1', [id]);
    const jobId = await openRebuildJob(pool, id);
    await pool.query('update core_mailingrebuild set fast = $2 where id = $1', [jobId, fast]);
    const [begin, end] = [await pool.connect(), await pool.connect()];
    await begin.query('select pg_advisory_lock($1, $2)', [WRITING, id]);
    const deps = { pool, reportDatabaseUrl: url, statementTimeoutMs: 5000, fastRebuild: true } as unknown as RebuildDeps;
    const built = rebuildSet(deps, { mailingId: id, jobId, during: [rows[0].status] });
    await somebodyWaits();
    // The end of a build writes the mailing's row.
    await end.query('begin');
    await end.query('select from core_mailing where id = $1 for no key update', [id]);
    await begin.query('select pg_advisory_unlock_all()');
    begin.release();
    // It has read everybody when it waits for the row.
    await somebodyWaits(`wait_event_type = 'Lock' and wait_event in ('transactionid', 'tuple')`);
    const merging = inOneTransaction(pool, (sql) => merge(sql, primary, merged));
    await Promise.race([merging, sleep(1000)]);
    await end.query('commit');
    end.release();
    await Promise.all([built, merging]);
  }

  async function resentAndMerged(primaryOf: (id: number) => Promise<number>, mergedAt: number) {
    const id = await seedMailing(pool, 10, { shardSize: 10 });
    const refused = String(await userAt(id, 5));
    const address = (await pool.query('select email from core_user where id = $1', [refused])).rows[0].email;
    relay.answer = (mail) => (mail.envelopeTo === address ? { kind: 'failed', reply: '550' } : { kind: 'accepted', reply: '250' });
    await finish(id);
    await pool.query(`update core_mailing set status = 'completed' where id = $1`, [id]);
    const [primary, merged] = [await primaryOf(id), await userAt(id, mergedAt)];
    const resending = await pool.connect();
    await resending.query('begin');
    equal(await settleRecipients(sqlOn(resending), id, 'failed/resend'), 1);
    const merging = inOneTransaction(pool, (sql) => merge(sql, primary, merged));
    await somebodyWaits();
    await resending.query('commit');
    resending.release();
    await merging;
    relay.answer = () => ({ kind: 'accepted', reply: '250' });
    return { id, primary };
  }

  it('are not mailed again where the one was mailed and the other is just being mailed anew', async () => {
    const { id, primary } = await resentAndMerged((mailing) => userAt(mailing, 5), 6);
    await pool.query(`update core_mailing set status = 'sending' where id = $1`, [id]);
    const before = relay.written.length;
    await finish(id);
    deepEqual([relay.written.length - before, (await placesOf(id, primary)).length], [0, 1]);
  });

  it('are mailed as who they have become where they are just being mailed anew', async () => {
    const { id, primary } = await resentAndMerged(newcomer, 5);
    deepEqual(await placesOf(id, primary), [{ state: 0, position: 5 }]);
  });

  it('are not mailed again where the set of a stopped mailing is being built anew', async () => {
    const id = await seedMailing(pool, 10, { shardSize: 10 });
    await pool.query(`update core_mailing set includes = '{"lists":[1]}' where id = $1`, [id]);
    await finish(id);
    await pool.query(`update core_mailing set status = 'stopped' where id = $1`, [id]);
    const primary = await newcomer();
    const merged = await userAt(id, 6);
    await mergeDuringBuild(id, false, primary, merged);
    const { rows } = await pool.query('select email from core_user where id = $1', [primary]);
    equal((await sendAgain(id)).includes(rows[0].email), false);
    deepEqual(
      (await placesOf(id, primary)).map(({ state }) => state),
      [2],
    );
    equal((await ledgerStates(pool, id)).pending, undefined);
  });

  it('stand in a set once that is being brought up to date', async () => {
    const id = await seedMailing(pool, 10, { shardSize: 10 });
    await unbegun(id);
    const jobId = await openRebuildJob(pool, id);
    const deps = { pool, reportDatabaseUrl: url, statementTimeoutMs: 5000, fastRebuild: true } as unknown as RebuildDeps;
    await rebuildSet(deps, { mailingId: id, jobId, during: ['draft'] });
    const primary = await newcomer();
    await mergeDuringBuild(id, true, primary, await userAt(id, 6));
    await sendAgain(id);
    deepEqual(
      (await placesOf(id, primary)).map(({ state }) => state),
      [2],
    );
  });

  it('are mailed as who they have become where that one was not meant while the set was being built', async () => {
    const id = await seedMailing(pool, 10, { shardSize: 10 });
    const merged = await userAt(id, 6);
    await unbegun(id);
    const [primary, last] = [await stranger(), await stranger()];
    await mergeDuringBuild(id, false, primary, merged);
    // And that one with a third, before it begins: of this merge the set knows nothing either.
    await inOneTransaction(pool, (sql) => merge(sql, last, primary));
    await isMailedOnce(id, last);
  });

  it('are mailed once where they are merged hours later with somebody who stands in the set, too', async () => {
    const id = await seedMailing(pool, 10, { shardSize: 10 });
    const [merged, last] = [await userAt(id, 6), await userAt(id, 7)];
    await unbegun(id);
    const primary = await stranger();
    await mergeDuringBuild(id, false, primary, merged);
    await pool.query(
      `update core_mailingrebuild set created_at = created_at - interval '3 hours', finished_at = finished_at - interval '3 hours' where mailing_id = $1`,
      [id],
    );
    await pool.query(`update core_usermerge set updated_at = updated_at - interval '3 hours'`);
    await inOneTransaction(pool, (sql) => merge(sql, last, primary));
    await isMailedOnce(id, last);
  });

  it('are mailed as who they have become where they are merged once more in the moment in which the mailing begins', async () => {
    const id = await seedMailing(pool, 10, { shardSize: 10 });
    const merged = await userAt(id, 6);
    await unbegun(id);
    const [primary, last] = [await stranger(), await stranger()];
    await mergeDuringBuild(id, false, primary, merged);
    const client = await pool.connect();
    await client.query('begin');
    await merge(sqlOn(client), last, primary);
    const sent = isMailedOnce(id, last);
    await Promise.race([somebodyWaits(), sent.catch(() => {})]);
    await client.query('commit');
    client.release();
    await sent;
  });

  it('are not mailed where the mailing excludes who they have become by name', async () => {
    const id = await seedMailing(pool, 10, { shardSize: 10 });
    const merged = await userAt(id, 6);
    await unbegun(id);
    const primary = await stranger();
    await pool.query('update core_mailing set excludes = $2 where id = $1', [id, { users: [primary] }]);
    await mergeDuringBuild(id, false, primary, merged);
    const { rows } = await pool.query('select email from core_user where id = $1', [primary]);
    equal((await sendAgain(id)).includes(rows[0].email), false);
    deepEqual(await placesOf(id, primary), []);
  });
});
