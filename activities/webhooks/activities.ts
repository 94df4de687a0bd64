import { deliverDue, hostOf } from '../../core/webhooks/deliver.ts';
import type { ActivityDeps } from '../deps.ts';
import { heartbeating } from '../heartbeating.ts';
import { WebhookPlaces } from './places.ts';

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;

export function createWebhookActivities(deps: ActivityDeps) {
  const places = new WebhookPlaces();
  return {
    /** Posts what is due to one webhook, until others shall have its place. */
    async deliverWebhooks({ jobId }: { jobId: number }): Promise<{ delivered: number; more: boolean }> {
      const host = await hostOf(deps.pool, jobId);
      return places.hold(host, (answeredIn) => heartbeating(({ signal }) => deliverDue(deps, jobId, signal, answeredIn)));
    },
  };
}
