import { equal, match } from 'node:assert/strict';
import { mock } from 'node:test';
import type pg from 'pg';
import { readEnv } from '../../../config/env.ts';
import { endLostRun } from '../../../core/sending/end-run.ts';
import { closedSlice } from '../../../core/sending/hours.ts';
import { Slices } from '../../../core/sending/slices.ts';
import { createPool } from '../../../db/pool.ts';
import { createDatabase } from '../../support/database.ts';
import { ScriptedRelay, seedMailing } from '../../support/sending.ts';

describe('outside the sending hours', () => {
  let pool: pg.Pool;
  before(async () => {
    pool = createPool(await createDatabase(), 2);
  });
  after(() => pool.end());

  const next = async (id: number) => (await closedSlice(pool, id, { open: false, opensInMs: 3_600_000, reason: 'closed' }))?.next;

  it('a mailing waits for them, unless its run was ended: then it ends at once, not when they open', async () => {
    const id = await seedMailing(pool, 10);
    equal(await next(id), 'closed');
    await endLostRun(pool, id, null);
    equal(await next(id), 'stop');
  });

  it('they are by the clock of the database: a worker whose own is wrong neither begins early nor goes on late', async () => {
    const id = await seedMailing(pool, 10);
    const began = Date.now();
    const shown = (minutes: number) => new Date(began + 60_000 * minutes).toISOString().slice(11, 16);
    const untilWhen = async (from: number, until: number, offByMinutes: number) => {
      const env = readEnv({ SENDING_HOURS: `${shown(from)}-${shown(until)}` });
      const slices = new Slices({ env, sendPool: pool, relay: new ScriptedRelay(1), shuttingDown: new AbortController().signal });
      mock.timers.enable({ apis: ['Date'], now: began + 60_000 * offByMinutes });
      return slices.closed(id).finally(() => mock.timers.reset());
    };
    match(String((await untilWhen(5, 120, 10))?.reason), /outside the sending hours/);
    match(String((await untilWhen(-120, -5, -10))?.reason), /outside the sending hours/);
    equal(await untilWhen(-120, 5, 10), null);
  });
});
