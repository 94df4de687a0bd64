// Long: one line and one entry for each workflow; in pieces nobody would see that ids and queues agree.

// Ids, task queues and message names of every workflow, and nothing else: what the API, the workers and the tests agree on.
// Ids carry numbers only, never anything personal.

import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { calendarOf, type Recurrence, timesOf } from '../domain/recurrence.ts';
import { WORKFLOW_TASK_SECONDS } from './silence.ts';

export const TASK_QUEUE = {
  /** Workflows and short activities. */
  campaign: 'campaign',
  /** Proofs, of which one request may have thousands: a relay that takes its time over them holds nobody else. */
  proofs: 'proofs',
  /** Send slices. */
  sending: 'sending',
  /** Rebuilds and reports: long statements, few slots. */
  sql: 'sql',
  /** Calls of the CRM and the partner system: an outage there fills no slots of anybody else. */
  crm: 'crm',
  /** What webhooks are told: whoever may write them names addresses that never answer. */
  webhooks: 'webhooks',
} as const;

/** Search attributes registered at start-up (bin/migrate.ts), by which operators find a run. */
export const SEARCH_ATTRIBUTE = {
  mailingId: defineSearchAttributeKey('MailingId', SearchAttributeType.INT),
  userId: defineSearchAttributeKey('UserId', SearchAttributeType.INT),
  jobKind: defineSearchAttributeKey('JobKind', SearchAttributeType.KEYWORD),
} as const;

export type JobKind =
  | 'send'
  | 'rebuild'
  | 'proofs'
  | 'crm'
  | 'merge'
  | 'erase'
  | 'list'
  | 'import'
  | 'confirmation'
  | 'report'
  | 'recurring'
  | 'notice'
  | 'webhook';

/** The search attributes of a run that is about a mailing. */
export const searchable = (mailingId: number, kind: JobKind) => [
  { key: SEARCH_ATTRIBUTE.mailingId, value: mailingId },
  { key: SEARCH_ATTRIBUTE.jobKind, value: kind },
];

export const workflowId = {
  sendMailing: (mailingId: number) => `mailing-${mailingId}-send`,
  rebuildTargets: (mailingId: number, jobId: number) => `mailing-${mailingId}-rebuild-${jobId}`,
  sendProofs: (mailingId: number, jobId: number) => `mailing-${mailingId}-proofs-${jobId}`,
  /** Of the schedule; its runs have the time appended. */
  runRecurring: (mailingId: number) => `mailing-${mailingId}-recurring`,
  mergeUsers: (jobId: number) => `user-merge-${jobId}`,
  eraseUser: (jobId: number) => `user-erase-${jobId}`,
  deleteList: (jobId: number) => `list-deletion-${jobId}`,
  importUpload: (uploadId: number) => `upload-${uploadId}-import`,
  sendConfirmation: (mailId: number) => `confirmation-${mailId}`,
  sendNotice: (noticeId: number) => `notice-${noticeId}`,
  runReport: (taskId: number) => `report-${taskId}`,
  deliverWebhook: (webhookId: number) => `webhook-${webhookId}-deliver`,
  syncUser: (mapId: number) => `crm-${mapId}-sync`,
  /** One round of the whole: only one runs at a time. */
  syncChanged: 'crm-sync-changed',
  runIntegration: 'partner-integration',
} as const;

