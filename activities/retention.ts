import { clearOld } from '../core/retention.ts';
import type { ActivityDeps } from './deps.ts';
import { heartbeating } from './heartbeating.ts';

export type RetentionActivities = ReturnType<typeof createRetentionActivities>;

/** What is kept for a while only. */
export function createRetentionActivities(deps: Pick<ActivityDeps, 'pool' | 'env' | 'log'>) {
  return { clearOld: (): Promise<Record<string, number>> => heartbeating(() => clearOld(deps)) };
}
