import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { RetentionActivities } from '../activities/retention.ts';
import { answered } from './answered.ts';
import { TASK_QUEUE } from './contracts.ts';

const activities = proxyActivities<RetentionActivities>({
  taskQueue: TASK_QUEUE.campaign,
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { maximumAttempts: 3 },
});

/** Removes what is kept for a while only. What a round leaves the next one finds. */
export async function clearOld(): Promise<Record<string, number>> {
  const removed = await answered(() => activities.clearOld(), {});
  const what = Object.entries(removed).filter(([, many]) => many > 0);
  setCurrentDetails(what.length ? `Removed: ${what.map(([name, many]) => `${many} ${name}`).join(', ')}.` : 'There was nothing to remove.');
  return removed;
}