/** What operators read of each kind of run in the Temporal UI: what it is, what cancelling it does, and where the truth is. By workflow type. */
export const DETAILS: Record<string, string> = {
  sendMailing:
    'Sends one mailing. Who got it is in the send ledger, so whatever dies, the next slice goes on. Cancelling is the same as stopping the mailing; queue it again and it goes on with those left. Terminated while it is sent, it is marked died by the sweep within half a minute, and can be queued again as well; while it still waits, the sweep starts it anew: to call it off, cancel it, or stop the mailing.',
  rebuildTargets:
    'Builds the set of users of a mailing. Cancelling ends the statement on the database server; the set is then to be built anew.',
  sendProofs:
    'Sends the proofs of one request, going on where it was after any crash. Cancelled or terminated, the request has failed: ask for proofs again.',
  runRecurring:
    'One time of a recurring mailing: makes a copy of it and starts the send of the copy. Cancelled or terminated before there is a copy, this time is left out.',
  mergeUsers:
    'Merges users, all or nothing in one transaction. The merge job says how it ended. Cancelled or terminated, it is begun anew by the sweep.',
  eraseUser: 'Erases a user, all or nothing in one transaction. Cancelled or terminated, it is begun anew by the sweep.',
  deleteList:
    'Takes everybody off a list, batch by batch, and deletes it. Cancelled or terminated, it is begun anew by the sweep: what is removed stays so.',
  importUpload:
    'Imports an upload, batch by batch; no line twice. Cancelled or terminated, it goes on by the sweep: to stop it, stop the upload.',
  sendConfirmation:
    'Hands one mail after an action to the relay, once, however long that is away. Cancelled or terminated, it is begun anew by the sweep.',
  sendNotice:
    'Tells one person about a mailing by mail, once, however long the relay is away. Cancelled or terminated, it is begun anew by the sweep.',
  runReport:
    'Runs a report into a file and mails the result. Cancelling ends the statement on the database server, and the task has failed. Terminated, it is begun anew by the sweep.',
  deliverWebhook:
    'Posts what is due to one webhook. What it does not take is tried again for three days: another run, by the rows of its deliveries. Cancelled or terminated, it is begun anew by the sweep: to stop it, make the webhook inactive.',
  syncUser:
    'Sees to one mapping of the CRM sync until nothing is asked of it any more. While the CRM is away it waits. Cancelled or terminated, it is begun anew by the next round or the sweep: to stop it, disconnect the mapping.',
  sweep:
    'Starts what was asked for and has no run. Cancelled or terminated, the next one, within a minute, does what it left. While its schedule is paused nothing is begun anew.',
  clearOld: 'Removes what is kept for a while only, batch by batch. Cancelled or terminated, what it left is removed by the next one.',
  syncChanged:
    'One round of the CRM sync: marks who changed, and syncs them batch by batch. Cancelled or terminated, whom it left waits for the next round: to stop the rounds, pause their schedule.',
  runIntegration:
    'One round of the integration with the partner system: makes a record there for what has none. Cancelled or terminated, what it left waits for the next round: to stop the rounds, pause their schedule.',
};

/** What is to be started: a workflow by its name, with the id that makes a second start of the same thing impossible. */
export interface WorkflowStart {
  workflow: string;
  workflowId: string;
  taskQueue: string;
  input: unknown;
  /** Shown to operators; numbers and words of ours, nothing personal. */
  summary?: string;
  searchAttributes?: Record<string, string | number>;
}

/** What a run is found by, beside its kind, and what operators read of it where it is not what the contract says. */
export interface About {
  mailingId?: number;
  userId?: number | null;
  summary?: string;
}

interface Contract<Input> {
  kind: JobKind;
  id: (input: Input) => string;
  summary: (input: Input) => string;
}

const contract = <Input>(kind: JobKind, id: (input: Input) => string, summary: (input: Input) => string): Contract<Input> => ({
  kind,
  id,
  summary,
});
const job = (kind: JobKind, id: (jobId: number) => string, what: string) =>
  contract<UserJobInput>(
    kind,
    ({ jobId }) => id(jobId),
    ({ jobId }) => `${what} ${jobId}`,
  );

/** Every workflow that is started because somebody asked for something, by its name: its kind, its id, and what operators read of a run. */
const CONTRACTS = {
  sendMailing: contract<SendMailingInput>(
    'send',
    ({ mailingId }) => workflowId.sendMailing(mailingId),
    ({ mailingId }) => `Send mailing ${mailingId}`,
  ),
  rebuildTargets: contract<RebuildTargetsInput>(
    'rebuild',
    ({ mailingId, jobId }) => workflowId.rebuildTargets(mailingId, jobId),
    ({ mailingId }) => `Rebuild the users of mailing ${mailingId}`,
  ),
  sendProofs: contract<SendProofsInput>(
    'proofs',
    ({ mailingId, jobId }) => workflowId.sendProofs(mailingId, jobId),
    ({ mailingId }) => `Proofs of mailing ${mailingId}`,
  ),
  syncUser: contract<SyncUserInput>(
    'crm',
    ({ mapId }) => workflowId.syncUser(mapId),
    ({ mapId }) => `CRM mapping ${mapId}: sync`,
  ),
  mergeUsers: job('merge', workflowId.mergeUsers, 'Merge'),
  eraseUser: job('erase', workflowId.eraseUser, 'Erasure'),
  deleteList: job('list', workflowId.deleteList, 'Deletion of a list'),
  importUpload: job('import', workflowId.importUpload, 'Import upload'),
  sendConfirmation: job('confirmation', workflowId.sendConfirmation, 'Mail after an action'),
  sendNotice: job('notice', workflowId.sendNotice, 'Notice'),
  runReport: job('report', workflowId.runReport, 'Report as task'),
  deliverWebhook: job('webhook', workflowId.deliverWebhook, 'What is due to webhook'),
};

