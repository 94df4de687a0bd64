import { condition, defineSignal, patched, proxyActivities, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { CrmActivities } from '../activities/crm/activities.ts';
import { growingPause } from '../domain/backoff.ts';
import { counted } from '../domain/counted.ts';
import { answered, canWait } from './answered.ts';
import { continueAs } from './continue-as.ts';
import { MESSAGE, type Outage, type SyncUserInput, TASK_QUEUE } from './contracts.ts';
import { UNREAD } from './unread.ts';

export const sync = defineSignal(MESSAGE.sync, UNREAD);

const crm = proxyActivities<CrmActivities>({
  taskQueue: TASK_QUEUE.crm,
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

const short = proxyActivities<CrmActivities>({
  taskQueue: TASK_QUEUE.campaign,
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

const HOUR_MS = 3_600_000;
const SETTINGS = { firstPauseSeconds: 'number', longestPauseSeconds: 'number', giveUpHours: 'number' } as const;

/**
 * Sees to one mapping until nothing is asked of it any more. Its row says what there is to do (sync, or tell the CRM that it is over); a
 * signal says only that there is something. However many come while a try is under way, one more try follows.
 */
export async function syncUser(input: SyncUserInput): Promise<'synced' | 'failed' | 'disconnected' | 'idle'> {
  const { mapId } = input;
  let asked = true;
  let outage: Outage | null = input.carried?.outage ?? null;
  setHandler(sync, () => {
    asked = true;
  });
  const { firstPauseSeconds, longestPauseSeconds, giveUpHours } = await answered(() => short.crmSettings(), SETTINGS);

  for (;;) {
    asked = false;
    setCurrentDetails('Syncing.');
    const end = await answered(
      () => crm.syncMapped({ mapId }),
      { kind: 'string' },
      (it) => it.kind !== 'later' || canWait(it.waitMs),
    );
    if (end.kind !== 'later') {
      outage = null;
      setCurrentDetails(`${end.kind}.`);
      if (!asked) return end.kind;
      if (workflowInfo().continueAsNewSuggested && patched('continues-between-tries'))
        await continueAs<SyncUserInput>({ mapId, carried: { outage } });
      continue;
    }
    let pauseMs = end.waitMs;
    if (end.why === 'away') {
      outage ??= { since: Date.now(), pauses: 0 };
      if (Date.now() - outage.since >= giveUpHours * HOUR_MS) {
        await short.giveUpSync({ mapId, reason: `The CRM was away for ${counted(giveUpHours, 'hour', 'hours')}: ${end.reason}` });
        setCurrentDetails(`Given up: the CRM was away for ${counted(giveUpHours, 'hour', 'hours')}: ${end.reason}`);
        if (!asked) return 'failed';
        outage = null;
        continue;
      }
      pauseMs = Math.max(pauseMs, 1000 * growingPause(outage.pauses++, firstPauseSeconds, longestPauseSeconds));
    }
    // Many wait for the same thing: not all of them at the same moment.
    pauseMs = Math.ceil(pauseMs * (1 + Math.random() / 5));
    const until = new Date(Date.now() + pauseMs).toISOString().slice(0, 19);
    const away =
      end.why === 'away' && outage ? `The CRM is away since ${new Date(outage.since).toISOString().slice(0, 19)} UTC` : 'Waiting';
    setCurrentDetails(`${away}: ${end.reason}. Next try at ${until} UTC.`);
    await condition(() => asked, pauseMs, { summary: end.why === 'away' ? `CRM away, pause ${outage?.pauses}` : `waiting: ${end.why}` });
    if (workflowInfo().continueAsNewSuggested) await continueAs<SyncUserInput>({ mapId, carried: { outage } });
  }
}
