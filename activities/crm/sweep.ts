import { closeOrphans } from '../../core/crm/round.ts';
import type { ActivityDeps } from '../deps.ts';
import { startRun } from '../start-run.ts';

const MOST_AT_ONCE = 500;

/**
 * Starts the run of every mapping that somebody asked for and that has none: the request's process died in between, the workflow service
 * was away, or the run was ended from outside. Closes the mappings of deleted users.
 * @param grace interval, as PostgreSQL reads it, within which a request is about to start its run itself
 * @returns how many were started
 */
export async function startForgottenSyncs({ pool, temporal, env, log }: ActivityDeps, grace: string): Promise<number> {
  if (env.CRM_KIND === 'none') return 0;
  await closeOrphans(pool);
  // A run notes every try: one that has noted none for longer than its longest pause is not there.
  const { rows } = await pool.query<{ id: number; user_id: number | null }>(
    `select id, user_id from core_crmmap
     where wanted > done and urgent and requested_at < now() - $1::interval
       and (tried_at is null or tried_at < requested_at or tried_at < now() - $2 * interval '1 second')
     order by requested_at limit ${MOST_AT_ONCE}`,
    [grace, 2 * env.CRM_RETRY_MOST_SECONDS + 600],
  );
  let started = 0;
  for (const { id, user_id: userId } of rows) {
    const about = { userId, summary: `CRM mapping ${id}: sync, started by the sweeper` };
    if (await startRun(temporal, 'syncUser', { mapId: id }, about)) started++;
  }
  if (started > 0) log.warn({ started }, 'started CRM syncs that were asked for and had not begun');
  return started;
}
