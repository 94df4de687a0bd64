import { deepEqual } from 'node:assert/strict';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type pg from 'pg';
import { createPool } from '../../db/pool.ts';
import { MESSAGE, type SendProgress, startOf, startOptions } from '../../workflows/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { queueMailing, ScriptedRelay } from '../support/sending.ts';
import { createTimeSkipping } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

const HOUR = 3_600_000;

describe('a Temporal whose clock runs ahead', () => {
  let env: TestWorkflowEnvironment;
  let pool: pg.Pool;
  const relay = new ScriptedRelay(4);

  before(async () => {
    const url = await createDatabase();
    env = await createTimeSkipping();
    pool = createPool(url, 5);
    await runWorker(env, { DATABASE_URL: url, SEND_UNDO_SECONDS: '3600' }, { relay });
  });
  after(() => pool.end());

  const start = ({ workflow, ...run }: { workflow: string; workflowId: string; taskQueue: string; args: unknown[] }) =>
    env.client.workflow.start(workflow, run);
  /** Of a run that was begun, once Temporal's clock is two hours further. */
  const twoHoursLater = async (mailingId: number) => {
    // This server knows no search attributes of ours.
    const { workflowId, taskQueue, args } = startOptions(startOf('sendMailing', { mailingId }));
    const run = await start({ workflow: 'sendMailing', workflowId, taskQueue, args });
    await run.query(MESSAGE.progress);
    await env.sleep(2 * HOUR);
    const { phase } = await run.query<SendProgress>(MESSAGE.progress);
    const { rows } = await pool.query('select status from core_mailing where id = $1', [mailingId]);
    await run.signal(MESSAGE.stop).catch(() => {});
    return [phase, rows[0].status, relay.written.length];
  };

  it('sends nothing before its time', async () => {
    const id = await queueMailing(pool, 3, { scheduledFor: new Date(Date.now() + HOUR) });
    deepEqual(await twoHoursLater(id), ['waiting', 'scheduled', 0]);
  });

  it('leaves the time in which a mailing can still be stopped', async () => {
    const id = await queueMailing(pool, 3);
    await pool.query('update core_mailing set queued_at = now() where id = $1', [id]);
    deepEqual(await twoHoursLater(id), ['waiting', 'queued', 0]);
  });
});
