import { type Compacted, compact } from '../core/sending/compact.ts';
import type { ActivityDeps } from './deps.ts';
import { heartbeating } from './heartbeating.ts';

export type CompactionActivities = ReturnType<typeof createCompactionActivities>;

const LONGEST_MS = 20_000;

export function createCompactionActivities({ pool, env, shuttingDown }: Pick<ActivityDeps, 'pool' | 'env' | 'shuttingDown'>) {
  return {
    /** Moves rows of ledgers completed long ago to the archive, for some seconds. */
    compactLedgers: (): Promise<Compacted> =>
      heartbeating(async ({ signal }) => {
        if (env.LEDGER_KEEP_DAYS === 0) return { moved: 0, more: false };
        return compact(pool, env.LEDGER_KEEP_DAYS, AbortSignal.any([AbortSignal.timeout(LONGEST_MS), signal, shuttingDown]));
      }),
  };
}
