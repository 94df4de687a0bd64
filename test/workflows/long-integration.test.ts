import { deepEqual, equal, ok } from 'node:assert/strict';
import { Worker } from '@temporalio/worker';
import { workflowBundle } from '../../activities/workflow-bundle.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { createNamespace } from '../support/temporal.ts';

describe('an integration whose partner system is busy for as long as it tells it of erased users', () => {
  it('goes on in a new run before its history is too long, and only once everybody was told makes records', async () => {
    const { client, nativeConnection: connection, namespace } = await createNamespace();
    let asked = 0;
    let told = false;
    const again = async () => (await client.workflow.getHandle(workflowId.runIntegration).describe()).runId !== firstRun;
    // Of half a megabyte, so that few of them make a history long.
    const busy = { kind: 'later', why: 'busy', waitMs: 1, reason: 'busy', weight: 'x'.repeat(500_000) };
    const activities = {
      crmSettings: async () => ({ firstPauseSeconds: 1, longestPauseSeconds: 1, giveUpHours: 1 }),
      endErasedPartners: async () => {
        told = ++asked > 50 || (await again());
        return told ? null : busy;
      },
      integrateBatch: async () => {
        ok(told);
        return { after: 0, finished: true, last: true, created: 0, refused: 0, passedOver: 0, later: null };
      },
    };
    const shared = { connection, namespace, activities };
    const workers = [
      await Worker.create({ ...shared, taskQueue: TASK_QUEUE.campaign, workflowBundle: await workflowBundle() }),
      await Worker.create({ ...shared, taskQueue: TASK_QUEUE.crm }),
    ];
    const running = workers.map((worker) => worker.run());
    const handle = await client.workflow.start('runIntegration', {
      workflowId: workflowId.runIntegration,
      taskQueue: TASK_QUEUE.campaign,
      args: [{}],
    });
    const firstRun = handle.firstExecutionRunId;
    deepEqual(await handle.result(), { created: 0, refused: 0 });
    equal((await client.workflow.getHandle(workflowId.runIntegration, firstRun).describe()).status.name, 'CONTINUED_AS_NEW');
    for (const worker of workers) worker.shutdown();
    await Promise.all(running);
  });
});
