import { CrmAway, CrmBusy } from '../crm.ts';
import { type Later, laterOf, persist } from '../persist.ts';
import { integrateOne, type PartnerParts } from './integrate.ts';
import { PARTNER_SOURCES } from './sources.ts';

export interface PartnerBatchInput {
  /** Which of PARTNER_SOURCES. */
  stage: number;
  /** Those with ids up to this one were tried in this run. */
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

/** What a batch comes to when there is nothing to do. */
export const emptyBatch = (after: number): PartnerBatchEnd => ({
  after,
  finished: true,
  last: true,
  created: 0,
  refused: 0,
  passedOver: 0,
  later: null,
});

/** The pause a system that is away or busy asks for. @throws every other error */
export function orLater(error: unknown): Later {
  if (error instanceof CrmAway || error instanceof CrmBusy) return laterOf(error);
  throw error;
}

/** Gives the next things of one kind their records, one after the other, for some twenty seconds at most. */
export async function integrateBatch(parts: PartnerParts, { stage, after }: PartnerBatchInput): Promise<PartnerBatchEnd> {
  const { env, pool, shuttingDown, clock } = parts.deps;
  const source = PARTNER_SOURCES[stage];
  const end = emptyBatch(after);
  if (!source) return end;
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
}
