import { giveUp } from '../../core/crm/mapping-status.ts';
import { openCrm } from '../../core/crm/open.ts';
import { CrmPace } from '../../core/crm/pace.ts';
import { endedStatus } from '../../core/crm/requests.ts';
import { type BatchEnd, type BatchInput, openRound, type RoundOpened, syncBatch } from '../../core/crm/round.ts';
import { type SyncEnd, type SyncParts, syncMapping } from '../../core/crm/sync-mapping.ts';
import type { ActivityDeps } from '../deps.ts';
import { heartbeating } from '../heartbeating.ts';

export type CrmActivities = ReturnType<typeof createCrmActivities>;

export interface CrmSettings {
  firstPauseSeconds: number;
  longestPauseSeconds: number;
  giveUpHours: number;
}

/** Activities of the CRM sync, on the task queue `crm` but for those of the database alone. */
export function createCrmActivities(deps: ActivityDeps) {
  const { env, pool } = deps;

  /** The parts are null when the sync is switched off. */
  const beating = <Result>(work: (parts: SyncParts | null, beat: () => void, signal: AbortSignal) => Promise<Result>): Promise<Result> =>
    heartbeating(({ signal, beat }) => {
      const crm = openCrm(env, 'crm', signal);
      return work(crm && { deps, crm, pace: new CrmPace(deps, 'crm', env.CRM_RATE) }, beat, signal);
    });

  return {
    /** How outages are borne; read once per run, so that a replay does not depend on the settings of its worker. */
    crmSettings: async (): Promise<CrmSettings> => ({
      firstPauseSeconds: env.CRM_RETRY_SECONDS,
      longestPauseSeconds: env.CRM_RETRY_MOST_SECONDS,
      giveUpHours: env.CRM_GIVE_UP_HOURS,
    }),

    /** One try of one mapping. Run again after its answer was lost, it gives the same answer. */
    syncMapped: ({ mapId }: { mapId: number }): Promise<SyncEnd> =>
      beating(async (parts) => {
        const end: SyncEnd = parts ? await syncMapping(parts, mapId) : { kind: 'idle' };
        if (end.kind !== 'idle') return end;
        return { kind: (await endedStatus(pool, mapId)) ?? 'idle' };
      }),

    /** The CRM was away for too long. A disconnect stays to be told: the rounds go on trying. */
    giveUpSync: ({ mapId, reason }: { mapId: number; reason: string }): Promise<void> => giveUp(pool, mapId, reason),

    /** Marks who is to be synced in this round. */
    openCrmRound: (): Promise<RoundOpened> =>
      beating(async (parts, _beat, signal) => (parts ? openRound(deps, signal) : { added: 0, changed: 0 })),

    /** Works on the next of them. */
    syncCrmBatch: (input: BatchInput): Promise<BatchEnd> =>
      beating(async (parts, beat) =>
        parts ? syncBatch(parts, input, beat) : { after: input.after, finished: true, synced: 0, failed: 0, passedOver: 0, later: null },
      ),
  };
}
