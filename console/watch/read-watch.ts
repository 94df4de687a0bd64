import type { ApiContext } from '../../api/deps.ts';
import { readWatched, shownProgress } from '../../api/mailer/progress.ts';
import { conditionOf } from './condition.ts';
import { ObservedSends } from './observed-sends.ts';

const observers = new WeakMap<ApiContext, ObservedSends>();

/** How far a mailing is, as the API says, and what its watchers have seen of it. @throws NotFoundError */
export async function readWatch(context: ApiContext, id: number) {
  const observer = observers.get(context) ?? new ObservedSends(context.env.SEND_LEASE_SECONDS * 1000);
  observers.set(context, observer);
  const watched = await readWatched(context, id);
  const observed = observer.see(id, watched, Date.now());
  return { progress: shownProgress(watched), observed, condition: conditionOf(watched, observed) };
}
