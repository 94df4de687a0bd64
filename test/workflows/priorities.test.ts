import { equal, ok } from 'node:assert/strict';
import type pg from 'pg';
import { createPool } from '../../db/pool.ts';
import { startOf, startOptions } from '../../workflows/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { ledgerStates, queueMailing, ScriptedRelay } from '../support/sending.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

const MERGES = 200;

describe('a send behind many merges', () => {
  let place: TestNamespace;
  let pool: pg.Pool;
  let url: string;

  before(async () => {
    place = await createNamespace();
    url = await createDatabase();
    pool = createPool(url, 5);
  });
  after(() => pool?.end());

  it('begins and ends before them', async () => {
    const { workflow } = place.client;
    // Of jobs that are not there: a run each all the same, with an activity that waits for its turn.
    for (let jobId = 1; jobId <= MERGES; jobId++) await workflow.start('mergeUsers', startOptions(startOf('mergeUsers', { jobId })));
    const id = await queueMailing(pool, 200);
    const send = await workflow.start('sendMailing', startOptions(startOf('sendMailing', { mailingId: id })));
    const worker = await runWorker(place, { DATABASE_URL: url, CAMPAIGN_SLOTS: '1' }, { relay: new ScriptedRelay(8) });
    equal(await send.result(), 'completed');
    const { count } = await workflow.count("WorkflowType = 'mergeUsers' and ExecutionStatus = 'Running'");
    ok(count > MERGES / 2, `${count} of ${MERGES} merges were still waiting`);
    equal((await ledgerStates(pool, id))['accepted'], 200);
    await worker.stop();
  });
});
