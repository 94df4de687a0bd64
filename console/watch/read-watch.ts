import { PATIENCE_MS } from '../../api/asked-run.ts';
import type { ApiContext } from '../../api/deps.ts';
import { readWatched, shownProgress } from '../../api/mailer/progress.ts';
import { rateOf } from '../../core/mailings/counts.ts';
import { missedTimes } from '../../core/mailings/missed-times.ts';
import { sqlOn } from '../../db/sql.ts';
import { workflowId } from '../../workflows/contracts.ts';
import { conditionOf } from './condition.ts';
import { ObservedSends } from './observed-sends.ts';

const observers = new WeakMap<ApiContext, ObservedSends>();

/** What is remembered of the sends that this process has looked at. */
export function observedSends(context: ApiContext): ObservedSends {
  const observer = observers.get(context) ?? new ObservedSends(context.env.SEND_LEASE_SECONDS * 1000);
  observers.set(context, observer);
  return observer;
}

/** How far a mailing is, as the API says but with its rate not rounded, and what its watchers have seen of it. @throws NotFoundError */
export async function readWatch(context: ApiContext, id: number) {
  const watched = await readWatched(context, id);
  const observed = observedSends(context).see(id, watched);
  const progress = { ...shownProgress(watched), rate: rateOf(watched.state) };
  const { workflows } = context;
  const condition = conditionOf(watched, observed.silentForMs, workflows.isAway);
  if (watched.state.status !== 'recurring') return { progress, observed, condition };
  const [paused, [missed]] = await Promise.all([
    workflows.isSchedulePaused(workflowId.runRecurring(id), PATIENCE_MS),
    missedTimes(sqlOn(context.pool), context.env, id),
  ]);
  return { progress, observed, condition: { ...condition, schedulePaused: paused === true, missed } };
}
