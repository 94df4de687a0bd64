import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { CompactionActivities } from '../activities/compaction.ts';
import { TASK_QUEUE } from './contracts.ts';

const compaction = proxyActivities<CompactionActivities>({
  taskQueue: TASK_QUEUE.sql,
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { maximumAttempts: 5 },
});

/** Half an hour of work at most; the next time goes on where this one ends. */
const MOST_TURNS = 100;

/** Moves what old ledgers say of mails accepted to the archive, which takes half the room. @returns how many rows it moved */
export async function compactLedgers(): Promise<number> {
  let moved = 0;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const done = await compaction.compactLedgers();
    moved += done.moved;
    setCurrentDetails(`${moved} rows moved.`);
    if (!done.more) break;
  }
  return moved;
}
