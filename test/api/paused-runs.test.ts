import { deepEqual } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { lookAtRuns } from '../../api/health/runs.ts';
import type { Finding } from '../../domain/finding.ts';
import { startOf, startOptions, TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { createNamespace } from '../support/temporal.ts';

/** The status of a run that was paused. */
const PAUSED = 8;

describe('what doctor says of runs', () => {
  it('names one that was paused: it goes on when somebody has it go on', async () => {
    const { client } = await createNamespace();
    const start = (mailingId: number) => {
      const run = startOf('sendMailing', { mailingId });
      return client.workflow.start(run.workflow, startOptions(run));
    };
    const [paused] = [await start(7), await start(8)];
    deepEqual(await lookAtRuns(client), []);
    // This server does not pause runs, and refuses to look for such: one that does lists them by a status of their own.
    const workflow = new Proxy(client.workflow, {
      get(of, name) {
        if (name === 'list') return ({ query = '' }) => (query.includes(`ExecutionStatus = 'Paused'`) ? [paused] : []);
        if (name !== 'getHandle') return Reflect.get(of, name);
        return (id: string) => ({
          async describe() {
            const { raw } = await of.getHandle(id).describe();
            return { raw: { ...raw, workflowExecutionInfo: { ...raw.workflowExecutionInfo, status: PAUSED } } };
          },
        });
      },
    });
    const found = await lookAtRuns(Object.create(client, { workflow: { value: workflow } }) as Client);
    deepEqual(found, [
      { part: 'runs', state: 'look', says: 'mailing-7-send was paused in Temporal', todo: 'unpause it there; a send that is stopped ends' },
    ]);
  });

  it('names a round that stands still, too: no later one begins before it has ended', async () => {
    const { client } = await createNamespace();
    // As its schedule starts it.
    await client.workflow.start('syncChanged', { workflowId: workflowId.syncChanged, taskQueue: TASK_QUEUE.campaign, args: [{}] });
    const getHandle = (id: string) => ({
      async describe() {
        const { raw } = await client.workflow.getHandle(id).describe();
        return { raw: { ...raw, pendingActivities: [{ paused: true }] } };
      },
    });
    const workflow = Object.create(client.workflow, { getHandle: { value: getHandle } });
    let found: Finding[] = [];
    // Runs are listed a moment after they begin.
    for (let tries = 0; tries < 2000 && !found.length; tries++, await sleep(100))
      found = await lookAtRuns(Object.create(client, { workflow: { value: workflow } }) as Client);
    deepEqual(
      found.map(({ says }) => says),
      ['crm-sync-changed has an activity that was paused in Temporal'],
    );
  });
});