export type RunName = keyof typeof CONTRACTS;
export type InputOf<Name extends RunName> = Parameters<(typeof CONTRACTS)[Name]['id']>[0];

/** What starts a run, from its contract and its input. */
export function startOf<Name extends RunName>(workflow: Name, input: InputOf<Name>, about: About = {}): WorkflowStart {
  const { kind, id, summary } = CONTRACTS[workflow] as Contract<InputOf<Name>>;
  const { mailingId = (input as { mailingId?: number }).mailingId, userId } = about;
  return {
    workflow,
    workflowId: id(input),
    taskQueue: TASK_QUEUE.campaign,
    input,
    summary: about.summary ?? summary(input),
    searchAttributes: {
      ...(mailingId !== undefined && { [SEARCH_ATTRIBUTE.mailingId.name]: mailingId }),
      ...(userId !== undefined && userId !== null && { [SEARCH_ATTRIBUTE.userId.name]: userId }),
      [SEARCH_ATTRIBUTE.jobKind.name]: kind,
    },
  };
}

/**
 * What comes first where work waits (1 is first, 3 is what is not named): sends begin and end on time behind thousands of merges. Activities have that of their run.
 * A cluster that knows no priorities takes everything in the order it came.
 */
const PRIORITY: Record<string, number> = { sendMailing: 1, sendConfirmation: 2, mergeUsers: 4, eraseUser: 4, importUpload: 4, syncUser: 4 };

/** A start as Temporal's client takes it. */
export const startOptions = ({ workflow, workflowId, taskQueue, input, summary, searchAttributes = {} }: WorkflowStart) => ({
  workflowId,
  taskQueue,
  args: [input],
  workflowTaskTimeout: WORKFLOW_TASK_SECONDS * 1000,
  ...(PRIORITY[workflow] && { priority: { priorityKey: PRIORITY[workflow] } }),
  ...(summary && { staticSummary: summary }),
  ...(DETAILS[workflow] && { staticDetails: DETAILS[workflow] }),
  typedSearchAttributes: Object.entries(searchAttributes).map(([name, value]) =>
    typeof value === 'number'
      ? { key: { name, type: SearchAttributeType.INT }, value }
      : { key: { name, type: SearchAttributeType.KEYWORD }, value },
  ),
});

/** Signals, imperative; queries, nouns. */
export const MESSAGE = { stop: 'stop', reschedule: 'reschedule', progress: 'progress', sync: 'sync' } as const;

/**
 * What is told of a run to whoever reads it from outside: in which queueing of its mailing (`queued_at` as PostgreSQL writes it) it has begun to send, or ended; and for which
 * database a schedule starts it.
 */
export const MEMO = { queueing: 'queueing', database: 'database' } as const;

export interface SendMailingInput {
  mailingId: number;
  /** After so many slices the run continues as a new one; the default is far below what a history may hold. */
  slicesPerRun?: number;
  /** Handed over by continue-as-new. */
  carried?: { stopped: boolean; accepted: number; relay: { downSince: number; pauses: number; askedAt?: number } | null };
}

export interface RebuildTargetsInput {
  mailingId: number;
  jobId: number;
}

/** Of `runRecurring`: the mailing that is copied. */
export interface RunRecurringInput {
  mailingId: number;
  /** The times it is meant for, in words of cron: by this the sweep sees a schedule that is not what its row, or the tables of time zones, say, and a run that it is for a time there was before. */
  when?: string;
}

