import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ScheduleOverlapPolicy } from '@temporalio/client';
import { ensureSchedules } from '../../activities/schedules.ts';
import { readEnv } from '../../config/env.ts';
import { recurringSchedule, workflowId } from '../../workflows/contracts.ts';
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
    deepEqual([spec.intervals?.[0]?.every, policies.overlap, state.paused, state.note], [60_000, 'BUFFER_ONE', true, 'for a while']);
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

  it('begin a sweep as soon as the one before has ended, where that ended late: its minute is not left out', async () => {
    const { client } = place;
    const another = async (than?: string): Promise<string> => {
      for (const until = Date.now() + 10_000; Date.now() < until; await sleep(100)) {
        const run = (await handle().describe()).info.runningActions[0]?.workflow.workflowId;
        if (run && run !== than) return run;
      }
      throw new Error('it waits for the next minute');
    };
    // Two of its times at once, in place of two minutes; no worker takes the first.
    await handle().backfill({ start: new Date(Date.now() - 4 * 60_000), end: new Date(Date.now() - 2 * 60_000) });
    const late = await another();
    await client.workflow.getHandle(late).terminate('it ends at last');
    const next = await another(late);
    equal((await client.workflow.getHandle(next).describe()).type, 'sweep');
  });
});

describe('schedules that stand still, as after a clock of Temporal’s that was ahead', () => {
  let place: TestNamespace;
  const handle = (id: string) => place.client.schedule.getHandle(id);
  const HOUR = 3_600_000;

  before(async () => {
    place = await createNamespace();
    await ensureSchedules(place.client, readEnv({}));
  });

  it('are made anew, paused or not, and so are those of recurring mailings that nobody paused', async () => {
    const { createdAt } = (await handle('sweep').describe()).info;
    await handle('sweep').update((found) => ({ ...found, spec: { ...found.spec, startAt: new Date(Date.now() + HOUR) } }));
    // Of a change and a pause that come to it at once it takes the change last, as it was before the pause.
    while (!(await handle('sweep').describe()).spec.startAt) await sleep(20);
    await handle('sweep').pause('for a while');
    for (const mailingId of [1, 2]) {
      const daily = { period: 'daily', minute: 0, hour: 0, weekday: 0, day: 1, timezone: 'UTC' } as const;
      await place.client.schedule.create(recurringSchedule(mailingId, daily));
    }
    await handle(workflowId.runRecurring(2)).pause();
    // Told a moment later.
    for (let listed = 0; listed < 2; ) {
      listed = 0;
      for await (const { action, state } of place.client.schedule.list())
        if (action?.workflowType === 'runRecurring') listed += state.paused ? 1 : 0.5;
      if (listed === 1.5) break;
    }

    await ensureSchedules(place.client, readEnv({}));
    const { info, state } = await handle('sweep').describe();
    ok(info.createdAt > createdAt);
    ok(info.nextActionTimes[0]!.getTime() <= Date.now() + 60_000);
    deepEqual([state.paused, state.note], [true, 'for a while']);
    const others = [1, 2].map((mailingId) => handle(workflowId.runRecurring(mailingId)).describe());
    const there = (await Promise.allSettled(others)).map(({ status }) => status);
    // The sweep makes the first one again.
    deepEqual(there, ['rejected', 'fulfilled']);
  });

  it('are left as they are where they go on', async () => {
    const { createdAt } = (await handle('sweep').describe()).info;
    await ensureSchedules(place.client, readEnv({}));
    deepEqual((await handle('sweep').describe()).info.createdAt, createdAt);
  });
});
