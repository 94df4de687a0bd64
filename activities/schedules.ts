import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import type { Env } from '../config/env.ts';
import { MEMO, TASK_QUEUE, workflowId } from '../workflows/contracts.ts';

interface Round {
  scheduleId: string;
  workflow: string;
  workflowId: string;
  minutes: number;
  summary: string;
  /** What the workflow is started with. */
  input?: object;
  /** False: the schedule is taken away. */
  wanted: boolean;
}

/**
 * Makes the platform's own schedules what the settings say; to be run at every start.
 * @param database whose they are (db/identity.ts), which they say from then on
 * @returns whether they said that they are another's: two platforms in one namespace take each other's work
 */
export async function ensureSchedules(client: Client, env: Env, database?: string): Promise<boolean> {
  const rounds: Round[] = [
    {
      scheduleId: 'sweep',
      workflow: 'sweep',
      workflowId: 'sweep',
      minutes: 1,
      summary: 'Starts what was asked for and has no run',
      // All within the minute, with time for what each of them may take.
      input: { looks: 4 },
      wanted: true,
    },
    {
      scheduleId: 'clear-old',
      workflow: 'clearOld',
      workflowId: 'clear-old',
      minutes: 60,
      summary: 'Removes what is kept for a while only',
      wanted: true,
    },
    {
      scheduleId: 'crm-sync-changed',
      workflow: 'syncChanged',
      workflowId: workflowId.syncChanged,
      minutes: env.CRM_RESYNC_MINUTES,
      summary: 'Syncs the users that changed with the CRM',
      wanted: env.CRM_KIND !== 'none',
    },
    {
      scheduleId: 'partner-integration',
      workflow: 'runIntegration',
      workflowId: workflowId.runIntegration,
      minutes: env.PARTNER_MINUTES,
      summary: 'Makes records in the partner system for what has none',
      wanted: env.PARTNER_KIND !== 'none',
    },
  ];
  let others = false;
  for (const round of rounds) {
    if (!round.wanted) await remove(client, round.scheduleId);
    else if (await ensure(client, round, database)) others = true;
  }
  return others;
}

/** @returns whether it was another database's */
async function ensure(client: Client, round: Round, database?: string): Promise<boolean> {
  const { scheduleId, workflow, workflowId, minutes, summary, input = {} } = round;
  const options: ScheduleOptions = {
    scheduleId,
    spec: { intervals: [{ every: minutes * 60_000 }] },
    action: {
      type: 'startWorkflow',
      workflowType: workflow,
      workflowId,
      taskQueue: TASK_QUEUE.campaign,
      args: [input],
      staticSummary: summary,
      ...(database && { memo: { [MEMO.database]: database } }),
    },
    // A round that is still under way goes on; one that was missed is not made up for.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
  };
  try {
    await client.schedule.create(options);
    return false;
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    // Whatever the release before wanted; whether it is paused stays as it was.
    const { spec, action, policies = {} } = options;
    let of: unknown;
    await client.schedule.getHandle(scheduleId).update(({ state, action: { memo } }) => {
      of = memo?.[MEMO.database];
      return { spec, action, policies, state };
    });
    return database !== undefined && of !== undefined && of !== database;
  }
}

async function remove(client: Client, scheduleId: string): Promise<void> {
  try {
    await client.schedule.getHandle(scheduleId).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}
