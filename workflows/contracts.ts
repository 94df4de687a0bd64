// Ids, task queues and message names of every workflow, and nothing else: what the API, the workers and the tests agree on.
// Ids carry numbers only, never anything personal.

import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { cronOf, type Recurrence } from '../domain/recurrence.ts';

export const TASK_QUEUE = {
  /** Workflows and short activities. */
  campaign: 'campaign',
  /** Send slices. */
  sending: 'sending',
  /** Rebuilds and reports: long statements, few slots. */
  sql: 'sql',
  /** Calls of the CRM and the partner system: an outage there fills no slots of anybody else. */
  crm: 'crm',
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
  | 'import'
  | 'confirmation'
  | 'report'
  | 'recurring'
  | 'notice';

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
  importUpload: (uploadId: number) => `upload-${uploadId}-import`,
  sendConfirmation: (mailId: number) => `confirmation-${mailId}`,
  sendNotice: (noticeId: number) => `notice-${noticeId}`,
  runReport: (taskId: number) => `report-${taskId}`,
  syncUser: (mapId: number) => `crm-${mapId}-sync`,
  /** One round of the whole: only one runs at a time. */
  syncChanged: 'crm-sync-changed',
  runIntegration: 'partner-integration',
} as const;

/** What operators read of each kind of run in the Temporal UI: what it is, what cancelling it does, and where the truth is. By workflow type. */
export const DETAILS: Record<string, string> = {
  sendMailing:
    'Sends one mailing. Who got it is in the send ledger, so whatever dies, the next slice goes on. Cancelling is the same as stopping the mailing; queue it again and it goes on with those left. Terminated, it is marked died by the sweep within two minutes, and can be queued again as well.',
  rebuildTargets:
    'Builds the set of users of a mailing. Cancelling ends the statement on the database server; the set is then to be built anew.',
  sendProofs: 'Sends the proofs of one request, going on where it was after any crash.',
  runRecurring: 'One time of a recurring mailing: makes a copy of it and starts the send of the copy.',
  mergeUsers: 'Merges users, all or nothing in one transaction. The merge job says how it ended.',
  eraseUser: 'Erases a user, all or nothing in one transaction.',
  importUpload: 'Imports an upload, batch by batch; no line twice. To stop it, stop the upload.',
  sendConfirmation: 'Hands one mail after an action to the relay, once, however long that is away.',
  runReport: 'Runs a report into a file and mails the result. Cancelling ends the statement on the database server.',
  syncUser: 'Sees to one mapping of the CRM sync until nothing is asked of it any more. While the CRM is away it waits.',
};

/** Signals, imperative; queries, nouns. */
export const MESSAGE = { stop: 'stop', reschedule: 'reschedule', progress: 'progress', sync: 'sync' } as const;

export interface SendMailingInput {
  mailingId: number;
  /** After so many slices the run continues as a new one; the default is far below what a history may hold. */
  slicesPerRun?: number;
  /** Handed over by continue-as-new. */
  carried?: { stopped: boolean; accepted: number; relay: { downSince: number; pauses: number } | null };
}

export interface RebuildTargetsInput {
  mailingId: number;
  jobId: number;
}

/** Of `runRecurring`: the mailing that is copied. */
export interface RunRecurringInput {
  mailingId: number;
  /** The times it is meant for, in words of cron: by this the sweep sees a schedule that is not what its row says. */
  when?: string;
}

export type RecurringScheduleOptions = ReturnType<typeof recurringSchedule>;

/** The schedule of a recurring mailing, as the workflow service takes it. A time that comes while the last one is at work is left out. */
export const recurringSchedule = (mailingId: number, recurrence: Recurrence) => {
  const input: RunRecurringInput = { mailingId, when: `${cronOf(recurrence)} ${recurrence.timezone}` };
  return {
    scheduleId: workflowId.runRecurring(mailingId),
    spec: { cronExpressions: [cronOf(recurrence)], timezone: recurrence.timezone },
    action: {
      type: 'startWorkflow' as const,
      workflowType: 'runRecurring',
      workflowId: workflowId.runRecurring(mailingId),
      taskQueue: TASK_QUEUE.campaign,
      args: [input],
      staticSummary: `Recurring mailing ${mailingId}`,
      staticDetails: DETAILS['runRecurring'],
      typedSearchAttributes: searchable(mailingId, 'recurring'),
    },
    policies: { overlap: 'SKIP' as const, catchupWindow: '10 minutes' as const },
  };
};

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
  /** As of the last finished slice; the ledger's shards have the numbers of this moment. */
  accepted: number;
  /** Why nothing is being sent just now, and when it goes on. */
  pause: { reason: string; until: string } | null;
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
  carried?: { stage: number; after: number; created: number; refused: number; outage: Outage | null };
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
}

/** Of `mergeUsers` and `eraseUser`: the row that says what to do. */
export interface UserJobInput {
  jobId: number;
}
