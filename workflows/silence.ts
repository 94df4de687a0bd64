// How long a silent worker is waited for. A process that is stopped (SIGSTOP, a machine that is suspended) is given tasks as long as it seems to poll for them, and each of
// them is lost until its time limit. So limits are short and polls are few, and the longest that a stop can take is their sum.

/** A workflow task that was given to a silent worker is given to another one after this. */
export const WORKFLOW_TASK_SECONDS = 5;
/** The same of an activity of one or two statements: heartbeats come every half second. */
export const SHORT_SILENCE_SECONDS = 3;
/** Until it is tried again, at most. */
export const SHORT_RETRY_SECONDS = 3;
/** A workflow task waits so long for the worker that has its run in memory and does not ask for tasks any more. */
export const STICKY_SECONDS = 3;

/** Polls of one worker process at a time: so many tasks can be lost with it. */
export const POLLS = {
  /** For workflow tasks, one of which is for those of any run, and the others for those of runs that it has in memory. */
  workflowTasks: 5,
  ofAnyRun: 1,
  shortActivities: 2,
  proofs: 1,
  webhooks: 1,
  /** Lanes begun together go to different workers. */
  slices: 1,
};

/** A slice is given up when its worker has been silent for half the lease, so that the other shards go on while the one it held waits for the lease to end. Not
 * sooner than this: heartbeats come once a second, and a worker may be busy with something else for two. */
const LEAST_SILENCE_SECONDS = 3;

export const sliceSilence = (leaseSeconds: number): number => Math.min(leaseSeconds, Math.max(LEAST_SILENCE_SECONDS, leaseSeconds / 2));

/**
 * Seconds from the answer to a stop until the mailing is stopped, at most, when one worker has fallen silent with everything it can hold
 * (docs/sending-guarantees.md#how-long-a-stop-takes).
 */
export function longestStopSeconds(leaseSeconds: number): number {
  // The one task that the worker with the run in memory took, and those that it took of any run: each stands for the signal.
  const signal = (1 + POLLS.ofAnyRun) * WORKFLOW_TASK_SECONDS;
  // Meanwhile: its slice, and one that was tried again and given to it, with a second and two between the tries.
  const slices = (1 + POLLS.slices) * sliceSilence(leaseSeconds) + 3;
  const finish = POLLS.shortActivities * (SHORT_SILENCE_SECONDS + SHORT_RETRY_SECONDS);
  return Math.max(signal, slices, leaseSeconds) + finish;
}
