import { CrmAway, CrmBusy } from '../../core/crm/crm.ts';
import { openCrm } from '../../core/crm/open.ts';
import { CrmPace } from '../../core/crm/pace.ts';
import { endErased } from '../../core/crm/partner/erased.ts';
import { integrateOne, type PartnerParts } from '../../core/crm/partner/integrate.ts';
import { PARTNER_SOURCES } from '../../core/crm/partner/sources.ts';
import { type Later, laterOf, persist } from '../../core/crm/persist.ts';
import type { ActivityDeps } from '../deps.ts';
import { heartbeating } from '../heartbeating.ts';

export type PartnerActivities = ReturnType<typeof createPartnerActivities>;

export interface PartnerBatchInput {
  /** Which of PARTNER_SOURCES. */
  stage: number;
  /** Ids up to this one have had their turn in this run. */
  after: number;
}

export interface PartnerBatchEnd {
  after: number;
  /** Nothing of this kind is left. */
  finished: boolean;
  /** And there is no further kind. */
  last: boolean;
  created: number;
  refused: number;
  /** Those the system failed at while it answered otherwise: left to the next run. */
  passedOver: number;
  /** Why it ended early, when it did. The reason names nobody. */
  later: Later | null;
}

const LONGEST_BATCH_MS = 20_000;

/** Activities of the integration with the partner system, on the task queue `crm`. */
export function createPartnerActivities(deps: ActivityDeps) {
  const { env, pool, shuttingDown, clock } = deps;

  const beating = <Result>(work: (parts: PartnerParts | null) => Promise<Result>): Promise<Result> =>
    heartbeating(({ signal }) => {
      const partner = openCrm(env, 'partner', signal);
      return work(partner && { deps, partner, pace: new CrmPace(deps, 'partner', env.PARTNER_RATE) });
    });

  const orLater = (error: unknown): Later => {
    if (error instanceof CrmAway || error instanceof CrmBusy) return laterOf(error);
    throw error;
  };

  return {
    /** Tells the partner system of erased users, and drops what we held of them. @returns null when all were told, else why to come again */
    endErasedPartners: (): Promise<PartnerBatchEnd['later']> =>
      beating((parts) => (parts ? endErased(parts).then(() => null, orLater) : Promise.resolve(null))),

    /** Gives the next things of one kind their records, one after the other. */
    integrateBatch: ({ stage, after }: PartnerBatchInput): Promise<PartnerBatchEnd> =>
      beating(async (parts) => {
        const source = PARTNER_SOURCES[stage];
        const end: PartnerBatchEnd = { after, finished: true, last: true, created: 0, refused: 0, passedOver: 0, later: null };
        if (!parts || !source) return end;
        end.last = stage === PARTNER_SOURCES.length - 1;
        const { rows } = await pool.query<{ id: number }>(source.waiting, [after, env.CRM_BATCH]);
        const now = () => (clock ? clock.now() : performance.now());
        const began = now();
        for (const { id } of rows) {
          if (shuttingDown.aborted || now() - began > LONGEST_BATCH_MS) return { ...end, finished: false };
          const attempt = () => integrateOne(parts, source, id).then((as) => ({ as }), orLater);
          const one = await persist(attempt, { crm: parts.partner, pace: parts.pace, ref: `${env.CRM_REF_PREFIX}-nobody` });
          if (one && 'why' in one) return { ...end, finished: false, later: one };
          if (!one) end.passedOver++;
          else if (one.as === 'created') end.created++;
          else if (one.as === 'refused') end.refused++;
          end.after = id;
        }
        end.finished = rows.length < env.CRM_BATCH;
        return end;
      }),
  };
}
