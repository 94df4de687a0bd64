import { deepEqual } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
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
    const found = await foundOf(Object.create(client, { workflow: { value: workflow } }) as Client);
    deepEqual(
      found.map(({ says }) => says),
      ['crm-sync-changed has an activity that was paused in Temporal'],
    );
  });

  it('names one whose activity was given options in Temporal with which it is not done, and the command that undoes it', async () => {
    const { client, namespace } = await createNamespace();
    const run = startOf('sendMailing', { mailingId: 7 });
    await client.workflow.start(run.workflow, startOptions(run));
    const service = client.workflowService;
    const { taskToken, workflowExecution } = await client.withDeadline(Date.now() + 20_000, () =>
      service.pollWorkflowTaskQueue({ namespace, taskQueue: { name: TASK_QUEUE.campaign } }),
    );
    await service.respondWorkflowTaskCompleted({ namespace, taskToken, commands: ['3', '4'].map(slice) });

    const change = (activityOptions: object, path: string) =>
      service.updateActivityOptions({
        namespace,
        execution: workflowExecution,
        id: '4',
        activityOptions,
        updateMask: { paths: [path] },
      });
    const todo = 'undo it: temporal workflow reset --workflow-id mailing-7-send --type LastWorkflowTask --reason "options of an activity"';
    const named = (how: string) => [
      { part: 'runs', state: 'wrong', says: `mailing-7-send has an activity (sendSlice) that somebody in Temporal ${how}`, todo },
    ];
    await change({ startToCloseTimeout: msToTs('1s') }, 'start_to_close_timeout');
    deepEqual(await foundOf(client), named('gave less time than it may need'));
    await change({ taskQueue: { name: 'elsewhere' } }, 'task_queue.name');
    deepEqual(await foundOf(client), named('moved to the task queue elsewhere, of which no worker takes anything'));

    await service.resetWorkflowExecution({
      namespace,
      workflowExecution,
      reason: 'options of an activity',
      requestId: randomUUID(),
      // Of the first step: its number, as a Long.
      workflowTaskFinishEventId: msToTs('4s').seconds,
    });
    deepEqual(await lookAtRuns(client), []);
  });

  it('names one whose activity somebody in Temporal has wait for long before it is tried again', async () => {
    const { client, namespace } = await createNamespace();
    const run = startOf('sendMailing', { mailingId: 7 });
    await client.workflow.start(run.workflow, startOptions(run));
    const service = client.workflowService;
    const begun = await client.withDeadline(Date.now() + 20_000, () =>
      service.pollWorkflowTaskQueue({ namespace, taskQueue: { name: TASK_QUEUE.campaign } }),
    );
    await service.respondWorkflowTaskCompleted({ namespace, taskToken: begun.taskToken, commands: [slice('3')] });
    const { taskToken } = await client.withDeadline(Date.now() + 20_000, () =>
      service.pollActivityTaskQueue({ namespace, taskQueue: { name: TASK_QUEUE.sending } }),
    );
    await service.updateActivityOptions({
      namespace,
      execution: begun.workflowExecution,
      id: '3',
      activityOptions: { retryPolicy: { initialInterval: msToTs('86400s'), maximumInterval: msToTs('86400s') } },
      updateMask: { paths: ['retry_policy.initial_interval', 'retry_policy.maximum_interval'] },
    });
    await service.respondActivityTaskFailed({ namespace, taskToken, failure: { message: 'a worker died', applicationFailureInfo: {} } });
    deepEqual(
      (await foundOf(client)).map(({ says }) => says),
      ['mailing-7-send has an activity (sendSlice) that somebody in Temporal has wait for hours until it is tried again'],
    );
  });
});

/** Runs are listed a moment after they begin. */
async function foundOf(client: Client): Promise<Finding[]> {
  let found: Finding[] = [];
  for (let tries = 0; tries < 2000 && !found.length; tries++, await sleep(100)) found = await lookAtRuns(client);
  return found;
}

/** What a run asks for as a lane does: a slice. */
const slice = (activityId: string) => ({
  commandType: proto.temporal.api.enums.v1.CommandType.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK,
  scheduleActivityTaskCommandAttributes: {
    activityId,
    activityType: { name: 'sendSlice' },
    taskQueue: { name: TASK_QUEUE.sending },
    startToCloseTimeout: msToTs('1800s'),
    heartbeatTimeout: msToTs('5s'),
    retryPolicy: { initialInterval: msToTs('1s'), maximumInterval: msToTs('15s') },
  },
});
