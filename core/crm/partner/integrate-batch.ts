import { randomUUID } from 'node:crypto';
import type { Pool } from '../../../db/driver.ts';
import { CrmAway, CrmBusy } from '../crm.ts';
import { type Later, laterOf, persist } from '../persist.ts';
import { integrateOne, type PartnerParts } from './integrate.ts';
import { PARTNER_SOURCES, type PartnerSource } from './sources.ts';

export interface PartnerBatchInput {
  /** Which of PARTNER_SOURCES. */
  stage: number;
  /** Those with ids up to this one were tried in this run. */
  after: number;
  /** Which run it is, by a name no other has. */
  round?: string;
}

export interface PartnerBatchEnd {
  after: number;
  /** Nothing of this kind is left. */
  finished: boolean;
  /** And there is no further kind. */
  last: boolean;
  /** Of the things this batch passes by: also by a try whose worker ended before it could say so. */
  created: number;
  /** The system made something of one, whatever that was; absent in older histories. */
  answered?: boolean;
  /** By this batch; what one that has not answered was refused is tried again. */
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
export async function integrateBatch(
  parts: PartnerParts,
  { stage, after, round = randomUUID() }: PartnerBatchInput,
): Promise<PartnerBatchEnd> {
  const { env, pool, shuttingDown, clock } = parts.deps;
  const source = PARTNER_SOURCES[stage];
  const end = emptyBatch(after);
  if (!source) return end;
  end.last = stage === PARTNER_SOURCES.length - 1;
  const { rows } = await pool.query<{ id: number }>(source.waiting, [after, env.CRM_BATCH]);
  const now = () => (clock ? clock.now() : performance.now());
  const began = now();
  const counted = async (more: Pick<PartnerBatchEnd, 'finished'> & Partial<PartnerBatchEnd>) => {
    const passed = { ...end, ...more };
    return { ...passed, created: await countMade(pool, source, round, after, passed) };
  };
  for (const { id } of rows) {
    if (shuttingDown.aborted || now() - began > LONGEST_BATCH_MS) return counted({ finished: false });
    const attempt = () => integrateOne(parts, source, id, round).then((as) => ({ as }), orLater);
    const one = await persist(attempt, { crm: parts.partner, pace: parts.pace, ref: `${env.CRM_REF_PREFIX}-nobody` });
    if (one && 'why' in one) return counted({ finished: false, later: one });
    if (!one) end.passedOver++;
    else if (one.as === 'refused') end.refused++;
    end.answered ||= one?.as !== 'skipped';
    end.after = id;
  }
  return counted({ finished: rows.length < env.CRM_BATCH });
}

/** Each once in a run: what a batch leaves to the next one is counted by that. */
async function countMade(
  pool: Pool,
  { table, localColumn }: PartnerSource,
  round: string,
  after: number,
  end: Pick<PartnerBatchEnd, 'after' | 'finished'>,
): Promise<number> {
  const { rows } = await pool.query<{ made: number }>(
    `select count(*)::int as made from ${table} where round = $1 and ${localColumn} > $2 and ($3::int is null or ${localColumn} <= $3)`,
    [round, after, end.finished ? null : end.after],
  );
  return rows[0]!.made;
}
