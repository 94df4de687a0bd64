import { clearOld } from '../core/retention.ts';
import type { ActivityDeps } from './deps.ts';
import { heartbeating } from './heartbeating.ts';

export type RetentionActivities = ReturnType<typeof createRetentionActivities>;

export function createRetentionActivities(deps: Pick<ActivityDeps, 'pool' | 'env' | 'log' | 'shuttingDown'>) {
  return {
    /** What is kept for a while only. Called off, or where its worker ends, it leaves the rest to the next round: there may be millions. */
    clearOld: (): Promise<Record<string, number>> =>
      heartbeating(({ signal }) => clearOld(deps, () => !signal.aborted && !deps.shuttingDown.aborted)),
  };
}
