import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { runSlice } from '../../core/sending/slice.ts';
import type { SliceSetup } from '../../core/sending/slice-setup.ts';
import { createPool } from '../../db/pool.ts';
import type { SliceResult } from '../../domain/slice-result.ts';
import { type CompiledMailing, RenderError } from '../../mail/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { become, ledgerStates, plainMail, ScriptedRelay, seedMailing, shardCounters, sliceSetup } from '../support/sending.ts';

describe('a send slice', () => {
  let pool: pg.Pool;
  let relay: ScriptedRelay;

  before(async () => {
    pool = createPool(await createDatabase(), 10);
  });
  after(() => pool.end());
  beforeEach(() => {
    relay = new ScriptedRelay();
  });

  const setup = (mailingId: number, more: Partial<SliceSetup> = {}) => sliceSetup(pool, mailingId, more.relay ?? relay, more);

  const finishAll = async (mailingId: number, more: Partial<SliceSetup> = {}): Promise<SliceResult> => {
    for (;;) {
      const result = await runSlice(setup(mailingId, more));
      if (result.next !== 'more' && result.next !== 'wait') return result;
    }
  };

  it('sends to everybody once and says it is finished', async () => {
    const mailing = await seedMailing(pool, 250);
    const result = await runSlice(setup(mailing));
    equal(result.next, 'finished');
    equal(result.accepted, 250);
    equal(new Set(relay.written).size, 250);
    deepEqual(await ledgerStates(pool, mailing), { accepted: 250 });
    deepEqual(await shardCounters(pool, mailing), { accepted: 250, failed: 0, skipped: 0, uncertain: 0, unfinished: 0 });
  });

  it('lets two workers share a mailing without mailing anybody twice', async () => {
    const mailing = await seedMailing(pool, 1000);
    const results = await Promise.all([finishAll(mailing), finishAll(mailing), finishAll(mailing)]);
    equal(results.reduce((sum, result) => sum + result.accepted, 0) <= 1000, true);
    equal(relay.written.length, 1000);
    equal(new Set(relay.written).size, 1000);
    deepEqual(await ledgerStates(pool, mailing), { accepted: 1000 });
  });

  it('writes the record of a shard while the next one is sent, and has ended it when it says that all is finished', async () => {
    const mailing = await seedMailing(pool, 300, { shardSize: 100 });
    const other = await pool.connect();
    await other.query('begin; lock table send_accepted in share mode');
    const sending = runSlice(setup(mailing));
    while (relay.written.length < 200) await sleep(5);
    await sleep(100);
    deepEqual([relay.written.length, (await shardCounters(pool, mailing)).unfinished], [200, 3]);
    await other.query('commit');
    other.release();
    equal((await sending).next, 'finished');
    deepEqual(await ledgerStates(pool, mailing), { accepted: 300 });
    deepEqual(await shardCounters(pool, mailing), { accepted: 300, failed: 0, skipped: 0, uncertain: 0, unfinished: 0 });
  });

  it('fails where a record cannot be written, with nothing on the wire and nobody forgotten', async () => {
    const mailing = await seedMailing(pool, 300, { shardSize: 100 });
    await pool.query(`alter table send_accepted add constraint not_this_one check (mailing_id <> ${mailing}) not valid`);
    await rejects(runSlice(setup(mailing)), /not_this_one/);
    await pool.query('alter table send_accepted drop constraint not_this_one');
    const before = relay.written.length;
    ok(before < 300, `${before} written`);
    // The shard whose record failed is held until its lease is over.
    await pool.query('update send_shard set held_until = clock_timestamp() where mailing_id = $1 and held_until is not null', [mailing]);
    equal((await finishAll(mailing)).next, 'finished');
    equal(new Set(relay.written).size, relay.written.length);
    deepEqual(await ledgerStates(pool, mailing), { accepted: 300 });
  });

  it('records a refusal as failed with the reply, and skips who left or cannot be rendered', async () => {
    const mailing = await seedMailing(pool, 50);
    await pool.query(`update core_user set subscription_status = 'unsubscribed' where email = 'person3@example.org'`);
    await pool.query(`insert into core_blackholedemail (email) values ('person4@example.org')`);
    const mail: CompiledMailing = {
      ...plainMail,
      render: (recipient) => {
        if (recipient.email === 'person5@example.org') throw new RenderError('first_name is missing');
        return plainMail.render(recipient);
      },
    };
    relay.answer = ({ envelopeTo }) =>
      envelopeTo === 'person6@example.org' ? { kind: 'failed', reply: '550 no such user' } : { kind: 'accepted', reply: '250' };
    const result = await runSlice(setup(mailing, { mail }));
    deepEqual([result.accepted, result.failed, result.skipped], [46, 1, 3]);
    const { rows } = await pool.query(
      `select u.email, l.state, l.detail from send_record l join core_user u on u.id = l.user_id where mailing_id = $1 and detail is not null order by position`,
      [mailing],
    );
    deepEqual(
      rows.map((row) => `${row.email} ${row.state} ${row.detail}`),
      [
        'person3@example.org 4 no longer subscribed: unsubscribed',
        'person4@example.org 4 this address is never mailed',
        'person5@example.org 4 first_name is missing',
        'person6@example.org 3 550 no such user',
      ],
    );
    await pool.query(`update core_user set subscription_status = 'subscribed'; delete from core_blackholedemail`);
  });

  it('stops when the relay refuses everybody: then it is the relay that is wrong, not the whole list', async () => {
    const mailing = await seedMailing(pool, 500);
    relay.answer = () => ({ kind: 'failed', reply: '554 5.7.1 relay access denied' });
    const result = await runSlice(setup(mailing));
    equal(result.next, 'refused');
    ok(result.reason.includes('60 mails in a row') && result.reason.includes('relay access denied'), result.reason);
    const states = await ledgerStates(pool, mailing);
    ok((states.failed ?? 0) < 80 && (states.pending ?? 0) > 420, JSON.stringify(states));
  });

  it('tries those put off again, and gives up after the last pass with the reply', async () => {
    const mailing = await seedMailing(pool, 20);
    const tries = new Map<string, number>();
    relay.answer = ({ envelopeTo }) => {
      const tried = (tries.get(envelopeTo) ?? 0) + 1;
      tries.set(envelopeTo, tried);
      if (envelopeTo === 'person1@example.org' && tried < 3) return { kind: 'deferred', reply: '450 later' };
      if (envelopeTo === 'person2@example.org') return { kind: 'deferred', reply: '451 never' };
      return { kind: 'accepted', reply: '250' };
    };
    equal((await finishAll(mailing)).next, 'finished');
    deepEqual([tries.get('person1@example.org'), tries.get('person2@example.org'), tries.get('person3@example.org')], [3, 3, 1]);
    deepEqual(await ledgerStates(pool, mailing), { accepted: 19, failed: 1 });
    const { rows } = await pool.query('select detail from send_record where mailing_id = $1 and state = 3', [mailing]);
    equal(rows[0].detail, '451 never (tried 3 times)');
  });

  it('hands back what the relay never had when the relay goes away', async () => {
    const mailing = await seedMailing(pool, 300);
    relay.answer = (_mail, nth) =>
      nth > 120 ? { kind: 'unsent', reply: '421 closing', relay: 'busy' } : { kind: 'accepted', reply: '250' };
    const down = await runSlice(setup(mailing));
    deepEqual([down.next, down.reason, down.accepted], ['relay-down', '421 closing', 120]);
    deepEqual(await ledgerStates(pool, mailing), { accepted: 120, pending: 180 });
    relay.answer = () => ({ kind: 'accepted', reply: '250' });
    equal((await finishAll(mailing)).next, 'finished');
    equal(new Set(relay.written).size, 300);
    equal(relay.written.length, 300);
  });

  it('finishes and records what is on the wire when told to stop, and begins nothing more', async () => {
    const mailing = await seedMailing(pool, 500);
    const stop = new AbortController();
    relay.answer = async (_mail, nth) => {
      if (nth === 100) stop.abort();
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { kind: 'accepted', reply: '250' };
    };
    const result = await runSlice(setup(mailing, { stop: stop.signal }));
    ok(result.accepted >= 100 && result.accepted < 130, `${result.accepted} were sent`);
    const states = await ledgerStates(pool, mailing);
    deepEqual(states, { accepted: relay.written.length, pending: 500 - relay.written.length });
  });

  it('stops by the mark in the row alone', async () => {
    const mailing = await seedMailing(pool, 500);
    const marked = Promise.withResolvers<unknown>();
    // Nobody behind is answered before it stands there, however long that takes.
    relay.answer = async (_mail, nth) => {
      if (nth === 50) marked.resolve(pool.query('update core_mailing set stop_requested = true where id = $1', [mailing]));
      if (nth >= 50) await marked.promise;
      return { kind: 'accepted', reply: '250' };
    };
    const result = await runSlice(setup(mailing));
    equal(result.next, 'stop');
    ok(relay.written.length < 500);
    deepEqual(Object.keys(await ledgerStates(pool, mailing)).sort(), ['accepted', 'pending']);
  });

  it('marks as uncertain what a dead worker left on the wire, and sends to the others', async () => {
    const mailing = await seedMailing(pool, 100);
    await pool.query(
      `update send_shard set fence = 7, held_until = now() - interval '1 second', claimed_to = 8 where mailing_id = $1 and shard = 0`,
      [mailing],
    );
    await become(
      pool,
      mailing,
      [1, 2, 3, 4].map((position) => ({ position, state: 2 })),
    );
    equal((await finishAll(mailing)).next, 'finished');
    deepEqual(await ledgerStates(pool, mailing), { accepted: 96, uncertain: 4 });
    equal(relay.written.length, 92);
  });

  it('lets a worker that was given up write nothing more, neither to the relay nor to the ledger', async () => {
    const mailing = await seedMailing(pool, 100, { shardSize: 100 });
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun = 0;
    relay.answer = async (_mail, nth) => {
      begun = nth;
      if (nth >= 10) await held;
      return { kind: 'accepted', reply: '250' };
    };
    const zombie = runSlice(setup(mailing, { leaseSeconds: 60, window: { room: (onTheWire) => 2 - onTheWire, note() {} } }));
    // Its window of two is full of mails without an answer: it makes no turn any more that would renew its lease.
    while (begun < 11) await new Promise((resolve) => setTimeout(resolve, 5));
    // Another worker takes the shard, as it would after the lease.
    await pool.query(`update send_shard set held_until = now() - interval '1 second' where mailing_id = $1`, [mailing]);
    const second = new ScriptedRelay();
    equal((await finishAll(mailing, { relay: second })).next, 'finished');
    release();
    await zombie;
    const states = await ledgerStates(pool, mailing);
    const twice = relay.written.filter((address) => second.written.includes(address));
    deepEqual(twice, []);
    equal((states.accepted ?? 0) + (states.uncertain ?? 0), 100);
    ok((states.uncertain ?? 0) <= 2, `${states.uncertain} uncertain`);
  });

  it('keeps the rate over two workers together', async () => {
    // Again where the machine had much else to do.
    let told = '';
    for (let tries = 0, slow = true; slow; tries++) {
      ok(tries < 5, told);
      const mailing = await seedMailing(pool, 1000, { rate: 100 });
      const before = relay.written.length;
      const began = performance.now();
      await Promise.all([runSlice(setup(mailing, { rate: 100, seconds: 4 })), runSlice(setup(mailing, { rate: 100, seconds: 4 }))]);
      const seconds = (performance.now() - began) / 1000;
      const mails = relay.written.length - before;
      told = `${mails} in ${seconds} s is ${mails / seconds}/s`;
      // Half a second's worth may be caught up at the beginning.
      ok(mails <= 100 * seconds + 52, told);
      slow = mails < 200;
    }
  });
});
