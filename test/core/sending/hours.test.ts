import { equal } from 'node:assert/strict';
import type pg from 'pg';
import { endLostRun } from '../../../core/sending/end-run.ts';
import { closedSlice } from '../../../core/sending/hours.ts';
import { createPool } from '../../../db/pool.ts';
import { createDatabase } from '../../support/database.ts';
import { seedMailing } from '../../support/sending.ts';

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
});
