import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { endPass } from '../../../core/sending/end-pass.ts';
import { Committed } from '../../../core/sending/lost-commits.ts';
import { eraseRecipient, excludeRecipient } from '../../../core/sending/recipients-who-go.ts';
import { commitTurn, releaseShard, takeShard } from '../../../core/sending/shards.ts';
import { runSlice } from '../../../core/sending/slice.ts';
import { openRebuildJob } from '../../../core/targeting/rebuild-job.ts';
import { type RebuildDeps, rebuildSet } from '../../../core/targeting/rebuild-set.ts';
import { createPool } from '../../../db/pool.ts';
import { sqlOn } from '../../../db/sql.ts';
import { inOneTransaction } from '../../../db/transaction.ts';
import { LEDGER_STATE } from '../../../domain/words.ts';
import { createDatabase } from '../../support/database.ts';
import { ledgerStates, ScriptedRelay, seedMailing, shardCounters, sliceSetup } from '../../support/sending.ts';
import { untilWaiting } from '../../support/sessions.ts';

interface Statement {
  name?: string;
  values?: unknown[];
}

const numberOf = (address: string) => Number(/\d+/.exec(address)![0]);

describe('what others write while a shard is sent', () => {
  let pool: pg.Pool;
  let url: string;

  before(async () => {
    url = await createDatabase();
    pool = createPool(url, 10);
  });
  after(() => pool.end());

  /** The pool, with something happening before a statement is carried out. */
  const troubled = (trouble: (statement: Statement) => Promise<unknown> | unknown) =>
    ({
      async query(statement: Statement, ...rest: unknown[]) {
        await trouble(statement);
        return (pool.query as (...all: unknown[]) => unknown)(statement, ...rest);
      },
    }) as unknown as pg.Pool;
  const userAt = async (id: number, position: number): Promise<number> =>
    (await pool.query('select user_id from send_record where mailing_id = $1 and position = $2', [id, position])).rows[0].user_id;

  it('holds, though the database goes away in the very turn that learned of it', async () => {
    const id = await seedMailing(pool, 10, { shardSize: 10 });
    const relay = new ScriptedRelay(2);
    let [excluded, turns] = [0, 0];
    const flaky = troubled(async ({ name, values }) => {
      if (name !== 'commit-turn') return;
      const claimedTo = values![5] as number;
      if (turns === 0 && claimedTo >= 5) excluded = claimedTo;
      if (excluded === 0 || turns === 2) return;
      turns++;
      if (turns === 2) throw new Error('Query read timeout');
      await inOneTransaction(pool, async (sql) => excludeRecipient(sql, await userAt(id, excluded), [id]));
    });
    while ((await runSlice(sliceSetup(pool, id, relay, { pool: flaky }))).next !== 'finished');
    equal(relay.written.map(numberOf).includes(excluded), false, 'somebody who was excluded was mailed');
    deepEqual(await ledgerStates(pool, id), { accepted: 9, skipped: 1 });
    const { accepted, skipped, uncertain } = await shardCounters(pool, id);
    deepEqual([accepted, skipped, uncertain], [9, 1, 0]);
  });

  it('ends the run where the last commit of the shard itself is missing, though no statement has failed', async () => {
    const id = await seedMailing(pool, 8, { shardSize: 8 });
    const relay = new ScriptedRelay(4);
    let lost = false;
    relay.answer = async (_mail, nth) => {
      if (nth <= 8) return { kind: 'deferred', reply: '450 later' };
      if (!lost) {
        lost = true;
        // A standby is promoted that lacks it, behind a pooler that keeps connections.
        await pool.query('delete from send_log where mailing_id = $1 and seq = (select seq from send_shard where mailing_id = $1)', [id]);
        await pool.query('update send_shard set seq = seq - 1 where mailing_id = $1', [id]);
      }
      await sleep(300);
      return { kind: 'accepted', reply: '250' };
    };
    const committed = new Committed().of(id, null);
    let why = '';
    while (why === '') {
      const { next } = await runSlice(sliceSetup(pool, id, relay, { committed })).catch((error: Error) => ({ next: error.message }));
      if (next !== 'more' && next !== 'wait') why = next;
    }
    ok(/lost commits/.test(why), why);
    const again = relay.written.slice(8);
    equal(new Set(again).size, again.length, 'somebody was mailed twice');
  });

  it('ends the run where commits of a shard finished long ago are missing, before another worker may take it', async () => {
    const id = await seedMailing(pool, 40, { shardSize: 20 });
    const before: Record<string, unknown[]> = {};
    const tables = ['send_shard', 'send_log', 'send_set'];
    const keep = troubled(async ({ name, values }) => {
      if (name !== 'commit-turn' || values![1] !== 0 || (values![5] as number) < 12 || before['send_shard']) return;
      for (const table of tables)
        before[table] = (await pool.query(`select to_json(t) as row from ${table} t where mailing_id = $1 and shard_of(t) = 0`, [id])).rows;
    });
    await pool.query(`create function shard_of(s send_shard) returns int language sql as 'select s.shard';
      create function shard_of(l send_log) returns int language sql as 'select l.shard'; create function shard_of(b send_set) returns int language sql as 'select 0'`);
    let lost = false;
    const relay = new ScriptedRelay(2);
    relay.answer = async (mail) => {
      if (numberOf(mail.envelopeTo) <= 20) return { kind: 'accepted', reply: '250' };
      const { rows } = await pool.query('select finished from send_shard where mailing_id = $1 and shard = 0', [id]);
      if (!lost && rows[0].finished) {
        lost = true;
        await pool.query('delete from send_accepted where mailing_id = $1 and position <= 20', [id]);
        for (const table of tables) {
          await pool.query(`delete from ${table} t where mailing_id = $1 and shard_of(t) = 0`, [id]);
          await pool.query(
            `insert into ${table} select (json_populate_record(null::${table}, r.row)).* from json_to_recordset($1) as r(row json)`,
            [JSON.stringify(before[table])],
          );
        }
      }
      await sleep(600);
      return { kind: 'accepted', reply: '250' };
    };
    const committed = new Committed().of(id, null);
    const one = runSlice(sliceSetup(pool, id, relay, { pool: keep, committed, leaseSeconds: 2, seconds: 12 })).catch(
      (error: Error) => error.message,
    );
    // It would have ended here.
    while (!lost) await Promise.race([one.then((end) => ok(lost, String(end))), sleep(10)]);
    const another = new ScriptedRelay(2);
    for (const until = Date.now() + 6000; Date.now() < until && another.written.length === 0; await sleep(100)) {
      const setup = sliceSetup(pool, id, another, { committed: new Committed().of(id, null), leaseSeconds: 2, seconds: 5 });
      if ((await runSlice(setup)).next === 'stop') break;
    }
    deepEqual(another.written, []);
    ok(/lost commits/.test(String(await one)), String(await one));
  });

  it('is not sent on by a slice of a run that was ended, when the next one has begun', async () => {
    const id = await seedMailing(pool, 400, { shardSize: 400 });
    const relay = new ScriptedRelay(1);
    relay.answer = async () => {
      await sleep(5);
      return { kind: 'accepted', reply: '250' };
    };
    const { rows } = await pool.query('select started_at::text as run from send_run where mailing_id = $1', [id]);
    let sleeping: Promise<void> | null = null;
    const slept = troubled(({ name }) => (name === 'commit-turn' ? sleeping : null));
    const slice = runSlice(sliceSetup(pool, id, relay, { run: rows[0].run, pool: slept, seconds: 60 }));
    while (relay.written.length < 10) await sleep(5);
    const awake = Promise.withResolvers<void>();
    sleeping = awake.promise;
    await sleep(100);
    await pool.query('update send_run set started_at = now(), ended = false where mailing_id = $1', [id]);
    const before = relay.written.length;
    sleeping = null;
    awake.resolve();
    equal((await slice).next, 'more');
    ok(relay.written.length <= before + 2, `${relay.written.length - before} mails more`);
  });

  it('is not lost by a build of the set that begins meanwhile: who is being erased is told of', async () => {
    const id = await seedMailing(pool, 10, { shardSize: 10 });
    await pool.query(`update core_mailing set includes = '{"lists":[1]}' where id = $1`, [id]);
    const shard = (await takeShard(pool, id, 10))!;
    await commitTurn(pool, shard, 10, [], [1, 2, 3]);
    const done = [1, 2, 3].map((position) => ({ position, state: LEDGER_STATE.accepted, detail: null }));
    await commitTurn(pool, shard, 10, done, []);
    await releaseShard(pool, shard);
    await pool.query(`update core_mailing set status = 'stopped', expected_send_count = 10 where id = $1`, [id]);
    const user = await userAt(id, 7);
    const jobId = await openRebuildJob(pool, id);
    const erasing = await pool.connect();
    await erasing.query('begin');
    await erasing.query(`update core_user set subscription_status = 'unsubscribed' where id = $1`, [user]);
    await erasing.query('delete from core_subscription where user_id = $1', [user]);
    await eraseRecipient(sqlOn(erasing), user);
    const deps = { pool, reportDatabaseUrl: url, statementTimeoutMs: 5000, fastRebuild: false } as unknown as RebuildDeps;
    const rebuilt = rebuildSet(deps, { mailingId: id, jobId, during: ['stopped'] });
    await untilWaiting(pool);
    await erasing.query('commit');
    erasing.release();
    await rebuilt;
    const { skipped } = await shardCounters(pool, id);
    deepEqual([(await ledgerStates(pool, id)).skipped, skipped], [1, 1]);
  });

  it('takes the relay’s words about who is erased out of a record that is just being written', async () => {
    const id = await seedMailing(pool, 3, { shardSize: 3 });
    const shard = (await takeShard(pool, id, 10))!;
    await commitTurn(pool, shard, 10, [], [1, 2, 3]);
    const refused = { position: 1, state: LEDGER_STATE.failed, detail: '550 <person1@example.org> unknown' };
    const others = [2, 3].map((position) => ({ position, state: LEDGER_STATE.accepted, detail: null }));
    await commitTurn(pool, shard, 10, [refused, ...others], []);
    const user = await userAt(id, 1);
    const erasing = await pool.connect();
    await erasing.query('begin');
    await eraseRecipient(sqlOn(erasing), user);
    const ended = endPass(pool, { ...shard }, 0);
    await untilWaiting(pool);
    await erasing.query('commit');
    erasing.release();
    await ended;
    const again = (await takeShard(pool, id, 10))!;
    await endPass(pool, again, 0);
    const { rows } = await pool.query('select detail from send_exception where mailing_id = $1', [id]);
    deepEqual(rows, [{ detail: null }]);
  });
});
