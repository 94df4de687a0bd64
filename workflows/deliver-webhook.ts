import { proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhooks/activities.ts';
import { answered } from './answered.ts';
import { continueAs } from './continue-as.ts';
import { TASK_QUEUE, type UserJobInput } from './contracts.ts';

const { deliverWebhooks } = proxyActivities<WebhookActivities>({
  taskQueue: TASK_QUEUE.webhooks,
  startToCloseTimeout: '3 minutes',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '2 seconds', maximumInterval: '1 minute' },
});

/**
 * Tells a webhook what is due. What it does not take is due again later, which the sweep sees: for three days, by the rows, so that no run has to wait for that.
 */
export async function deliverWebhook(input: UserJobInput): Promise<void> {
  setCurrentDetails('Telling it what is due; its deliveries say how each went.');
  for (;;) {
    const { more } = await answered(() => deliverWebhooks(input), { delivered: 'number', more: 'boolean' });
    if (!more) break;
    if (workflowInfo().continueAsNewSuggested) await continueAs(input);
  }
  setCurrentDetails('Over; its deliveries say how each went.');
}
