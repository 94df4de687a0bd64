import { deepEqual, equal, ok } from 'node:assert/strict';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { workflowBundle } from '../../activities/workflow-bundle.ts';
import { MESSAGE, TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { createNamespace } from '../support/temporal.ts';

/** So that few answers make a history long. */
const weight = 'x'.repeat(500_000);

// Stand-ins: what makes a history long takes thousands of changes.
describe('a run that is told something again and again', () => {
  type Client = Awaited<ReturnType<typeof createNamespace>>['client'];
  async function withWorkers(
    queue: string,
    activities: (client: Client) => Record<string, unknown>,
    act: (client: Client) => Promise<void>,
  ) {
    const { client, nativeConnection: connection, namespace } = await createNamespace();
    const shared = { connection, namespace, activities: activities(client) as never };
    const workers = await Promise.all([
      Worker.create({ ...shared, taskQueue: TASK_QUEUE.campaign, workflowBundle: await workflowBundle() }),
      Worker.create({ ...shared, taskQueue: queue }),
    ]);
    const running = workers.map((worker) => worker.run());
    try {
      await act(client);
    } finally {
      for (const worker of workers) worker.shutdown();
      await Promise.all(running);
    }
  }
  const endOf = async (client: Client, { workflowId: id }: WorkflowHandle, runId: string) =>
    (await client.workflow.getHandle(id, runId).describe()).status.name;

  it('goes on in a new one while a mailing waits, and waits for the last time it was told, or a stop', async () => {
    let opens = 0;
    const openSend = async () => {
      opens++;
      const scheduledFor = new Date(Date.now() + 3_600_000).toISOString();
      return { stage: 'waiting', scheduledFor, rebuild: false, stopRequested: false, lateAfterMinutes: 60, queuedAt: null, weight };
    };
    const activities = () => ({ openSend, finishSend: async () => ({ accepted: 0 }) });
    await withWorkers(TASK_QUEUE.sending, activities, async (client) => {
      const id = workflowId.sendMailing(1);
      const first = await client.workflow.start('sendMailing', {
        workflowId: id,
        taskQueue: TASK_QUEUE.campaign,
        args: [{ mailingId: 1 }],
      });
      const run = client.workflow.getHandle(id);
      const runId = async () => (await run.describe()).runId;
      let told = 0;
      while (told < 60 && (await runId()) === first.firstExecutionRunId) {
        await run.signal(MESSAGE.reschedule);
        for (told++; opens < told && (await runId()) === first.firstExecutionRunId; )
          await new Promise((resolve) => setTimeout(resolve, 20));
      }
      equal(await endOf(client, run, first.firstExecutionRunId), 'CONTINUED_AS_NEW');
      await run.signal(MESSAGE.stop);
      equal(await run.result(), 'stopped');
    });
  });

  it('goes on in a new one while somebody is synced each time they have just been', async () => {
    const id = workflowId.syncUser(1);
    let tries = 0;
    let first = '';
    const activities = (client: Client) => ({
      crmSettings: async () => ({ firstPauseSeconds: 1, longestPauseSeconds: 1, giveUpHours: 1 }),
      syncMapped: async () => {
        const run = client.workflow.getHandle(id);
        if (++tries < 60 && (await run.describe()).runId === first) await run.signal(MESSAGE.sync);
        return { kind: 'synced', weight };
      },
    });
    await withWorkers(TASK_QUEUE.crm, activities, async (client) => {
      const run = await client.workflow.start('syncUser', { workflowId: id, taskQueue: TASK_QUEUE.campaign, args: [{ mapId: 1 }] });
      first = run.firstExecutionRunId;
      deepEqual(await run.result(), 'synced');
      ok(tries < 60, `${tries} tries in one run`);
      equal(await endOf(client, run, first), 'CONTINUED_AS_NEW');
    });
  });
});
