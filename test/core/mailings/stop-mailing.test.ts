import { deepEqual, rejects } from 'node:assert/strict';
import { stopMailing } from '../../../core/mailings/stop-mailing.ts';
import type { Pool } from '../../../db/driver.ts';
import { NotFoundError } from '../../../domain/errors.ts';

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
