import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { SweepActivities } from '../activities/sweep.ts';
import { TASK_QUEUE } from './contracts.ts';

const { startForgotten } = proxyActivities<SweepActivities>({
  taskQueue: TASK_QUEUE.campaign,
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 3 },
});

/** Starts what was asked for in the database and has no run: a process may die between writing the row and starting the workflow. */
export async function sweep(): Promise<number> {
  const started = await startForgotten();
  setCurrentDetails(started ? `${started} started that had been asked for and had no run.` : 'Everything that was asked for had its run.');
  return started;
}
