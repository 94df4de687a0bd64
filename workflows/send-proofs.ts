import { CancellationScope, isCancellation, patched, proxyActivities, sleep } from '@temporalio/workflow';
import type { NoPlaceYet, ProofActivities } from '../activities/proofs/activities.ts';
import { growingPause } from '../domain/backoff.ts';
import { counted } from '../domain/counted.ts';
import { type SendProofsInput, TASK_QUEUE } from './contracts.ts';
import { finalReason } from './final-reason.ts';
import { TellingJob } from './job-progress.ts';

const options = {
  startToCloseTimeout: '20 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 10 },
} as const;
const { sendProofMails } = proxyActivities<ProofActivities>({ ...options, taskQueue: TASK_QUEUE.proofs });
const { failProofs } = proxyActivities<ProofActivities>({ ...options, taskQueue: TASK_QUEUE.campaign });

/** Sends the proofs one request asked for. They go out on a queue of their own, so that they overtake bulk mail and hold up nothing else. Cancelling it records the request as failed. */
export async function sendProofs(input: SendProofsInput): Promise<number> {
  const job = new TellingJob('Sending proofs.');
  try {
    const sent = await sendAll(input);
    job.over(`${counted(sent, 'proof', 'proofs')} sent.`);
    return sent;
  } catch (error) {
    const errors = isCancellation(error)
      ? ['the proofs were cancelled']
      : ['the proofs could not be sent', finalReason(error) ?? ''].filter(Boolean);
    const record = () => failProofs({ ...input, errors });
    if (patched('proofs-end-though-cancelled')) await CancellationScope.nonCancellable(record);
    else await record();
    job.over(errors.join(': '));
    throw error;
  }
}

/** Seconds between looks for a place. */
const PAUSE = { first: 1, most: 30 };

/** What cannot be its answer counts as none, as in `answered`. @returns how many were sent */
async function sendAll(input: SendProofsInput): Promise<number> {
  for (let looks = 0; ; ) {
    const answer: number | NoPlaceYet | null = await sendProofMails(input);
    if (typeof answer === 'number') return answer;
    if (answer?.waits === true) await sleep(1000 * growingPause(looks++, PAUSE.first, PAUSE.most));
  }
}
