import { deepEqual, rejects } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopMailing } from '../../../core/mailings/stop-mailing.ts';
import { beginRecurring } from '../../../core/mailings/transitions.ts';
import type { Pool } from '../../../db/driver.ts';
import { createPool } from '../../../db/pool.ts';
import { sqlOn } from '../../../db/sql.ts';
import { NotFoundError, UnavailableError } from '../../../domain/errors.ts';
import { createDatabase } from '../../support/database.ts';
import { untilWaiting } from '../../support/sessions.ts';

describe('a stop that cannot be written down', () => {
  const held = Object.assign(new Error('canceling statement due to user request'), { code: '57014' });
  const pool = { query: () => Promise.reject(held) } as unknown as Pool;
  const removeSchedule = () => Promise.resolve();

  it('is told to the run all the same', async () => {
    const told: number[] = [];
    await stopMailing({ pool, removeSchedule, tellRun: async (id) => void told.push(id) }, 7);
    deepEqual(told, [7]);
  });

  it('is refused with why, where nobody runs the mailing', async () => {
    await rejects(stopMailing({ pool, removeSchedule, tellRun: () => Promise.reject(new NotFoundError()) }, 7), held);
  });
});

describe('a stop that cannot be written down in time', () => {
  const lost = Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' });
  const pool = { query: () => sleep(1_200).then(() => Promise.reject(lost)) } as unknown as Pool;
  const removeSchedule = () => Promise.resolve();

  it('is none of which nothing was changed where the run, told meanwhile, has ended by it', async () => {
    let told = 0;
    const tellRun = async () => {
      if (++told > 1) throw new NotFoundError();
    };
    await stopMailing({ pool, removeSchedule, tellRun }, 7);
    deepEqual(told, 1);
  });

  it('is told again where that did not arrive', async () => {
    let told = 0;
    const tellRun = async () => {
      if (++told === 1) throw new UnavailableError('away');
    };
    await stopMailing({ pool, removeSchedule, tellRun }, 7);
    deepEqual(told, 2);
  });
});

describe('a stop that is written down', () => {
  const lost = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });

  for (const status of ['queued', 'recurring'])
    it(`is asked for though the database is lost before what nobody runs has ended: the sweep sees to it (${status})`, async () => {
      const answers = [{ rows: [{ status, queuedAt: null }] }];
      const pool = { query: async () => answers.shift() ?? Promise.reject(lost) } as unknown as Pool;
      const removed: number[] = [];
      const removeSchedule = async (id: number) => void removed.push(id);
      await stopMailing({ pool, removeSchedule, tellRun: () => Promise.reject(new NotFoundError()) }, 7);
      deepEqual(removed, status === 'recurring' ? [7] : []);
    });
});

describe('a stop of a recurring mailing', () => {
  let pool: Pool;
  before(async () => {
    pool = createPool(await createDatabase(), 4);
  });
  after(() => pool.end());

  it('takes nothing from who has it recur again meanwhile', async () => {
    await pool.query(
      `insert into auth_user (id, username, password) values (5, 'eve', ''); insert into core_mailing (id, status) values (7, 'recurring'); insert into core_recurringschedule (mailing_id) values (7)`,
    );
    const other = await pool.connect();
    await other.query('begin');
    await other.query('select from core_recurringschedule where mailing_id = 7 for update');
    const removed: number[] = [];
    const stopped = stopMailing({ pool, removeSchedule: async (id) => void removed.push(id), tellRun: async () => {} }, 7);
    await untilWaiting(pool);
    await beginRecurring(sqlOn(other), 7, 5);
    await other.query('commit');
    other.release();
    await stopped;
    const { rows } = await pool.query('select status, active from core_mailing m join core_recurringschedule r on r.mailing_id = m.id');
    deepEqual([rows, removed], [[{ status: 'recurring', active: true }], []]);
    await stopMailing({ pool, removeSchedule: async (id) => void removed.push(id), tellRun: async () => {} }, 7);
    const { rows: after } = await pool.query(
      'select status, active from core_mailing m join core_recurringschedule r on r.mailing_id = m.id',
    );
    deepEqual([after, removed], [[{ status: 'draft', active: false }], [7]]);
  });
});
