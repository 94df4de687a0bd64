import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { Env } from '../../config/env.ts';
import { POLLER_LIFETIME_SECONDS, pollsOf } from '../../config/pollers.ts';
import { TASK_QUEUE } from '../../workflows/contracts.ts';
import type { ActivityDeps } from '../deps.ts';

type Deps = Pick<ActivityDeps, 'temporal'> & { env: Pick<Env, 'TEMPORAL_NAMESPACE'> };

/** Lanes pay only for what keeps more than one worker busy. */
const LANE_RECIPIENTS = 5_000;
/** A send at a rate that lasts longer than this has a second lane on another worker, so that the rate holds when one dies. */
const LONG_SEND_SECONDS = 30;

/** A slice looks for a worker of its own at once, with two workers each try finds the other one in one of two cases; then each time so much later than the time before. */
const ELSEWHERE_MS = 100;
/** At last it rests: a further slice in a process shares what is for the mailing there, and commits for hardly a mail. */
const REST_MS = 5_000;

/**
 * Sends lanes to different workers, so that one that dies takes one of them with it: a slice that finds another of its mailing at work here is handed back,
 * for another worker to take, and rests where all have one, until one has not. A retry costs no workflow event.
 * @param here slices of its mailing at work in this process
 * @throws ApplicationFailure that has the slice tried again soon
 */
export function lookElsewhere(here: number, attempt: number): void {
  if (here === 0) return;
  throw ApplicationFailure.create({
    message: 'a lane of this mailing is at work here: left to another worker',
    type: 'Elsewhere',
    nextRetryDelay: Math.min(REST_MS, ELSEWHERE_MS * attempt),
    category: ApplicationFailureCategory.BENIGN,
  });
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

/** How many worker processes take send slices, as Temporal knows it; 1 when it cannot say. */
export async function sendingWorkers(deps: Deps): Promise<number> {
  const polls = await pollsOf(deps, TASK_QUEUE.sending).catch(() => []);
  // By the clock of whoever noted the polls, which may be another machine's: ours is among them.
  const latest = Math.max(...polls.map(({ at }) => at));
  return new Set(polls.filter(({ at }) => at > latest - POLLER_LIFETIME_SECONDS).map(({ worker }) => worker)).size || 1;
}
