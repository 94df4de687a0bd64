import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { createLeaseClock, leaseClock } from '../../core/sending/lease-clock.ts';
import { Shares } from '../../core/sending/shares.ts';
import { runSlice } from '../../core/sending/slice.ts';
import { createPool } from '../../db/pool.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import type { Relay } from '../../mail/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { ledgerStates, ScriptedRelay, seedMailing, sliceSetup, windowIn } from '../support/sending.ts';
import { startStatementProxy } from '../support/statement-proxy.ts';

describe('what a slice keeps within', () => {
  let databaseUrl: string;
  let pool: pg.Pool;

  before(async () => {
    databaseUrl = await createDatabase();
    pool = createPool(databaseUrl, 20);
  });
  after(() => pool.end());

  const slow = async () => {
    await sleep(15);
    return { kind: 'accepted', reply: '250' } as const;
  };

  /** The most recipients seen `sending` at any moment while slices of several mailings work side by side. */
  async function mostSending(mailings: number, connections: number, people: number): Promise<number> {
    const relay = new ScriptedRelay(connections);
    relay.answer = slow;
    const shares = new Shares();
    const ids: number[] = [];
    for (let n = 0; n < mailings; n++) ids.push(await seedMailing(pool, people));
    let [most, over] = [0, false];
    const looking = (async () => {
      while (!over) {
        const { rows } = await pool.query('select count(*)::int as n from send_record where mailing_id = any($1) and state = $2', [
          ids,
          LEDGER_STATE.sending,
        ]);
        most = Math.max(most, rows[0].n);
      }
    })();
    // One begins after the other, so that each finds the relay filled by those before it.
    const slices = ids.map(async (id, n) => {
      await sleep(n * 30);
      while ((await runSlice(sliceSetup(pool, id, relay, { window: windowIn(shares, id, relay) }))).next !== 'finished');
    });
    await Promise.all(slices);
    over = true;
    await looking;
    for (const id of ids) deepEqual(await ledgerStates(pool, id), { accepted: people });
    return most;
  }

  it('marks no more than two for each connection, however many slices work side by side', async () => {
    const most = await mostSending(8, 2, 30);
    ok(most <= 4, `${most} were sending`);
    ok((await mostSending(5, 1, 12)) <= 2);
  });

  it('keeps to that while a second slice grows into its share', async () => {
    let most = 0;
    // Looked at too seldom where the machine has much else to do.
    for (let tries = 0; tries < 5 && most <= 8; tries++) most = await mostSending(2, 8, 200);
    ok(most <= 16, `${most} were sending`);
    ok(most > 8, `no more than ${most} were sending`);
  });

  it('tells how many are marked on behalf of all slices together, and of none that is over', async () => {
    const relay = new ScriptedRelay(2);
    const answering = Promise.withResolvers<void>();
    let written = 0;
    relay.answer = () => {
      written++;
      return answering.promise.then(slow);
    };
    const shares = new Shares();
    const slices = [await seedMailing(pool, 30), await seedMailing(pool, 30)].map(async (id) => {
      const part = shares.begin(id);
      const window = shares.window(part, () => relay.connections);
      await runSlice(sliceSetup(pool, id, relay, { window }));
      shares.end(part);
    });
    while (written < 4) await sleep(5);
    equal(shares.sending, 4);
    answering.resolve();
    await Promise.all(slices);
    equal(shares.sending, 0);
  });

  it('launches nobody it claimed by the very turn that tells it of a stop', async () => {
    const id = await seedMailing(pool, 20);
    const relay = new ScriptedRelay(2);
    const stopping = {
      async query(statement: { name?: string; values?: unknown[] }, ...rest: unknown[]) {
        // How far it claims.
        if (statement.name === 'commit-turn' && (statement.values![5] as number) > 0)
          await pool.query('update core_mailing set stop_requested = true where id = $1', [id]);
        return (pool.query as (...all: unknown[]) => unknown)(statement, ...rest);
      },
    } as unknown as pg.Pool;
    equal((await runSlice(sliceSetup(pool, id, relay, { pool: stopping }))).next, 'stop');
    deepEqual(relay.written, []);
    deepEqual(await ledgerStates(pool, id), { pending: 20 });
    await pool.query('update core_mailing set stop_requested = false where id = $1', [id]);
    while ((await runSlice(sliceSetup(pool, id, relay))).next !== 'finished');
    deepEqual(await ledgerStates(pool, id), { accepted: 20 });
  });

  it('ends when it is called off and its lease is over, though the database answers it nothing', async () => {
    for (const rate of [null, 100]) {
      const id = await seedMailing(pool, 2000, { rate });
      let cut = false;
      const proxy = await startStatementProxy(databaseUrl, () => () => (cut ? 'hold' : 'pass'));
      const through = new URL(databaseUrl);
      through.port = String(proxy.port);
      const cutOff = createPool(through.href, 4, { answerWithinMs: 3000 });
      const relay = new ScriptedRelay(2);
      relay.answer = slow;
      const stop = new AbortController();
      const limits = { pool: cutOff, stop: stop.signal, seconds: 600, leaseSeconds: 2, rate };
      const slice = runSlice(sliceSetup(pool, id, relay, limits)).then(
        () => 'in good order',
        () => 'given up',
      );
      while (relay.written.length < 10) await sleep(5);
      cut = true;
      // In which the turn that was at work fails, and another try is begun.
      await sleep(3500);
      stop.abort();
      equal(await Promise.race([slice, sleep(60_000, 'at work after a minute', { ref: false })]), 'given up');
      proxy.close();
      await cutOff.end();
    }
  });

  it('writes nothing any more when it has been called off for a while', async () => {
    const id = await seedMailing(pool, 4);
    let now = 0;
    const waiting = Promise.withResolvers<void>();
    const relay = new ScriptedRelay(2);
    const { send } = relay;
    let begun = 0;
    relay.send = async (mail, mayWrite) => {
      begun++;
      await waiting.promise;
      return send.call(relay, mail, mayWrite);
    };
    const stop = new AbortController();
    const slice = runSlice(sliceSetup(pool, id, relay, { stop: stop.signal, leaseSeconds: 60, leaseClock: () => now }));
    while (begun < 4) await sleep(5);
    stop.abort();
    now += 6000;
    waiting.resolve();
    await slice;
    deepEqual([relay.written, await ledgerStates(pool, id)], [[], { pending: 4 }]);
  });

  it('takes its lease for lost after the whole machine slept, though the monotonic clock stood still', async () => {
    const id = await seedMailing(pool, 4);
    let slept = 0;
    const clock = createLeaseClock(() => performance.now() + slept);
    const asks: (() => boolean)[] = [];
    const awake = Promise.withResolvers<void>();
    const relay: Relay = {
      connections: 2,
      async send(_mail, mayWrite) {
        asks.push(mayWrite!);
        await awake.promise;
        return mayWrite!() ? { kind: 'accepted', reply: '250' } : { kind: 'unsent', relay: 'given-up', reply: '' };
      },
      async close() {},
    };
    const slice = runSlice(sliceSetup(pool, id, relay, { leaseClock: clock }));
    while (asks.length < 4) await sleep(5);
    equal(asks[0]!(), true);
    slept = 11_000;
    deepEqual(
      asks.map((mayWrite) => mayWrite()),
      [false, false, false, false],
    );
    // Nobody has taken the shard: its next turn renews the lease under the fence, and with it the permission.
    awake.resolve();
    equal((await slice).next, 'finished');
  });

  it('knows its lease by a clock that counts sleep, never goes back, and does without where none is told', async () => {
    let [uptime, monotonic] = [5000, 70];
    const clock = createLeaseClock(() => uptime, { monotonic: () => monotonic });
    const began = clock();
    uptime += 3_000_000;
    equal(clock() - began, 3_000_000);
    uptime -= 10;
    equal(clock() - began, 3_000_000);
    monotonic += 5;
    equal(clock() - began, 3_000_005);
    const without = createLeaseClock(() => Number.NaN, { monotonic: () => monotonic });
    equal(without(), 75);
    // Read between two looks at the other clock, for the machine may let time pass between any two.
    const look = () => [performance.now(), leaseClock(), performance.now()] as const;
    const [earliest, from, latest] = look();
    await sleep(200);
    const [end, to, after] = look();
    ok(to - from > end - latest - 20 && to - from < after - earliest + 20);
  });

  it('notices a sleep between two looks at the uptime by the wall clock, and where that tells nothing at the next look', () => {
    let [uptime, monotonic, wall, looks] = [5000, 70, 1e12, 0];
    const clock = createLeaseClock(
      () => {
        looks++;
        return uptime;
      },
      { monotonic: () => monotonic, wall: () => wall, looksEveryMs: 5 },
    );
    const pass = (ms: number) => {
      uptime += ms;
      monotonic += ms;
      wall += ms;
    };
    const began = clock();
    pass(2);
    deepEqual([clock() - began, looks], [2, 1]);
    // Asleep for an hour.
    uptime += 3_600_000;
    wall += 3_600_000;
    deepEqual([clock() - began, looks], [3_600_002, 2]);
    // The wall clock is set back: of no meaning, but looked into.
    wall -= 7_200_000;
    deepEqual([clock() - began, looks], [3_600_002, 3]);
    // A machine that does not set its wall clock when it wakes.
    uptime += 60_000;
    deepEqual([clock() - began, looks], [3_600_002, 3]);
    pass(5);
    deepEqual([clock() - began, looks], [3_660_007, 4]);
  });
});
