import { proxyActivities, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { CrmActivities } from '../activities/crm/activities.ts';
import { growingPause } from '../domain/backoff.ts';
import { answered, canWait } from './answered.ts';
import { continueAs } from './continue-as.ts';
import { type Outage, type SyncChangedInput, TASK_QUEUE } from './contracts.ts';

const crm = proxyActivities<CrmActivities>({
  taskQueue: TASK_QUEUE.crm,
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

const { openCrmRound } = proxyActivities<CrmActivities>({
  taskQueue: TASK_QUEUE.sql,
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

const short = proxyActivities<CrmActivities>({
  taskQueue: TASK_QUEUE.campaign,
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

const BATCH = { after: 'number', finished: 'boolean', synced: 'number', failed: 'number' } as const;

/**
 * One round: marks the users that changed, and those a query report brings in, then works them off in batches at the rate the CRM may be
 * asked. While the CRM is away the round waits, and with it all it has to do; who is asked for by name has a run of its own.
 */
export async function syncChanged(input: SyncChangedInput = {}): Promise<{ synced: number; failed: number }> {
  const { synced = 0, failed = 0 } = input.carried ?? {};
  const total = { synced, failed };
  let outage: Outage | null = input.carried?.outage ?? null;
  const { firstPauseSeconds, longestPauseSeconds } = await answered(() => short.crmSettings(), {
    firstPauseSeconds: 'number',
    longestPauseSeconds: 'number',
  });
  if (!input.carried) {
    setCurrentDetails('Looking for users that changed.');
    await openCrmRound();
  }
  let after = 0;
  const round = workflowInfo().firstExecutionRunId;
  for (;;) {
    const batch = await answered(
      () => crm.syncCrmBatch({ after, round }),
      BATCH,
      ({ later }) => !later || canWait(later.waitMs),
    );
    total.synced += batch.synced;
    total.failed += batch.failed;
    after = batch.after;
    const so = `${total.synced} synced, ${total.failed} refused`;
    setCurrentDetails(`${so}.`);
    // Whatever it made of them, it has answered.
    if (batch.answered) outage = null;
    if (batch.finished) return total;
    if (batch.later) {
      let pauseMs = batch.later.waitMs;
      if (batch.later.why === 'away') {
        outage ??= { since: Date.now(), pauses: 0 };
        pauseMs = Math.max(pauseMs, 1000 * growingPause(outage.pauses++, firstPauseSeconds, longestPauseSeconds));
        setCurrentDetails(`${so}. The CRM is away since ${new Date(outage.since).toISOString().slice(0, 19)} UTC: ${batch.later.reason}.`);
      } else setCurrentDetails(`${so}. Waiting: ${batch.later.reason}.`);
      await sleep(Math.ceil(pauseMs), { summary: batch.later.why === 'away' ? `CRM away, pause ${outage?.pauses}` : batch.later.reason });
    }
    if (workflowInfo().continueAsNewSuggested) await continueAs<SyncChangedInput>({ carried: { ...total, outage } });
  }
}
