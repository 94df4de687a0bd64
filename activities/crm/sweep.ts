import { disconnectOrphans } from '../../core/crm/mapping-status.ts';
import { forgottenSyncs } from '../../core/crm/requests.ts';
import type { ActivityDeps } from '../deps.ts';
import { eachAsking, inAnyOrder } from '../each-in-turn.ts';
import { startRun } from '../start-run.ts';

/**
 * Starts the run of every mapping that somebody asked for and that has none: the request's process died in between, the workflow service
 * was away, or the run was ended from outside. Closes the mappings of deleted users.
 * @param grace interval, as PostgreSQL reads it, within which a request is about to start its run itself
 * @returns how many were started
 */
export async function startForgottenSyncs({ pool, temporal, env, log }: ActivityDeps, grace: string): Promise<number> {
  if (env.CRM_KIND === 'none') return 0;
  await disconnectOrphans(pool);
  const forgotten = await forgottenSyncs(pool, grace, 2 * env.CRM_RETRY_MOST_SECONDS + 600);
  const started = await eachAsking(temporal, inAnyOrder(forgotten), async ({ id, user_id: userId }) => {
    const about = { userId, summary: `CRM mapping ${id}: sync, started by the sweeper` };
    return Number(await startRun(temporal, 'syncUser', { mapId: id }, about));
  });
  if (started > 0) log.warn({ started }, 'started runs for CRM syncs that were asked for and had none');
  return started;
}
