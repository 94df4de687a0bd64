import { deliverDue } from '../../core/webhooks/deliver.ts';
import type { ActivityDeps } from '../deps.ts';
import { heartbeating } from '../heartbeating.ts';

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;

export function createWebhookActivities(deps: ActivityDeps) {
  return {
    /** Posts what is due to one webhook, for a minute at most. */
    deliverWebhooks: ({ jobId }: { jobId: number }): Promise<{ delivered: number; more: boolean }> =>
      heartbeating(({ signal }) => deliverDue(deps, jobId, signal)),
  };
}
