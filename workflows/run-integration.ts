import { patched, proxyActivities, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { CrmActivities } from '../activities/crm/activities.ts';
import type { PartnerActivities, PartnerBatchEnd } from '../activities/partner/activities.ts';
import { growingPause } from '../domain/backoff.ts';
import { counted } from '../domain/counted.ts';
import { answered, canWait } from './answered.ts';
import { continueAs } from './continue-as.ts';
import { type Outage, type RunIntegrationInput, TASK_QUEUE } from './contracts.ts';

const partner = proxyActivities<PartnerActivities>({
  taskQueue: TASK_QUEUE.crm,
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

const short = proxyActivities<CrmActivities>({
  taskQueue: TASK_QUEUE.campaign,
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

const BATCH = { after: 'number', finished: 'boolean', created: 'number', refused: 'number' } as const;

/**
 * One run of the integration with the partner system: erased users first, then a record and a mapping for every user, order and payment without
 * one. An outage makes it wait; what is refused is passed over and tried again by the next run.
 */
export async function runIntegration(input: RunIntegrationInput = {}): Promise<{ created: number; refused: number }> {
  let { stage, after, created, refused, outage } = input.carried ?? {
    stage: 0,
    after: 0,
    created: 0,
    refused: 0,
    outage: null as Outage | null,
  };
  const { firstPauseSeconds, longestPauseSeconds } = await answered(() => short.crmSettings(), {
    firstPauseSeconds: 'number',
    longestPauseSeconds: 'number',
  });

  if (!input.carried || input.carried.telling) {
    for (;;) {
      const later = await partner.endErasedPartners();
      if (!later || !canWait(later.waitMs)) break;
      await pause(later);
      if (workflowInfo().continueAsNewSuggested && patched('continues-while-telling')) await goOn({ telling: true });
    }
    // It has answered, and whether about anybody or not, nothing says that it is away.
    outage = null;
  }
  const round = workflowInfo().firstExecutionRunId;
  for (;;) {
    const batch = await answered(
      () => partner.integrateBatch({ stage, after, round }),
      BATCH,
      ({ later }) => !later || canWait(later.waitMs),
    );
    after = batch.after;
    created += batch.created;
    refused += batch.refused;
    // Whatever it made of them, it has answered.
    if (batch.answered) outage = null;
    setCurrentDetails(`${counted(created, 'record', 'records')} made, ${refused} refused.`);
    if (batch.finished && batch.last) return { created, refused };
    if (batch.finished) {
      stage++;
      after = 0;
    }
    if (batch.later) await pause(batch.later);
    if (workflowInfo().continueAsNewSuggested) await goOn();
  }

  function goOn(more: { telling?: boolean } = {}): Promise<never> {
    return continueAs<RunIntegrationInput>({ carried: { stage, after, created, refused, outage, ...more } });
  }

  async function pause({ why, waitMs, reason }: NonNullable<PartnerBatchEnd['later']>): Promise<void> {
    let ms = waitMs;
    if (why === 'away') {
      outage ??= { since: Date.now(), pauses: 0 };
      ms = Math.max(ms, 1000 * growingPause(outage.pauses++, firstPauseSeconds, longestPauseSeconds));
      const since = new Date(outage.since).toISOString().slice(0, 19);
      setCurrentDetails(
        `${counted(created, 'record', 'records')} made, ${refused} refused. The partner system is away since ${since} UTC: ${reason}.`,
      );
    } else setCurrentDetails(`${counted(created, 'record', 'records')} made, ${refused} refused. Waiting: ${reason}.`);
    await sleep(Math.ceil(ms), { summary: why === 'away' ? `partner system away, pause ${outage?.pauses}` : reason });
  }
}
