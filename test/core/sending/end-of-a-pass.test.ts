import { deepEqual, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { Committed } from '../../../core/sending/lost-commits.ts';
import { runSlice } from '../../../core/sending/slice.ts';
import { createPool } from '../../../db/pool.ts';
import { createDatabase } from '../../support/database.ts';
import { ledgerStates, ScriptedRelay, seedMailing, shardCounters, sliceSetup } from '../../support/sending.ts';

type Query = () => Promise<unknown>;

describe('the end of a pass that the database does not answer', () => {
  let pool: pg.Pool;
  before(async () => {
    pool = createPool(await createDatabase(), 10);
  });
  after(() => pool.end());

  /** The pool, where the first two ends of a pass are not answered. */
  const troubled = (lose: (query: Query) => unknown) => {
    let lost = 0;
    const query = async (...given: Parameters<typeof pool.query>) => {
      const ask = () => (pool.query as (...all: unknown[]) => Promise<unknown>)(...given);
      if ((given[0] as { name?: string }).name !== 'end-pass' || lost++ >= 2) return ask();
      await lose(ask);
      throw new Error('Connection terminated unexpectedly');
    };
    return new Proxy(pool, { get: (target, name) => (name === 'query' ? query : Reflect.get(target, name, target)) });
  };

  const late: Query[] = [];
  const ways: Record<string, (query: Query) => unknown> = {
    'has carried out': (query) => query(),
    'never had': () => {},
    'carries out late': (query) => late.push(query),
  };
  for (const [way, lose] of Object.entries(ways)) {
    it(`and ${way}, loses and doubles nobody, and every number comes out`, async () => {
      const id = await seedMailing(pool, 300, { shardSize: 100 });
      const relay = new ScriptedRelay();
      const setup = sliceSetup(troubled(lose), id, relay, { leaseSeconds: 1, committed: new Committed().of(id, null) });
      for (let slices = 1, next = ''; next !== 'finished'; slices++) {
        ok(slices < 50, 'it does not come to its end');
        const slice = await runSlice(setup).catch(() => ({ next: 'failed', waitMs: 100 }));
        next = slice.next;
        if (next === 'failed') await late.shift()?.();
        if (next !== 'finished') await sleep(slice.waitMs);
      }
      for (const query of late.splice(0)) await query();
      deepEqual([relay.written.length, new Set(relay.written).size], [300, 300]);
      deepEqual(await ledgerStates(pool, id), { accepted: 300 });
      deepEqual(await shardCounters(pool, id), { accepted: 300, failed: 0, skipped: 0, uncertain: 0, unfinished: 0 });
      const { rows } = await pool.query(
        `select (select sum(accepted)::int from send_tally where mailing_id = $1) as tallied,
           (select sum(accepted)::int from send_timeline where mailing_id = $1) as timed,
           (select count(*)::int from send_set where mailing_id = $1) as blocks, (select count(*)::int from send_log where mailing_id = $1) as lines`,
        [id],
      );
      deepEqual(rows[0], { tallied: 300, timed: 300, blocks: 0, lines: 0 });
    });
  }

  it('writes down when mails were accepted in any year, those after 2038 among them', async () => {
    const id = await seedMailing(pool, 20, { shardSize: 20 });
    const setup = sliceSetup(
      troubled(() => pool.query(`update send_log set at = '2045-03-01 12:00Z' where mailing_id = $1`, [id])),
      id,
      new ScriptedRelay(),
      { leaseSeconds: 1, committed: new Committed().of(id, null) },
    );
    for (let slices = 1, next = ''; next !== 'finished'; slices++) {
      ok(slices < 20, 'it does not come to its end');
      const slice = await runSlice(setup).catch(() => ({ next: 'failed', waitMs: 100 }));
      next = slice.next;
      if (next !== 'finished') await sleep(slice.waitMs);
    }
    const { rows } = await pool.query(`select distinct changed_at from send_record where mailing_id = $1`, [id]);
    deepEqual(rows, [{ changed_at: new Date('2045-03-01T12:00:00Z') }]);
  });
});
