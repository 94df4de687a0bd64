import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { TASK_QUEUE } from '../workflows/contracts.ts';

/** Makes the platform's own schedules, once; to be run at every start. */
export async function ensureSchedules(client: Client): Promise<void> {
  try {
    await client.schedule.create({
      scheduleId: 'sweep',
      spec: { intervals: [{ every: '1 minute' }] },
      action: {
        type: 'startWorkflow',
        workflowType: 'sweep',
        workflowId: 'sweep',
        taskQueue: TASK_QUEUE.campaign,
        staticSummary: 'Starts what was asked for and has no run',
      },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
