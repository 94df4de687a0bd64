import { proxyActivities, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { SweepActivities } from '../activities/sweep.ts';
import { answeredAs } from './answered.ts';
import { TASK_QUEUE } from './contracts.ts';

const { startForgotten } = proxyActivities<SweepActivities>({
  taskQueue: TASK_QUEUE.campaign,
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 3 },
});

/** A minute has so many: whoever ends a run in the operator's UI wants to see the mailing say so. */
const PAUSE = '15 seconds';

/**
 * Starts what was asked for in the database and has no run: a process may die between writing the row and starting the workflow.
 * @param looks how often, one after the other
 * @returns how many were started
 */
export async function sweep({ looks = 1 }: { looks?: number } = {}): Promise<number> {
  const look = () => answeredAs<number>(startForgotten, 'number');
  let started = await look();
  for (let looked = 1; looked < looks; looked++) {
    await sleep(PAUSE, { summary: 'until the next look' });
    started += await look();
  }
  setCurrentDetails(started ? `${started} started that had been asked for and had no run.` : 'Everything that was asked for had its run.');
  return started;
}
