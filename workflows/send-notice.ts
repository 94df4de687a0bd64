import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { NoticeActivities } from '../activities/notices/activities.ts';
import { type NoticeInput, TASK_QUEUE } from './contracts.ts';

const activities = proxyActivities<NoticeActivities>({
  taskQueue: TASK_QUEUE.campaign,
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '2 seconds', maximumInterval: '5 minutes' },
});

/** Tells one person about a mailing: once, beside its sending, which neither waits for this nor fails with it. */
export async function sendNotice(input: NoticeInput): Promise<void> {
  setCurrentDetails('Handing the mail to the relay; tried again while that is away.');
  await activities.sendNotice(input);
  setCurrentDetails('Over; the notice says how.');
}