export type RecurringScheduleOptions = ReturnType<typeof recurringSchedule>;

/** The time a schedule started a run of a recurring mailing for, which it appends to the id of the run; null where none did. */
export function timeOfRun(mailingId: number, run: string): number | null {
  const time = Date.parse(run.slice(workflowId.runRecurring(mailingId).length + 1));
  return Number.isNaN(time) ? null : time;
}

/** The schedule of a recurring mailing, as the workflow service takes it. A time that comes while the last one is at work is left out. */
export const recurringSchedule = (mailingId: number, recurrence: Recurrence, now: number = Date.now()) => {
  const input: RunRecurringInput = { mailingId, when: timesOf(recurrence, now) };
  return {
    scheduleId: workflowId.runRecurring(mailingId),
    spec: calendarOf(recurrence, now),
    action: {
      type: 'startWorkflow' as const,
      workflowType: 'runRecurring',
      workflowId: workflowId.runRecurring(mailingId),
      taskQueue: TASK_QUEUE.campaign,
      args: [input],
      workflowTaskTimeout: WORKFLOW_TASK_SECONDS * 1000,
      staticSummary: `Recurring mailing ${mailingId}`,
      staticDetails: DETAILS['runRecurring'],
      typedSearchAttributes: searchable(mailingId, 'recurring'),
    },
    policies: { overlap: 'SKIP' as const, catchupWindow: 10 * 60_000 },
  };
};

/** What of a schedule stays as somebody left it by hand where it is made anew: whether it is paused, and their note. After how many runs it ends does not. */
export const leftByHand = ({ paused, note }: { paused: boolean; note?: string }) => ({ paused, ...(note !== undefined && { note }) });

/** Whether the runs of a schedule were given a limit of time in Temporal, or tries: no schedule of ours does, and one that waits for a worker would be over before it has begun. */
export const isLimitedByHand = (action: { workflowExecutionTimeout?: unknown; workflowRunTimeout?: unknown; retry?: unknown }) =>
  [action.workflowExecutionTimeout, action.workflowRunTimeout, action.retry].some(Boolean);

/** How a build of the target set ended, for the run that asked for it. */
export interface RebuildResult {
  success: boolean;
  /** Users in the set, after `limit`; null when it failed. */
  results: number | null;
  errors: string[];
}

export interface SendProofsInput {
  mailingId: number;
  jobId: number;
}

/** What the `progress` query of `sendMailing` answers. Times are ISO 8601 in UTC. */
export interface SendProgress {
  phase: 'waiting' | 'rebuilding' | 'sending' | 'paused' | 'stopping' | 'finished';
  /** Of the mailing, over all its runs, as of the last finished slice; the ledger's shards have the numbers of this moment. */
  accepted: number;
  /** Why nothing is being sent just now, and when it goes on. */
  pause: { reason: string; until: string } | null;
}

/** What the `progress` query of a job's run answers (rebuild, proofs, merge, erasure, import, report). How far it is stands in its row. */
export interface JobProgress {
  /** `over`: its row says how it ended. */
  phase: 'working' | 'over';
}

/** How long the CRM, or the partner system, has been away, and how often we have paused for it; handed over by continue-as-new. */
export interface Outage {
  since: number;
  pauses: number;
}

export interface SyncUserInput {
  mapId: number;
  carried?: { outage: Outage | null };
}

export interface SyncChangedInput {
  carried?: { synced: number; failed: number; outage: Outage | null };
}

export interface RunIntegrationInput {
  /** `telling`: the erased users are not all told of yet. */
  carried?: { stage: number; after: number; created: number; refused: number; outage: Outage | null; telling?: boolean };
}

/** Of `runReport`: the task that says what to run. */
export interface ReportJobInput {
  jobId: number;
}

/** Of `sendNotice`: the row that says what to tell whom. */
export interface NoticeInput {
  jobId: number;
}

/** Of the mail that brings a result: to the how manieth of the task's addresses. */
export interface ReportMailInput extends ReportJobInput {
  index: number;
  /** Of one that is not sent any more: its run was cancelled. */
  cancelled?: boolean;
}

/** Of `mergeUsers`, `eraseUser` and others: the row that says what to do. */
export interface UserJobInput {
  jobId: number;
}
