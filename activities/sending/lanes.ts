import type { Env } from '../../config/env.ts';
import { describeQueue, POLLER_LIFETIME_SECONDS } from '../../config/pollers.ts';
import { TASK_QUEUE } from '../../workflows/contracts.ts';
import type { ActivityDeps } from '../deps.ts';
import { notYet } from '../not-yet.ts';

type Deps = Pick<ActivityDeps, 'temporal'> & { env: Pick<Env, 'TEMPORAL_NAMESPACE'> };

/** Lanes pay only for what keeps more than one worker busy. */
const LANE_RECIPIENTS = 5_000;
/** A send at a rate that lasts longer than this has a second lane on another worker, so that the rate holds when one dies. */
const LONG_SEND_SECONDS = 30;

/** A slice that looks for a worker of its own does so at once, then each time so much later than the time before, and so often: with two workers all tries miss once in 64 cases. */
const ELSEWHERE_MS = 100;
const ELSEWHERE_TRIES = 6;

/**
 * Sends lanes to different workers, so that one that dies takes one of them with it: a slice that finds another of its mailing at work here is handed back,
 * for another worker to take.
 * @param attempt of the slice, from 1
 * @param workers there are
 * @returns whether every worker seems to have a slice of this mailing: its lane has to rest, for a further one in a process shares what is for the mailing there, and
 *   commits for hardly a mail
 * @throws ApplicationFailure that has the slice tried again soon
 */
export function allHaveOne(attempt: number, workers: number): boolean {
  if (workers <= 1 || attempt > ELSEWHERE_TRIES) return true;
  throw notYet('Elsewhere', 'a lane of this mailing is at work here: left to another worker', ELSEWHERE_MS * attempt);
}

/** How many slices of a mailing run side by side. */
export async function lanesFor(
  deps: Deps & { env: Pick<Env, 'SEND_LANES' | 'SEND_SHARD_SIZE'> },
  { pending, rate }: { pending: number; rate: number | null },
): Promise<number> {
  const { SEND_LANES, SEND_SHARD_SIZE } = deps.env;
  const byCount = Math.ceil(pending / Math.min(LANE_RECIPIENTS, SEND_SHARD_SIZE));
  const byDuration = rate !== null && pending / rate > LONG_SEND_SECONDS ? 2 : 1;
  const useful = Math.max(byCount, byDuration);
  return useful <= 1 ? 1 : Math.min(useful, SEND_LANES ?? Math.max(2, await sendingWorkers(deps)));
}

/** A cluster that limits what it is asked answers this question last: the client asks for the better part of a minute. */
const ASKED_MS = 1_000;

/** How many worker processes take send slices, as Temporal knows it; 1 when it cannot say within a second or two. */
export async function sendingWorkers(deps: Deps): Promise<number> {
  const asked = () => describeQueue(deps, TASK_QUEUE.sending).then(({ polls }) => polls);
  const polls = await deps.temporal.withDeadline(Date.now() + ASKED_MS, asked).catch(() => []);
  // By the clock of whoever noted the polls, which may be another machine's: ours is among them.
  const latest = Math.max(...polls.map(({ at }) => at));
  return new Set(polls.filter(({ at }) => at > latest - POLLER_LIFETIME_SECONDS).map(({ worker }) => worker)).size || 1;
}
