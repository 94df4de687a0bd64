import { deepEqual, equal, match } from 'node:assert/strict';
import { ScheduleOverlapPolicy } from '@temporalio/client';
import { ensureSchedules } from '../../activities/schedules.ts';
import { readEnv } from '../../config/env.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';

describe('schedules that a release before this one has made', () => {
  let place: TestNamespace;
  const handle = () => place.client.schedule.getHandle('sweep');

  before(async () => {
    place = await createNamespace();
    await place.client.schedule.create({
      scheduleId: 'sweep',
      spec: { intervals: [{ every: '1 hour' }] },
      action: { type: 'startWorkflow', workflowType: 'sweepOnce', workflowId: 'sweep-once', taskQueue: 'earlier', args: [{ looks: 1 }] },
      policies: { overlap: ScheduleOverlapPolicy.ALLOW_ALL },
    });
  });

  it('start what this one says, when and where it says so, and stay paused', async () => {
    await handle().pause('for a while');
    await ensureSchedules(place.client, readEnv({}));
    const { action, spec, policies, state } = await handle().describe();
    deepEqual(
      { workflow: action.workflowType, id: action.workflowId, queue: action.taskQueue, args: action.args },
      { workflow: 'sweep', id: 'sweep', queue: 'campaign', args: [{ looks: 4 }] },
    );
    deepEqual([spec.intervals?.[0]?.every, policies.overlap, state.paused, state.note], [60_000, 'SKIP', true, 'for a while']);
  });

  it('begin the next run by it', async () => {
    await handle().unpause();
    await handle().trigger();
    let run: { workflowId: string } | undefined;
    while (!run) run = (await handle().describe()).info.recentActions[0]?.action.workflow;
    const described = await place.client.workflow.getHandle(run.workflowId).describe();
    equal(described.type, 'sweep');
    match(String(await described.staticDetails()), /Cancelled or terminated/);
  });
});
