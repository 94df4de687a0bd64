import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { audienceQuery } from '../../core/sending/audience.ts';
import { drawPace } from '../../core/sending/pace.ts';
import { eraseRecipient, excludeRecipient } from '../../core/sending/recipients-who-go.ts';
import { commitTurn, settleAbandoned, shardsLeft, takeShard } from '../../core/sending/shards.ts';
import { runSlice } from '../../core/sending/slice.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import type { Relay } from '../../mail/contracts.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { ledgerStates, plainMail, ScriptedRelay, seedMailing, sliceSetup } from '../support/sending.ts';
import { sleepWhileStopped } from '../support/stopped-meanwhile.ts';

interface Statement {
  name?: string;
  text?: string;
  values?: unknown[];
}

const numberOf = (address: string) => Number(/\d+/.exec(address)![0]);

// Each was a way to lose somebody, or to mail somebody twice, for which several things have to go wrong.
describe('a slice in several troubles at once', () => {
  let api: TestApi;
  let pool: pg.Pool;

  before(async () => {
    api = await startApi();
    pool = api.pool;
  });
  after(() => api.close());

  const setStatus = (id: number, status: string) => pool.query('update core_mailing set status = $2 where id = $1', [id, status]);

  /** The pool, where some statements go wrong. */
  const troubled = (trouble: (statement: Statement) => Promise<void>) =>
    ({
      async query(statement: Statement, ...rest: unknown[]) {
        await trouble(statement);
        return (pool.query as (...all: unknown[]) => unknown)(statement, ...rest);
      },
    }) as unknown as pg.Pool;

  it('mails nobody twice whom a killed worker had on the wire, though others of the shard are resent and a connection is lost', async () => {
    const id = await seedMailing(pool, 10, { shardSize: 10 });
    const killed = (await takeShard(pool, id, 10))!;
    await commitTurn(pool, killed, 10, [], [1, 2, 3]);
    await commitTurn(pool, killed, 10, [{ position: 1, state: LEDGER_STATE.failed, detail: '550' }], []);
    await setStatus(id, 'died');
    await pool.query(`update send_shard set held_until = now() - interval '1 second' where mailing_id = $1`, [id]);
    deepEqual((await api.call('POST', `/rest/v1/mailer/${id}/failed/resend/`)).json(), { settled: 1 });
    await setStatus(id, 'sending');
    const relay = new ScriptedRelay(2);
    let turns = 0;
    const flaky = troubled(async ({ name }) => {
      if (name === 'commit-turn' && ++turns === 2) throw new Error('connection reset');
    });
    while ((await runSlice(sliceSetup(pool, id, relay, { pool: flaky }))).next !== 'finished');
    deepEqual(
      relay.written.map(numberOf).sort((a, b) => a - b),
      [1, 4, 5, 6, 7, 8, 9, 10],
    );
    deepEqual(await ledgerStates(pool, id), { accepted: 8, uncertain: 2 });
  });

  const userAt = async (id: number, position: number): Promise<number> =>
    (await pool.query('select user_id from send_record where mailing_id = $1 and position = $2', [id, position])).rows[0].user_id;
  const counted = async (id: number) =>
    (
      await pool.query(
        'select sum(accepted)::int as accepted, sum(failed)::int as failed, sum(skipped)::int as skipped from send_shard where mailing_id = $1',
        [id],
      )
    ).rows[0];

  it('heeds what others wrote while a turn was not answered: who is excluded by then gets no mail, and is counted once', async () => {
    // Once the turn that claims them is lost, and once what follows it, too.
    for (const lost of [1, 2]) {
      const id = await seedMailing(pool, 10, { shardSize: 10 });
      const relay = new ScriptedRelay(2);
      let [excluded, turns] = [0, 0];
      const flaky = troubled(async ({ name, values }) => {
        if (name !== 'commit-turn') return;
        const claimedTo = values![5] as number;
        if (turns === 0 && claimedTo >= 5) excluded = claimedTo;
        if (excluded === 0 || turns === lost) return;
        if (++turns === lost) await inOneTransaction(pool, async (sql) => excludeRecipient(sql, await userAt(id, excluded), [id]));
        throw new Error('Query read timeout');
      });
      while ((await runSlice(sliceSetup(pool, id, relay, { pool: flaky }))).next !== 'finished');
      equal(turns, lost);
      equal(relay.written.map(numberOf).includes(excluded), false);
      equal(relay.written.length, 9);
      deepEqual(await ledgerStates(pool, id), { accepted: 9, skipped: 1 });
      deepEqual(await counted(id), { accepted: 9, failed: 0, skipped: 1 });
    }
  });

  it('counts nobody twice who was skipped by a turn that was not answered and by somebody else meanwhile', async () => {
    const id = await seedMailing(pool, 10, { shardSize: 10 });
    const leaver = await userAt(id, 1);
    await pool.query(`update core_user set subscription_status = 'unsubscribed' where id = $1`, [leaver]);
    const relay = new ScriptedRelay(2);
    let turns = 0;
    const flaky = troubled(async ({ name }) => {
      if (name !== 'commit-turn' || ++turns > 1) return;
      await inOneTransaction(pool, (sql) => excludeRecipient(sql, leaver, [id]));
      throw new Error('Query read timeout');
    });
    while ((await runSlice(sliceSetup(pool, id, relay, { pool: flaky }))).next !== 'finished');
    await pool.query(`update core_user set subscription_status = 'subscribed' where id = $1`, [leaver]);
    deepEqual(await counted(id), { accepted: 9, failed: 0, skipped: 1 });
  });

  it('keeps no words of somebody who was erased while the turn that tells them was not answered', async () => {
    const id = await seedMailing(pool, 10, { shardSize: 10 });
    const relay = new ScriptedRelay(2);
    relay.answer = (mail) =>
      numberOf(mail.envelopeTo) === 1 ? { kind: 'failed', reply: '550 nobody here' } : { kind: 'accepted', reply: '250' };
    let turns = 0;
    const flaky = troubled(async ({ name, values }) => {
      if (name !== 'commit-turn' || !/nobody here/.test(String(values![14])) || ++turns > 1) return;
      await inOneTransaction(pool, async (sql) => eraseRecipient(sql, await userAt(id, 1)));
      throw new Error('Query read timeout');
    });
    while ((await runSlice(sliceSetup(pool, id, relay, { pool: flaky }))).next !== 'finished');
    const { rows } = await pool.query('select position, detail from send_exception where mailing_id = $1', [id]);
    deepEqual(rows, [{ position: 1, detail: '' }]);
    deepEqual(await counted(id), { accepted: 9, failed: 1, skipped: 0 });
  });

  it('waits no longer than a lease can last for a dead worker when the clock of the database was set back by two days', async () => {
    for (const wait of [async (id: number) => (await shardsLeft(pool, id)).waitMs, (id: number) => settleAbandoned(pool, id)]) {
      const id = await seedMailing(pool, 10, { shardSize: 10 });
      await takeShard(pool, id, 10);
      await pool.query(`update send_shard set held_until = held_until + interval '2 days' where mailing_id = $1`, [id]);
      const [first, later] = [await wait(id), await sleep(50).then(() => wait(id))];
      ok(first > 0 && first <= 300_000, String(first));
      ok(later < first, `${later} after ${first}`);
    }
  });

  it('waits no longer than their pause for those put off when the clock of the database was set back by two days', async () => {
    const id = await seedMailing(pool, 2, { shardSize: 1 });
    const relay = new ScriptedRelay();
    relay.answer = () => ({ kind: 'deferred', reply: '450 later' });
    const slice = () => runSlice(sliceSetup(pool, id, relay, { retrySeconds: 20 }));
    const put = await slice();
    ok(put.next === 'wait' && put.waitMs > 0 && put.waitMs <= 20_000);
    await pool.query(`update send_shard set not_before = not_before + interval '2 days' where mailing_id = $1 and shard = 0`, [id]);
    await pool.query(`update send_shard set not_before = not_before + interval '2 days', pass = 4 where mailing_id = $1 and shard = 1`, [
      id,
    ]);
    equal((await slice()).next, 'wait');
    const { rows } = await pool.query(
      'select extract(epoch from not_before - now())::float8 as pause from send_shard where mailing_id = $1 order by shard',
      [id],
    );
    ok(rows[0].pause > 0 && rows[0].pause <= 20 && rows[1].pause > 60 && rows[1].pause <= 80, JSON.stringify(rows));
  });

  it('goes on at its rates though the clock of the database was set back by two days', async () => {
    const id = await seedMailing(pool, 20, { rate: 200 });
    const twoDaysAhead = 'extract(epoch from now()) + 172800';
    await pool.query(
      `insert into send_pace (key, slot, paid_until) values ('mailing ' || $1::int, 4 * (${twoDaysAhead}), ${twoDaysAhead})`,
      [id],
    );
    const relay = new ScriptedRelay(2);
    deepEqual((await runSlice(sliceSetup(pool, id, relay, { rate: 200, seconds: 10 }))).next, 'finished');
    deepEqual(await ledgerStates(pool, id), { accepted: 20 });
    await pool.query(`insert into send_pace (key, slot, paid_until) values ('set-back', 4 * (${twoDaysAhead}), ${twoDaysAhead})`);
    await drawPace(pool, 'set-back', 100, 1);
    await sleep(50);
    equal((await drawPace(pool, 'set-back', 100, 1)).granted, 1);
  });

  it('sends nothing more after a sleep in which the mailing was stopped, neither of its shard nor of another', async () => {
    const id = await seedMailing(pool, 40, { shardSize: 20 });
    const written: number[] = [];
    const asks: (() => boolean)[] = [];
    const awake = Promise.withResolvers<void>();
    const relay: Relay = {
      connections: 2,
      async send(mail, mayWrite = () => true) {
        const number = numberOf(mail.envelopeTo);
        asks.push(mayWrite);
        await awake.promise;
        // The first was written before the sleep; the others wait for a connection.
        if (number > 1) await sleep(200);
        if (number > 1 && !mayWrite()) return { kind: 'unsent', relay: 'given-up', reply: '' };
        written.push(number);
        return { kind: 'accepted', reply: '250' };
      },
      async close() {},
    };
    const slice = runSlice(sliceSetup(pool, id, relay, { leaseSeconds: 2, seconds: 20 }));
    while (asks.length < 4) await sleep(5);
    await sleepWhileStopped(api.databaseUrl, id);
    awake.resolve();
    equal((await slice).next, 'stop');
    await sleep(300);
    deepEqual(written, [1]);
    deepEqual(
      asks.map((mayWrite) => mayWrite()),
      [false, false, false, false],
    );
    deepEqual(await ledgerStates(pool, id), { pending: 36, uncertain: 4 });
  });

  it('takes no shard of a run that began after its own', async () => {
    const id = await seedMailing(pool, 5);
    const { rows } = await pool.query('select started_at::text as run from send_run where mailing_id = $1', [id]);
    await pool.query('update send_run set started_at = clock_timestamp() where mailing_id = $1', [id]);
    const relay = new ScriptedRelay(2);
    equal((await runSlice(sliceSetup(pool, id, relay, { run: rows[0].run }))).next, 'stop');
    deepEqual(relay.written, []);
  });

  it('says that a relay refuses everybody, however few mails it sends itself', async () => {
    const id = await seedMailing(pool, 120, { shardSize: 200 });
    const relay = new ScriptedRelay(1);
    relay.answer = async () => {
      await sleep(20);
      return { kind: 'failed', reply: '554 relay access denied' };
    };
    const refusals = { inARow: 0 };
    let next = 'more';
    while (next === 'more' || next === 'wait') next = (await runSlice(sliceSetup(pool, id, relay, { seconds: 0.3, refusals }))).next;
    equal(next, 'refused');
    const { failed = 0 } = await ledgerStates(pool, id);
    equal(failed >= 60 && failed <= 62, true, `${failed} were refused`);
  });

  it('makes nobody uncertain while the next page takes longer to read than a lease lasts', async () => {
    const id = await seedMailing(pool, 300, { shardSize: 1000, rate: 200 });
    const relay = new ScriptedRelay(4);
    relay.answer = async () => {
      await sleep(30);
      return { kind: 'accepted', reply: '250' };
    };
    const audience = audienceQuery(plainMail, false);
    let reads = 0;
    const slow = troubled(async ({ text }) => {
      if (text === audience && ++reads === 2) await sleep(4000);
    });
    const limits = { audience, rate: 200, leaseSeconds: 2, seconds: 15 };
    const first = runSlice(sliceSetup(pool, id, relay, { ...limits, pool: slow }));
    while (reads < 2) await sleep(10);
    await sleep(2500);
    await Promise.all([first, runSlice(sliceSetup(pool, id, relay, limits))]);
    while ((await runSlice(sliceSetup(pool, id, relay, limits))).next !== 'finished');
    deepEqual(await ledgerStates(pool, id), { accepted: 300 });
  });
});
