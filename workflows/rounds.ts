import { DETAILS, TASK_QUEUE, workflowId } from './contracts.ts';

/** What the platform does by itself at intervals, and whether it is to. */
export interface Round {
  scheduleId: string;
  workflow: string;
  workflowId: string;
  minutes: number;
  summary: string;
  /** What the workflow is started with. */
  input?: object;
  /** Whether one whose time came while the one before was under way begins when that has ended, and not at its next time. */
  catchesUp?: boolean;
  /** False: the schedule is taken away. */
  wanted: boolean;
}

export interface RoundSettings {
  CRM_KIND: string;
  CRM_RESYNC_MINUTES: number;
  PARTNER_KIND: string;
  PARTNER_MINUTES: number;
}

export const SWEEP: Round = {
  scheduleId: 'sweep',
  workflow: 'sweep',
  workflowId: 'sweep',
  minutes: 1,
  summary: 'Starts what was asked for and has no run',
  // All within the minute, with time for what each of them may take.
  input: { looks: 4 },
  // One that took longer ends in the middle of a minute: nothing would be looked for until the next.
  catchesUp: true,
  wanted: true,
};

export const roundsOf = (env: RoundSettings): Round[] => [
  SWEEP,
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

/** The schedule of a round, as the workflow service takes it. A round that is still under way goes on; one that was missed while nobody could begin it is not made up for. */
export const roundSchedule = ({ scheduleId, workflow, workflowId, minutes, summary, input = {}, catchesUp }: Round) => ({
  scheduleId,
  spec: { intervals: [{ every: minutes * 60_000 }] },
  action: {
    type: 'startWorkflow' as const,
    workflowType: workflow,
    workflowId,
    taskQueue: TASK_QUEUE.campaign,
    args: [input],
    staticSummary: summary,
    staticDetails: DETAILS[workflow],
  },
  policies: { overlap: catchesUp ? ('BUFFER_ONE' as const) : ('SKIP' as const), catchupWindow: 60_000 },
});
