import { openCrm } from '../../core/crm/open.ts';
import { CrmPace } from '../../core/crm/pace.ts';
import { endErased } from '../../core/crm/partner/erased.ts';
import type { PartnerParts } from '../../core/crm/partner/integrate.ts';
import { emptyBatch, integrateBatch, type PartnerBatchEnd, type PartnerBatchInput } from '../../core/crm/partner/integrate-batch.ts';
import type { ActivityDeps } from '../deps.ts';
import { heartbeating } from '../heartbeating.ts';

export type PartnerActivities = ReturnType<typeof createPartnerActivities>;
export type { PartnerBatchEnd };

/** Activities of the integration with the partner system, on the task queue `crm`. */
export function createPartnerActivities(deps: ActivityDeps) {
  const { env } = deps;

  /** The parts are null when there is no partner system. */
  const beating = <Result>(work: (parts: PartnerParts | null) => Promise<Result>): Promise<Result> =>
    heartbeating(({ signal }) => {
      const partner = openCrm(env, 'partner', signal);
      return work(partner && { deps, partner, pace: new CrmPace(deps, 'partner', env.PARTNER_RATE) });
    });

  return {
    /** Tells the partner system of erased users, and drops what we held of them. @returns why to come again, null when each had its turn */
    endErasedPartners: (): Promise<PartnerBatchEnd['later']> => beating(async (parts) => (parts ? endErased(parts) : null)),

    /** Gives the next things of one kind their records, one after the other. */
    integrateBatch: (input: PartnerBatchInput): Promise<PartnerBatchEnd> =>
      beating(async (parts) => (parts ? integrateBatch(parts, input) : emptyBatch(input.after))),
  };
}
